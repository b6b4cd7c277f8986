/** What weakens the safety of an installation, as the server finds it: for administrators, with what mends it. */
import * as z from 'zod/mini';
import { defineRoute } from '../route.ts';
import { defineTexts, Text } from '../texts/text.ts';

export const weaknesses = defineTexts('weakness', {
  logOwner:
    "The database's role owns the activity log: whoever gets hold of it can switch off what protects the log. Name this role in DATABASE_OWNER_URL, and in DATABASE_URL a second one that owns nothing.",
  plainDatabase:
    'The connection to the database is not encrypted. Unless nobody else reads that network, add ?sslmode=verify-full to DATABASE_URL.',
  plainMail:
    'Mails, with their links, and the password for sending them go unencrypted to the mail server. Use smtps:// in SMTP_URL, or remove SMTP_ALLOW_PLAIN_TEXT.',
  plainScanner:
    'Files go to the virus scanner unencrypted, since it knows no encryption. Let it run on this machine, or reach it through a tunnel.',
  plainStorage:
    'Files go to their storage unencrypted, by http. Name an endpoint with https:// in ATTACHMENT_STORAGE.',
  exampleAddress:
    "The support address or the sender's address is at a domain that is nobody's, such as example.com: nobody reads there, and mails from there are refused or land in spam. Change it in the settings, or by SUPPORT_EMAIL and MAIL_FROM.",
  previousSecret:
    'The SECRET before this one still opens the site. When every process has been started with the new one, remove SECRET_PREVIOUS and start them again, one after another: from then on the one before opens nothing.',
  proxyLimit:
    'A proxy in front of this site refuses {size} of an upload at once (413): its limit for the body of a request is below that. Uploads go in smaller pieces, which takes longer, or do not go at all. Let it take 33 MB (nginx: client_max_body_size 33m), as docs/run-it.md says under Proxies.',
  demonstration:
    'Parts that are for development run where others can reach them: the sign-in service lets anybody in, or mails reach nobody. Name real ones, and remove ALLOW_DEVELOPMENT_PARTS.',
});

export const listWeaknesses = defineRoute({
  method: 'GET',
  path: '/api/settings/weaknesses',
  access: 'admin',
  summary: 'What weakens the safety of this installation, and what mends it.',
  answer: z.object({ weaknesses: z.array(Text) }),
});
