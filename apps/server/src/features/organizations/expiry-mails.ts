/** Mail to the managers of an organization two weeks before it expires. */
import { rawSql, scalarsOf, type CoreDeps } from '../../platform/database/database.ts';
import type { MailQueue, MailTemplate } from '../../platform/mail/mail-queue.ts';
import { dayMs } from '../../platform/time-units.ts';
import { languageOf, mailFromRow, type MailDeps } from '../mail/mail-from-row.ts';
import { writeOrganizationExpiryMail } from '../mail/templates/administration-mails.ts';
import { activeManagersSql } from './membership-store.ts';

const template = 'organization-expiry';
const noticeMs = 14 * dayMs;

/** Queues one mail for each manager and expiry date. Suspended and expired organizations cause none. */
export const queueExpiryMails = ({
  database,
  mail,
  now,
}: Pick<CoreDeps, 'database' | 'now'> & { mail: MailQueue }): Promise<void> =>
  database.transaction(async (transaction) => {
    const at = now();
    const subjectIds = await scalarsOf<string>(transaction)`
      with due as (
        update organizations set expiry_mailed_for = expires_at
        where status = 'active' and expires_at > ${new Date(at)} and expires_at <= ${new Date(at + noticeMs)}
          and expiry_mailed_for is distinct from expires_at
        returning id)
      select organization_id || ' ' || person_id ${rawSql(activeManagersSql)}
        and organization_id in (select id from due)`;
    await mail.queue(
      transaction,
      subjectIds.map((subjectId) => ({ template, subjectId })),
    );
  });

export const expiryMails = (deps: MailDeps): Record<string, MailTemplate> => ({
  [template]: mailFromRow<{ name: string; slug: string; expires_at: Date }>(
    deps,
    // Excludes organizations whose expiry has changed meanwhile, and people who are no longer managers.
    `select organizations.name, slug, expires_at, display_name, email, ${languageOf('people.id')} as language
     from organizations join memberships on organization_id = organizations.id and role_id = 'manager'
       join people on people.id = person_id and people.status = 'active'
     where organizations.id = $1 and people.id = $2 and organizations.status = 'active' and expires_at = expiry_mailed_for`,
    (language, values, { name, slug, expires_at: expiresAt }) =>
      writeOrganizationExpiryMail(language, { ...values, organization: { name, slug }, expiresAt }),
  ),
});
