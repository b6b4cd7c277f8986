/** Mail to the owner of an access token before it expires. It is queued with the token, and obsolete if the token is revoked meanwhile. */
import type { MailJob, MailTemplate } from '../../platform/mail/mail-queue.ts';
import { languageOf, mailFromRow, type MailDeps } from '../mail/mail-from-row.ts';
import { writeTokenExpiryMail } from '../mail/templates/administration-mails.ts';

const template = 'token-expiry';
const warningDays = 14;

/** Returns the mail about a token that works for this number of days; none for one that expires sooner than it is due. */
export const expiryMail = (tokenId: string, days: number): MailJob[] =>
  days > warningDays
    ? [{ template, subjectId: tokenId, afterSeconds: (days - warningDays) * 24 * 3_600 }]
    : [];

/** SQL condition: whether the owner `p` of token `t` has the access that the token needs. */
export const ownerHasAccess = `p.status = 'active' and case when t.organization_id is null then p.role = 'admin'
  else exists (select from memberships m where m.person_id = p.id and m.organization_id = t.organization_id) end`;

export const tokenMails = (deps: MailDeps): Record<string, MailTemplate> => ({
  [template]: mailFromRow<{ name: string; expires_at: Date; slug: string | null }>(
    deps,
    `select t.name, t.expires_at, (select slug from organizations where id = t.organization_id) as slug,
       p.display_name, p.email, ${languageOf('p.id')} as language
     from personal_tokens t join people p on p.id = t.person_id
     where t.id = $1 and t.revoked_at is null and ${ownerHasAccess}`,
    (language, values, { name, expires_at: expiresAt, slug }) =>
      writeTokenExpiryMail(language, { ...values, name, expiresAt, slug }),
  ),
});
