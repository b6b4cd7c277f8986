/** Mails of extensions: to a person, an address, or the members of an organization who have a permission. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import { createHash } from 'node:crypto';
import { rawSql, rowOf, rowsOf, type DatabaseDeps } from '../../platform/database/database.ts';
import type {
  Extension,
  ExtensionContext,
  ExtensionMail,
  LoadedExtension,
  PermissionHolders,
} from '../../platform/extensions/extension.ts';
import {
  createPermissions,
  isSuspendedSql,
  type Permissions,
} from '../../platform/http/organization-access.ts';
import type { CurrentMailJob, MailQueue, MailTemplate } from '../../platform/mail/mail-queue.ts';
import { languageOf } from '../mail/mail-from-row.ts';
import { composeMessage, type MailValues } from '../mail/templates/layout.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

type Deps = DatabaseDeps & { mail: MailQueue; settings: SettingsStore; publicUrl: string };

export type DefinedExtension = LoadedExtension & { definition: Extension };

type Recipient = { name: string; address: string; language: MailLanguage | null };

/** People who get one mail. */
const maxRecipients = 100;

export function extensionMails(
  deps: Deps,
  { name: extension, definition }: DefinedExtension,
  context: ExtensionContext,
): Record<string, MailTemplate> {
  const permissions = createPermissions(definition.permissions ?? []);
  return Object.fromEntries(
    Object.entries(definition.mails ?? {}).map(([own, write]) => {
      const name = `${extension}/${own}`;
      const template: MailTemplate = {
        async write(subjectId, job) {
          try {
            const mail = await write(subjectId, context);
            const recipient = mail && (await findRecipient({ name, subjectId, to: mail.to, job }));
            return recipient && (await compose(deps, mail, recipient));
          } catch (error) {
            context.logger.error({ err: error, subjectId }, `the mail ${name} was not written`);
            throw error;
          }
        },
      };
      return [name, template];
    }),
  );

  /** Returns null for a mail that this job does not send: the person was disabled or removed, or each recipient has a job. */
  async function findRecipient({ to, job, ...mail }: Written): Promise<Recipient | null> {
    if ('permission' in to) {
      if (!permissions.all.some(({ name }) => name === to.permission))
        throw new Error(
          `The mail ${mail.name} names the permission ${to.permission}, which neither the extension nor Vestibule defines.`,
        );
      if (job?.recipientId === undefined) await queueForEach({ to, job, ...mail });
      else return (await findHolders(deps, permissions, to, job.recipientId))[0] ?? null;
      return null;
    }
    // This job is for one of several members with a permission, but the mail now has another recipient.
    if (job?.recipientId !== undefined) return null;
    if (!('personId' in to)) return { ...to, language: null };
    return rowOf<Recipient>(deps.database)`
      select display_name as name, email as address, ${rawSql(languageOf('people.id'))} as language from people
        where id = ${to.personId} and status = 'active'`;
  }

  /** Queues a job per recipient. A retried job queues those of its first attempt again, which the queue ignores. */
  async function queueForEach({ name, subjectId, to, job }: Written<PermissionHolders>): Promise<void> {
    if (!job) throw new Error(`The mail ${name} can be written only by its job.`);
    const holders = await findHolders(deps, permissions, to);
    const detail = { subjectId, organizationId: to.organizationId, permission: to.permission };
    if (holders.length === 0) context.logger.info(detail, `the mail ${name} has no recipients`);
    if (holders.length > maxRecipients)
      context.logger.warn(detail, `the mail ${name} is sent to ${maxRecipients} recipients only`);
    await deps.mail.queue(
      deps.database,
      holders.slice(0, maxRecipients).map(({ id }) => ({
        id: deriveJobId(job.id, id),
        template: name,
        subjectId,
        recipientId: id,
      })),
    );
  }
}

type Written<To = ExtensionMail['to']> = {
  name: string;
  subjectId: string;
  to: To;
  job: CurrentMailJob | undefined;
};

/** Returns the active members whose role has the permission, the first members first; one person of them if `personId` is given. */
async function findHolders(
  { database, now }: DatabaseDeps,
  { permissionsOf }: Permissions,
  { organizationId, permission }: PermissionHolders,
  personId: string | null = null,
): Promise<(Recipient & { id: string })[]> {
  const roles = await rowsOf<{ id: string; permissions: string[] }>(
    database,
    'select id, permissions from organization_roles',
  );
  const sufficient = roles.filter((role) => permissionsOf(role).includes(permission));
  return rowsOf<Recipient & { id: string }>(database)`
    select people.id, display_name as name, email as address, ${rawSql(languageOf('people.id'))} as language
    from memberships join people on people.id = person_id join organizations on organizations.id = organization_id
    where organization_id = ${organizationId} and role_id = any(${sufficient.map(({ id }) => id)})
      and people.status = 'active' and not ${rawSql(isSuspendedSql, new Date(now()))}
      and (${personId}::uuid is null or person_id = ${personId})
    order by memberships.joined_at, person_id limit ${maxRecipients + 1}`;
}

/** Returns a UUID of version 8 (RFC 9562, section 5.8) that depends on both ids only. */
function deriveJobId(jobId: string, personId: string): string {
  const hex = createHash('sha256').update(`${jobId} ${personId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

async function compose(
  { settings, publicUrl }: Deps,
  mail: ExtensionMail,
  { name, address, language }: Recipient,
) {
  const site = await settings.current();
  const write = composeMessage<MailValues>({ en: () => mail.en, de: () => mail.de ?? mail.en });
  const chosen = language ?? site.mailLanguage;
  // English texts get an English greeting.
  return write(mail[chosen] ? chosen : 'en', { to: { name, address }, site: { ...site, publicUrl } });
}
