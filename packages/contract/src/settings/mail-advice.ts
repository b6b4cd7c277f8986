/** What to do about a mail that was not sent. */
import { defineTexts } from '../texts/text.ts';

export const mailAdvice = defineTexts('mail_advice', {
  noMailbox: 'There is no such mailbox. Check the spelling and change the address of the invitation.',
  noMailDomain: 'The domain does not accept mail. Check what comes after the @ and change the address.',
  wrongAddress: 'The mail server rejects the address. Check the spelling and change the address.',
  senderRefused: 'The mail server rejects our sender address. Correct it in the settings.',
  mailboxOff: 'The mailbox is disabled. Ask the person for another address.',
  mailboxFull: 'The mailbox is full. Ask the person to make room, then send the invitation again.',
  tooLargeForMailbox:
    'The mail is too large for the mailbox. Shorten the message, or share the link another way.',
  mailboxRefuses:
    'The mailbox cannot receive mail. Ask the person for another address, or share the link another way.',
  tooLarge: 'The mail is too large for the mail server. Shorten the message.',
  noRoute:
    'The mail server could not reach the server of this address. Check what comes after the @, then send again.',
  logInRefused: 'The mail server rejects the login. Correct user and password in SMTP_URL.',
  logInWanted: 'The mail server requires a login. Add user and password to SMTP_URL.',
  refusedByPolicy:
    "The mail server blocks our mail by policy, often as spam. Ask whoever manages mail for the sender's domain to allow it (SPF, DKIM, DMARC), or share the link another way.",
  busy: 'The mail server is busy. No action needed: the mail is retried automatically.',
  mailboxBusy:
    'The mailbox is unavailable at the moment. No action needed: the mail is retried automatically.',
  later: 'The mail server asks to try later. No action needed: the mail is retried automatically.',
  serverFull: 'The mail server is out of storage. No action needed: the mail is retried automatically.',
  refusesAddress:
    'The mail server does not accept mail for this address. Check the spelling and change the address, or share the link another way.',
  mailboxMoved: 'The mailbox has moved. Ask the person for the new address.',
  refusedAsSpam:
    'The mail server rejects the mail, often as spam. Ask whoever runs the mail server, or share the link another way.',
  unreachable:
    'The mail server cannot be reached. The mail is retried automatically; if this goes on, check SMTP_URL and whether the server runs.',
  unknownHost: 'The name of the mail server is not found. Correct the host in SMTP_URL.',
  noEncryption:
    'The mail server offers no encryption, so nothing was sent. Use smtps:// in SMTP_URL, or the port where the server offers STARTTLS. Only on a network that nobody else can read: SMTP_ALLOW_PLAIN_TEXT=yes.',
  certificate:
    "The mail server's certificate is not accepted. Renew it, or name the server in SMTP_URL as its certificate does.",
  refused: 'The mail server rejects the mail for good. Read its answer, or share the link another way.',
  notTaken:
    'The mail server did not accept the mail. It is retried automatically; if this goes on, ask whoever runs the mail server.',
});

/** The same for whoever asked for a test mail, which is sent once. */
export const testMailAdvice = defineTexts('test_mail', {
  sent: 'If it is not in your inbox within a minute, check the spam folder.',
  off: 'Hand invitations over by link, or ask whoever runs the server to name a mail server in SMTP_URL.',
  noConnection:
    'No mail server accepts connections there. Check host and port in SMTP_URL, and whether a firewall is in between.',
  noEncryption:
    'The connection could not be encrypted. Use smtps:// for port 465 and smtp:// for port 587 in SMTP_URL, with the name in the certificate.',
  silent:
    'The mail server does not answer. Check host and port in SMTP_URL, and whether a firewall is in between; then try again.',
  senderRefused:
    "The mail server does not accept mail from this sender. Choose a sender's address that it may send for.",
  wrongAddress: 'Your address does not exist there, or does not accept mail. Check its spelling.',
  mailboxFull: 'Your mailbox is full. Make room and try again.',
  later: 'The mail server asks to wait. Try again in a few minutes.',
  refused: 'The mail server rejects the mail for good. Whoever runs it can explain its answer.',
  unknown:
    "Look at the mail server's log for this time, and compare SMTP_URL with its provider's instructions.",
});
