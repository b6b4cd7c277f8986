/** Advice for test mails that could not be sent. */
import { mailAdvice, testMailAdvice } from '@vestibule/contract/settings/mail-advice';
import { createMessage, type Message, type MessageDefinition } from '@vestibule/contract/texts/text';

/** The first match wins. Codes: RFC 5321, section 4.2.3, and those of Node.js. */
const adviceByPattern: [RegExp, MessageDefinition][] = [
  [/STARTTLS/, mailAdvice.noEncryption],
  [/EAUTH|^53[0458]\b|\bauthenticat/i, mailAdvice.logInRefused],
  [/ENOTFOUND|EAI_AGAIN|EDNS|getaddrinfo/, mailAdvice.unknownHost],
  [/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/, testMailAdvice.noConnection],
  [/certificate|self.signed|ERR_TLS|SSL|ETLS|wrong version number/i, testMailAdvice.noEncryption],
  [/timed? ?out|ECONNRESET|socket close|greeting never received/i, testMailAdvice.silent],
  [/\b(?:sender|mail from|relay|not allowed|spf|dmarc|dkim)\b/i, testMailAdvice.senderRefused],
  [/^55[0134]\b|\b5\.1\.\d/, testMailAdvice.wrongAddress],
  [/^[45]52\b|\b[45]\.2\.2/, testMailAdvice.mailboxFull],
  [/^4\d\d\b/, testMailAdvice.later],
  [/^5\d\d\b/, testMailAdvice.refused],
];

export function adviseOnTestMail(reply: string): Message {
  return createMessage(
    adviceByPattern.find(([pattern]) => pattern.test(reply))?.[1] ?? testMailAdvice.unknown,
  );
}
