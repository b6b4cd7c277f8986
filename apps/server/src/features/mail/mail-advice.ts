/**
 * Explains mail failures by words that name the cause, otherwise by the enhanced status code (RFC 3463), the reply code
 * (RFC 5321, section 4.2) or the connection error.
 */
import { mailAdvice, testMailAdvice } from '@vestibule/contract/settings/mail-advice';
import { createMessage, type Message, type MessageDefinition } from '@vestibule/contract/texts/text';
import { generalRefusals } from '../../platform/mail/general-refusals.ts';

const byWords: [pattern: RegExp, advice: MessageDefinition][] = [
  [generalRefusals.logIn, mailAdvice.logInRefused],
  [generalRefusals.sender, mailAdvice.senderRefused],
  [generalRefusals.limit, mailAdvice.later],
  [/^4.*(?:gr[ae]y.?list|try again later|temporar|deferred)/i, mailAdvice.later],
];

/** Keys omit the class: `1.1` means 5.1.1 and 4.1.1. Longer keys come first. */
const byEnhancedCode: [prefix: string, advice: MessageDefinition][] = [
  ['1.1', mailAdvice.noMailbox],
  ['1.2', mailAdvice.noMailDomain],
  ['1.7', mailAdvice.senderRefused],
  ['1.8', mailAdvice.senderRefused],
  ['1.10', mailAdvice.noMailDomain],
  ['1.', mailAdvice.wrongAddress],
  ['2.2', mailAdvice.mailboxFull],
  ['2.', mailAdvice.mailboxRefuses],
  ['7.8', mailAdvice.logInRefused],
  ['7.9', mailAdvice.logInRefused],
  ['7.', mailAdvice.refusedByPolicy],
];

const byReplyCode: Record<string, MessageDefinition> = {
  550: mailAdvice.refusesAddress,
  551: mailAdvice.refusesAddress,
  552: mailAdvice.mailboxFull,
  553: mailAdvice.wrongAddress,
  554: mailAdvice.refusedByPolicy,
};

const byErrorText: [pattern: RegExp, advice: MessageDefinition][] = [
  [/STARTTLS|wrong version number/, mailAdvice.noEncryption],
  [
    /ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|timeout|timed out|greeting|ECONNECTION|connection (?:was )?closed|socket/i,
    mailAdvice.unreachable,
  ],
  [/ENOTFOUND|EAI_AGAIN|EDNS|getaddrinfo/i, mailAdvice.unknownHost],
  [/certificate|self.signed|TLS|SSL/i, mailAdvice.certificate],
];

/** `reply` is the response of the mail server or the connection error. */
export function adviseOnMail(reply: string): Message {
  const [, replyCode = '', enhancedCode = ''] =
    /(?:^|\s)([245]\d\d)(?:[ -]+[245]\.(\d{1,3}\.\d{1,3}))?(?=[\s-]|$)/.exec(reply) ?? [];
  const [, advice] =
    byWords.find(([pattern]) => pattern.test(reply)) ??
    byEnhancedCode.find(([prefix]) =>
      prefix.endsWith('.') ? enhancedCode.startsWith(prefix) : enhancedCode === prefix,
    ) ??
    (replyCode === '' ? byErrorText.find(([pattern]) => pattern.test(reply)) : undefined) ??
    [];
  const defaultAdvice = replyCode.startsWith('5') ? mailAdvice.refused : mailAdvice.later;
  return createMessage(advice ?? byReplyCode[replyCode] ?? defaultAdvice);
}

/** A test mail is not retried. */
export const adviseOnTestMail = (reply: string): Message =>
  /^4\d\d\b/.test(reply) ? createMessage(testMailAdvice.later) : adviseOnMail(reply);
