import { defineTexts } from '../texts/text.ts';

export const mailAdvice = defineTexts('mail_advice', {
  noMailbox: 'This mailbox does not exist. Check the spelling and change the address of the invitation.',
  noMailDomain: 'The domain does not accept mail. Check the part after the @ and change the address.',
  wrongAddress: 'The mail server rejects the address. Check the spelling and change the address.',
  senderRefused: 'The mail server rejects our sender address. Correct it in the settings.',
  mailboxOff: 'The mailbox is disabled. Ask the person for another address.',
  mailboxFull: 'The mailbox is full. Ask the person to free up space, then resend the invitation.',
  tooLargeForMailbox:
    'The mail is too large for the mailbox. Shorten the message, or share the link another way.',
  mailboxRefuses:
    'The mailbox cannot receive mail. Ask the person for another address, or share the link another way.',
  tooLarge: 'The mail is too large for the mail server. Shorten the message.',
  noRoute:
    'The mail server could not reach the server of this address. Check the part after the @, then resend.',
  logInRefused: 'The mail server rejects the login. Correct the user and password in SMTP_URL.',
  logInWanted: 'The mail server requires a login. Add a user and password to SMTP_URL.',
  refusedByPolicy:
    "The mail server blocks our mail by policy, often as spam. Ask the administrator of the sender's domain to allow it (SPF, DKIM, DMARC), or share the link another way.",
  busy: 'The mail server is busy. No action needed: the mail is retried automatically.',
  mailboxBusy: 'The mailbox is unavailable right now. No action needed: the mail is retried automatically.',
  later: 'The mail server asks to try later. No action needed: the mail is retried automatically.',
  serverFull: 'The mail server is out of storage. No action needed: the mail is retried automatically.',
  refusesAddress:
    'The mail server does not accept mail for this address. Check the spelling and change the address, or share the link another way.',
  mailboxMoved: 'The mailbox has moved. Ask the person for the new address.',
  refusedAsSpam:
    "The mail server rejects the mail, often as spam. Ask the mail server's operator, or share the link another way.",
  unreachable:
    'The mail server cannot be reached. The mail is retried automatically. If the problem persists, check SMTP_URL and whether the mail server is running.',
  unknownHost: 'The name of the mail server was not found. Correct the host in SMTP_URL.',
  noEncryption:
    'The mail server offers no encryption, so nothing was sent. Use smtps:// in SMTP_URL, or the port where the server offers STARTTLS. Set SMTP_ALLOW_PLAIN_TEXT=yes only on a network that others cannot read.',
  certificate:
    "The mail server's certificate is not accepted. Renew it, or name the server in SMTP_URL as its certificate does.",
  refused: 'The mail server rejects the mail permanently. Read its response, or share the link another way.',
  notTaken:
    "The mail server did not accept the mail. It is retried automatically. If the problem persists, ask the mail server's operator.",
});

/** Advice on test mails, which are not retried. */
export const testMailAdvice = defineTexts('test_mail', {
  sent: 'If it is not in your inbox within a minute, check the spam folder.',
  off: "Share invitations by link, or ask the server's operator to set a mail server in SMTP_URL.",
  noConnection:
    'No mail server accepts connections there. Check the host and port in SMTP_URL, and whether a firewall is in between.',
  noEncryption:
    'The connection could not be encrypted. Use smtps:// for port 465 and smtp:// for port 587 in SMTP_URL, with the name in the certificate.',
  silent:
    'The mail server does not respond. Check the host and port in SMTP_URL, and whether a firewall is in between. Then try again.',
  senderRefused:
    "The mail server does not accept mail from this sender. Choose a sender's address that it may send for.",
  wrongAddress: 'Your address does not exist there, or does not accept mail. Check its spelling.',
  mailboxFull: 'Your mailbox is full. Free up space and try again.',
  later: 'The mail server asks to wait. Try again in a few minutes.',
  refused: 'The mail server rejects the mail permanently. Its operator can explain the response.',
  unknown:
    "Check the mail server's log for this time, and compare SMTP_URL with the provider's instructions.",
});
