/**
 * What to do about a mail that the server did not take, in a sentence for people. It goes by the enhanced status code
 * (RFC 3463), else by the reply code (RFC 5321, section 4.2), else by what kept us from reaching the server at all.
 */
import { mailAdvice } from '@vestibule/contract/settings/mail-advice';
import { createMessage, type Message, type MessageDefinition } from '@vestibule/contract/texts/text';

/** By enhanced status code without its class, the longer ones first: `1.1` stands for 5.1.1 and 4.1.1. */
const byEnhancedCode: [prefix: string, advice: MessageDefinition][] = [
  ['1.1', mailAdvice.noMailbox],
  ['1.2', mailAdvice.noMailDomain],
  ['1.3', mailAdvice.wrongAddress],
  ['1.7', mailAdvice.senderRefused],
  ['1.8', mailAdvice.senderRefused],
  ['1.10', mailAdvice.noMailDomain],
  ['1.', mailAdvice.wrongAddress],
  ['2.1', mailAdvice.mailboxOff],
  ['2.2', mailAdvice.mailboxFull],
  ['2.3', mailAdvice.tooLargeForMailbox],
  ['2.', mailAdvice.mailboxRefuses],
  ['3.4', mailAdvice.tooLarge],
  ['4.', mailAdvice.noRoute],
  ['7.8', mailAdvice.logInRefused],
  ['7.9', mailAdvice.logInRefused],
  ['7.', mailAdvice.refusedByPolicy],
];

const byReplyCode: Record<string, MessageDefinition> = {
  421: mailAdvice.busy,
  450: mailAdvice.mailboxBusy,
  451: mailAdvice.later,
  452: mailAdvice.serverFull,
  530: mailAdvice.logInWanted,
  535: mailAdvice.logInRefused,
  550: mailAdvice.refusesAddress,
  551: mailAdvice.mailboxMoved,
  552: mailAdvice.mailboxFull,
  553: mailAdvice.wrongAddress,
  554: mailAdvice.refusedAsSpam,
};

const byWords: [words: RegExp, advice: MessageDefinition][] = [
  [
    /ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|timeout|timed out|ECONNECTION|socket/i,
    mailAdvice.unreachable,
  ],
  [/ENOTFOUND|EAI_AGAIN|EDNS|getaddrinfo/i, mailAdvice.unknownHost],
  [/STARTTLS/, mailAdvice.noEncryption],
  [/certificate|self.signed|TLS|SSL/i, mailAdvice.certificate],
];

/** `answer` is what the mail server said, or the error that kept us from hearing it. */
export function adviseOnMail(answer: string): Message {
  const [, replyCode = '', enhanced = ''] =
    /(?:^|\s)([245]\d\d)(?:[ -]+[245]\.(\d{1,3}\.\d{1,3}))?(?=[\s-]|$)/.exec(answer) ?? [];
  const [, found] =
    byEnhancedCode.find(([prefix]) =>
      prefix.endsWith('.') ? enhanced.startsWith(prefix) : enhanced === prefix,
    ) ??
    (replyCode === '' ? byWords.find(([words]) => words.test(answer)) : undefined) ??
    [];
  const byDefault = replyCode.startsWith('5') ? mailAdvice.refused : mailAdvice.notTaken;
  return createMessage(found ?? byReplyCode[replyCode] ?? byDefault);
}
