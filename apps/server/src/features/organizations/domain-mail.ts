/** Mail to the managers of an organization when the DNS record of a domain is missing (R7). */
import { rowsOf, type Queryable } from '../../platform/database/database.ts';
import type { MailJob, MailQueue, MailTemplate } from '../../platform/mail/mail-queue.ts';
import { languageOf, mailFromRow, type MailDeps } from '../mail/mail-from-row.ts';
import { writeDomainMail } from '../mail/templates/administration-mails.ts';
import { recordNameOf, type DomainRow } from './domain-store.ts';

const domainMailName = 'domain-record-missing';

/** Queues a mail to each manager of an organization; the id of the manager is added to the subject id. */
export async function queueToManagers(
  transaction: Queryable,
  mail: MailQueue,
  organizationId: string,
  { template, subjectId }: MailJob,
): Promise<void> {
  const managers = await rowsOf<{ id: string }>(transaction)`
    select id from memberships join people on people.id = person_id
    where organization_id = ${organizationId} and role_id = 'manager' and people.status = 'active'`;
  await mail.queue(
    transaction,
    managers.map(({ id }) => ({ template, subjectId: `${subjectId} ${id}` })),
  );
}

export const queueDomainMails = (
  transaction: Queryable,
  mail: MailQueue,
  { organization_id: id, domain }: Pick<DomainRow, 'organization_id' | 'domain'>,
) => queueToManagers(transaction, mail, id, { template: domainMailName, subjectId: `${id} ${domain}` });

type Row = { domain: string; state: 'failing' | 'pending'; name: string; slug: string };

export const domainMails = (deps: MailDeps): Record<string, MailTemplate> => ({
  [domainMailName]: mailFromRow<Row>(
    deps,
    // Excludes domains that were verified meanwhile, and people who are no longer managers.
    `select domain, state, organizations.name, slug, display_name, email, ${languageOf('people.id')} as language
     from organization_domains join organizations on organizations.id = organization_domains.organization_id
       join memberships on memberships.organization_id = organizations.id and memberships.role_id = 'manager'
       join people on people.id = person_id and people.status = 'active'
     where organization_domains.organization_id = $1 and domain = $2 and people.id = $3 and state <> 'verified'`,
    (language, values, { domain, state, name, slug }) =>
      writeDomainMail(language, {
        ...values,
        domain,
        recordName: recordNameOf(domain),
        organization: { name, slug },
        state,
      }),
  ),
});
