/** Disables a webhook whose receiver fails permanently, and notifies all administrators by mail, or all managers of its organization. */
import { serverOrigin } from '../../platform/audit/audit-log.ts';
import { rawSql, rowsOf, scalarsOf, type Database } from '../../platform/database/database.ts';
import type { MailQueue, MailTemplate } from '../../platform/mail/mail-queue.ts';
import { languageOf, mailFromRow, type MailDeps } from '../mail/mail-from-row.ts';
import { writeWebhookDisabledMail } from '../mail/templates/administration-mails.ts';
import { webhookAudit } from './webhook-store.ts';

const template = 'webhook-off';

/** SQL condition: a person of `people` is responsible for the webhooks of an organization, or of the site if it is null. */
const isRecipient = (
  organizationId: string,
) => `status = 'active' and case when ${organizationId} is null then role = 'admin'
  else exists (select from memberships where organization_id = ${organizationId} and person_id = people.id and role_id = 'manager') end`;

export const disableWebhook = (
  { database, mail }: { database: Database; mail: MailQueue },
  webhookId: string,
  reason: 'failing' | 'gone',
): Promise<void> =>
  database.transaction(async (transaction) => {
    const rows = await rowsOf<{
      url: string;
      organization_id: string | null;
      organization: { id: string; name: string } | null;
    }>(transaction)`
      update webhooks set is_on = false, off_because = ${reason} where id = ${webhookId} and is_on
      returning url, organization_id,
        (select json_build_object('id', id, 'name', name) from organizations where id = organization_id) as organization`;
    const [row] = rows;
    if (!row) return;
    const target = { id: webhookId, host: new URL(row.url).host };
    const context = { caller: null, origin: serverOrigin('webhooks'), organization: row.organization };
    await webhookAudit.record(transaction, target, 'webhook.switched_off', context, { why: reason });
    const isOneOf = (organizationId: string) => isRecipient(`${organizationId}::uuid`);
    const recipients = await scalarsOf<string>(transaction)`
      select id from people where ${rawSql(isOneOf, row.organization_id)}`;
    await mail.queue(
      transaction,
      recipients.map((id) => ({ template, subjectId: `${webhookId} ${id}` })),
    );
  });

type Row = {
  url: string;
  off_because: 'failing' | 'gone';
  organization: { name: string; slug: string } | null;
};

export const webhookMails = (deps: MailDeps): Record<string, MailTemplate> => ({
  [template]: mailFromRow<Row>(
    deps,
    `select url, off_because, display_name, email, ${languageOf('people.id')} as language,
       (select json_build_object('name', name, 'slug', slug) from organizations where id = organization_id) as organization
     from webhooks, people
     where webhooks.id = $1 and people.id = $2 and off_because is not null and ${isRecipient('webhooks.organization_id')}`,
    (language, values, { url, off_because: reason, organization }) =>
      writeWebhookDisabledMail(language, { ...values, host: new URL(url).host, reason, organization }),
  ),
});
