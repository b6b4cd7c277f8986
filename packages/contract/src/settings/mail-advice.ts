import { defineTexts } from '../texts/text.ts';

export const mailAdvice = defineTexts('mail_advice', {
  noMailbox: 'This mailbox does not exist. Check the spelling and change the address of the invitation.',
  noMailDomain: 'The domain does not accept mail. Check the part after the @ and change the address.',
  wrongAddress: 'The mail server rejects the address. Check the spelling and change the address.',
  senderRefused: 'The mail server rejects our sender address. Correct it in the settings.',
  mailboxFull: 'The mailbox is full. Ask the person to free up space, then resend the invitation.',
  mailboxRefuses:
    'The mailbox cannot receive mail. Ask the person for another address, or share the link another way.',
  logInRefused: 'The mail server rejects the login. Correct the user and password in SMTP_URL.',
  refusedByPolicy:
    "The mail server blocks our mail by policy, often as spam. Ask the administrator of the sender's domain to allow it (SPF, DKIM, DMARC), or share the link another way.",
  later: 'The mail server did not accept the mail yet. No action needed: the mail is retried automatically.',
  refusesAddress:
    'The mail server does not accept mail for this address. Check the spelling and change the address, or share the link another way.',
  unreachable:
    'The mail server cannot be reached. If the problem persists, check the host and port in SMTP_URL, and whether a firewall is in between.',
  unknownHost: 'The name of the mail server was not found. Correct the host in SMTP_URL.',
  noEncryption:
    'The mail server offers no encryption this way, so nothing was sent. In SMTP_URL, use smtp:// for a port with STARTTLS (usually 587), and smtps:// for port 465. Set SMTP_ALLOW_PLAIN_TEXT=yes only on a network that others cannot read.',
  certificate:
    "The mail server's certificate is not accepted. Renew it, name the server in SMTP_URL as its certificate does, or trust its authority with NODE_EXTRA_CA_CERTS.",
  refused: 'The mail server rejects the mail permanently. Read its response, or share the link another way.',
});

export const testMailAdvice = defineTexts('test_mail', {
  sent: 'If it is not in your inbox within a minute, check the spam folder.',
  off: "Share invitations by link, or ask the server's operator to set a mail server in SMTP_URL.",
  later: 'The mail server asks to wait. Try again in a few minutes.',
});
