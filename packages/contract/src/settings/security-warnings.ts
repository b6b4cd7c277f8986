import * as z from 'zod/mini';
import { defineRoute } from '../route.ts';
import { defineTexts, Message } from '../texts/text.ts';

export const securityWarnings = defineTexts('weakness', {
  logOwner:
    "The database role owns the activity log: anyone who gains control of it can turn off the log's protection. Set this role in DATABASE_OWNER_URL, and in DATABASE_URL a second one that owns nothing.",
  anyProxy:
    'TRUST_PROXY contains every address: any client can forge the network address that rate limits, sessions and the activity log use. Name only the addresses of your proxies.',
  plainDatabase:
    'The connection to the database is not encrypted. If others can read that network, add ?sslmode=verify-full to DATABASE_URL.',
  plainMail:
    'E-mails, including their links, and the password for sending them go to the mail server unencrypted. Use smtps:// in SMTP_URL, or remove SMTP_ALLOW_PLAIN_TEXT.',
  plainScanner:
    'Files go to the virus scanner unencrypted, because it does not support encryption. Run it on this machine, or connect through a tunnel.',
  plainStorage:
    'Files go to their storage unencrypted, over http. Set an endpoint with https:// in ATTACHMENT_STORAGE.',
  exampleAddress:
    'The support address or the sender address uses a placeholder domain, such as example.com: e-mail to it is not read, and e-mail from it is refused or lands in spam. Change it in the settings, or with SUPPORT_EMAIL and MAIL_FROM.',
  previousSecret:
    'The previous SECRET still works. Once every process has been started with the new one, remove SECRET_PREVIOUS and restart the processes one after another. The previous one then stops working.',
  demonstration:
    'Development parts are running where others can reach them: anyone can sign in, or e-mails are not delivered. Configure real ones, and remove ALLOW_DEVELOPMENT_PARTS.',
});

export const listSecurityWarnings = defineRoute('GET /api/settings/weaknesses', {
  access: 'admin',
  summary: 'Security warnings about this installation, with solutions.',
  response: z.object({ weaknesses: z.array(Message) }),
});
