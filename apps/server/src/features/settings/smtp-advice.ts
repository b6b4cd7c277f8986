/** What to do about a test mail that could not be sent: which setting mends what the mail server or the network said. */

/** The first that matches counts. Codes: RFC 5321, section 4.2.3, and those of Node.js. */
const advices: [RegExp, string][] = [
  [
    /STARTTLS/,
    'The mail server offers no encryption, so nothing was sent. Whoever runs the server uses smtps:// in SMTP_URL, or the port where the mail server offers STARTTLS. Only in a network that nobody else reads: SMTP_ALLOW_PLAIN_TEXT=yes.',
  ],
  [
    /EAUTH|^53[0458]\b|\bauthenticat/i,
    'The mail server refuses the log-in. Whoever runs the server corrects user and password in SMTP_URL.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|EDNS|getaddrinfo/,
    'There is no mail server of that name. Whoever runs the server corrects the host in SMTP_URL.',
  ],
  [
    /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/,
    'No mail server takes connections there. Whoever runs the server checks host and port in SMTP_URL, and whether a firewall is in between.',
  ],
  [
    /certificate|self.signed|ERR_TLS|SSL|ETLS|wrong version number/i,
    'The connection could not be encrypted. Use smtps:// for port 465 and smtp:// for port 587 in SMTP_URL, with the name that stands in the certificate.',
  ],
  [
    /timed? ?out|ECONNRESET|socket close|greeting never received/i,
    'The mail server does not answer. Check host and port in SMTP_URL, and whether a firewall is in between; then try again.',
  ],
  [
    /\b(?:sender|mail from|relay|not allowed|spf|dmarc|dkim)\b/i,
    "The mail server takes no mails from this sender. Choose a sender's address that it may send for.",
  ],
  [/^55[0134]\b|\b5\.1\.\d/, 'Your address does not exist there, or takes no mail. Check its spelling.'],
  [/^[45]52\b|\b[45]\.2\.2/, 'Your mailbox is full. Make room and try again.'],
  [/^4\d\d\b/, 'The mail server asks to wait. Try again in a few minutes.'],
  [/^5\d\d\b/, 'The mail server refuses the mail for good. Whoever runs it knows more about its words.'],
];

/** A sentence for the administrator who asked for the test mail. */
export function adviseOnTestMail(said: string): string {
  return (
    advices.find(([pattern]) => pattern.test(said))?.[1] ??
    'Look into the log of the mail server for this time, and compare SMTP_URL with what its provider names.'
  );
}
