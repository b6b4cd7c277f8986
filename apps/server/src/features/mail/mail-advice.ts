/**
 * What to do about a mail that the server did not take, in a sentence for people. It goes by the enhanced status code
 * (RFC 3463), else by the reply code (RFC 5321, section 4.2), else by what kept us from reaching the server at all.
 */

/** By enhanced status code without its class, the longer ones first: `1.1` stands for 5.1.1 and 4.1.1. */
const byEnhancedCode: [prefix: string, advice: string][] = [
  ['1.1', 'There is no such mailbox. Check the spelling and change the address of the invitation.'],
  ['1.2', 'The domain of the address takes no mail. Check what stands after the @ and change the address.'],
  ['1.3', 'The mail server finds the address wrong. Check the spelling and change the address.'],
  ['1.7', 'The mail server does not accept our sender. Correct the sender address in the settings.'],
  ['1.8', 'The mail server does not accept our sender. Correct the sender address in the settings.'],
  ['1.10', 'The domain of the address takes no mail. Check what stands after the @ and change the address.'],
  ['1.', 'The mail server finds the address wrong. Check the spelling and change the address.'],
  ['2.1', 'The mailbox is switched off. Ask the person for another address.'],
  ['2.2', 'The mailbox is full. Ask the person to make room, then send the invitation again.'],
  ['2.3', 'The mailbox does not take mails of this size. Shorten the message, or hand over the link.'],
  ['2.', 'The mailbox cannot take mails. Ask the person for another address, or hand over the link.'],
  ['3.4', 'The mail is too large for the mail server. Shorten the message.'],
  [
    '4.',
    'The mail server could not reach the server of this address. Check what stands after the @, then send again.',
  ],
  ['7.8', 'The mail server does not accept our log-in. Correct user and password in SMTP_URL.'],
  ['7.9', 'The mail server does not accept our log-in. Correct user and password in SMTP_URL.'],
  [
    '7.',
    "The mail server refuses our mails by its rules, often as unwanted mail. Ask whoever runs mail for the sender's domain to allow them (SPF, DKIM, DMARC), or hand over the link.",
  ],
];

const byReplyCode: Record<string, string> = {
  421: 'The mail server is busy. Nothing to do: it is tried again by itself.',
  450: 'The mailbox cannot be used at the moment. Nothing to do: it is tried again by itself.',
  451: 'The mail server asks to try later. Nothing to do: it is tried again by itself.',
  452: 'The mail server is out of room. Nothing to do: it is tried again by itself.',
  530: 'The mail server wants a log-in. Put user and password into SMTP_URL.',
  535: 'The mail server does not accept our log-in. Correct user and password in SMTP_URL.',
  550: 'The mail server does not take mails for this address. Check the spelling and change the address, or hand over the link.',
  551: 'The mailbox has moved. Ask the person for the new address.',
  552: 'The mailbox is full. Ask the person to make room, then send the invitation again.',
  553: 'The mail server finds the address wrong. Check the spelling and change the address.',
  554: 'The mail server refuses the mail, often as unwanted mail. Ask whoever runs the mail server, or hand over the link.',
};

const byWords: [words: RegExp, advice: string][] = [
  [
    /ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|timeout|timed out|ECONNECTION|socket/i,
    'The mail server cannot be reached. It is tried again by itself; if it stays, check SMTP_URL and whether the server runs.',
  ],
  [/ENOTFOUND|EAI_AGAIN|EDNS|getaddrinfo/i, 'The name of the mail server is not found. Correct SMTP_URL.'],
  [
    /STARTTLS/,
    'The mail server offers no encryption, so nothing was sent. Use smtps:// in SMTP_URL, or the port where the server offers STARTTLS. Only in a network that nobody else reads: SMTP_ALLOW_PLAIN_TEXT=yes.',
  ],
  [
    /certificate|self.signed|TLS|SSL/i,
    "The mail server's certificate is not accepted. Renew it, or name the server in SMTP_URL as its certificate does.",
  ],
];

/** `answer` is what the mail server said, or the error that kept us from hearing it. */
export function adviseOnMail(answer: string): string {
  const [, replyCode = '', enhanced = ''] =
    /(?:^|\s)([245]\d\d)(?:[ -]+[245]\.(\d{1,3}\.\d{1,3}))?(?=[\s-]|$)/.exec(answer) ?? [];
  const found =
    byEnhancedCode.find(([prefix]) =>
      prefix.endsWith('.') ? enhanced.startsWith(prefix) : enhanced === prefix,
    ) ?? (replyCode === '' ? byWords.find(([words]) => words.test(answer)) : undefined);
  if (found) return found[1];
  return (
    byReplyCode[replyCode] ??
    (replyCode.startsWith('5')
      ? 'The mail server refuses the mail for good. Read its words, or hand over the link.'
      : 'The mail server did not take the mail. It is tried again by itself; if it stays, ask whoever runs the mail server.')
  );
}
