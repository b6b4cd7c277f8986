/** Connects extensions with mails, jobs, settings, hooks and invitations, and provides the routes of their settings. */
import { invitationErrors } from '@vestibule/contract/invitations';
import { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import { WebhookEvent } from '@vestibule/contract/webhooks';
import type { Logger } from 'pino';
import type { Area } from '../../platform/area.ts';
import type { CoreDeps } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { ExportList } from '../../platform/export/export-list.ts';
import type {
  ExtensionContext,
  LoadedExtension,
  TypeOfRecord,
  Extension,
} from '../../platform/extensions/extension.ts';
import { checkWebhookEvents } from '../../platform/extensions/check-extensions.ts';
import { createHooks, type Hooks } from '../../platform/extensions/hooks.ts';
import { personalDataParts } from '../../platform/extensions/personal-data.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { requireAllowed } from '../invitations/create/check-rows.ts';
import { createInvitations, withDefaults } from '../invitations/create/create-invitations.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import { createCountSending } from '../invitations/scope.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { extensionMails, type DefinedExtension } from './extension-mails.ts';
import { createJobTimers, startJob, type NamedJob } from './extension-jobs.ts';
import { readSettings, settingRoutes } from './extension-settings.ts';

type Deps = CoreDeps & {
  extensions: readonly LoadedExtension[];
  exportList: ExportList;
  logger: Logger;
  mail: MailQueue;
  settings: SettingsStore;
  shortCodes: ShortCodes;
  publicUrl: string;
};

/** Creates the areas of extensions, and what other areas need of them. */
export async function createExtensions(deps: Deps): Promise<{
  areas: Area[];
  hooks: Hooks;
  personalDataParts: { name: string; text: string }[];
  webhookEvents: string[];
  typesOfRecords: TypeOfRecord[];
}> {
  checkWebhookEvents(deps.extensions, WebhookEvent.options);
  const contexts = new Map(deps.extensions.map((extension) => [extension, createContext(deps, extension)]));
  const contextOf = (extension: LoadedExtension) => contexts.get(extension) as ExtensionContext;
  const defined = deps.extensions.filter((one): one is DefinedExtension => one.definition !== undefined);

  const jobs = defined.flatMap((extension) => jobsOf(extension, contextOf(extension)));
  const { timers, failures } = createJobTimers(deps, jobs);
  const area: Area = {
    routes: settingRoutes(deps, deps.extensions),
    mails: Object.assign(
      {},
      ...defined.map((one) => extensionMails(deps, one, contextOf(one))),
    ) as Area['mails'] & {},
    timers,
    measures:
      jobs.length === 0
        ? []
        : [
            {
              name: 'extension_job_failures',
              help: 'Failed runs of jobs of extensions in this process.',
              label: 'job',
              read: () => failures,
            },
          ],
  };
  return {
    areas: [area, ...deps.extensions.map((extension) => extension.createArea(contextOf(extension)))],
    hooks: createHooks(
      defined.map((one) => ({ hooks: one.definition.hooks ?? {}, context: contextOf(one) })),
    ),
    personalDataParts: defined.flatMap(({ definition }) => [
      ...personalDataParts(definition),
      ...recordFileParts(definition),
    ]),
    webhookEvents: defined.flatMap(({ definition }) => definition.webhookEvents ?? []),
    typesOfRecords: defined.flatMap(({ definition }) => typesOfRecords(definition)),
  };
}

function createContext(deps: Deps, extension: LoadedExtension): ExtensionContext {
  const { database, now, newId, exportList, publicUrl, mail, settings } = deps;
  const { name, definition } = extension;
  const countSending = createCountSending(deps);
  const qualified = (kind: 'mails' | 'jobs', own: string) => {
    if (!Object.hasOwn(definition?.[kind] ?? {}, own))
      throw new Error(`The extension ${name} has no ${own} in its ${kind}.`);
    return `${name}/${own}`;
  };
  return {
    database,
    now,
    newId,
    exportList,
    publicUrl,
    logger: deps.logger.child({ extension: name }),
    mails: {
      queue: (transaction, mails) =>
        mail.queue(
          transaction,
          mails.map(({ mail: own, ...job }) => ({ template: qualified('mails', own), ...job })),
        ),
    },
    jobs: {
      start: async (transaction, own) => void (await startJob(transaction, qualified('jobs', own), now())),
    },
    settings: { read: () => readSettings(database, extension) as Promise<never> },
    async invite(transaction, { email, name: invitee = '', message = '', organization, caller, origin }) {
      const emailCanonical = canonicalEmail(email);
      const site = await settings.current(transaction);
      if (emailCanonical === null) throw fail(invitationErrors.domainNotAllowed);
      requireAllowed(emailCanonical, site);
      const [created] = await createInvitations(deps, transaction, [
        withDefaults(site, {
          ...NewInvitation.parse({ email, name: invitee, message }),
          emailCanonical,
          organization: organization ?? null,
          organizationRoleId: organization ? 'member' : null,
          caller,
          origin,
        }),
      ]);
      if (!created) return null;
      await countSending(caller, organization ?? null, [emailCanonical], transaction);
      return created.id;
    },
  };
}

const jobsOf = ({ name, definition }: DefinedExtension, context: ExtensionContext): NamedJob[] =>
  Object.entries(definition.jobs ?? {}).map(([own, job]) => ({ name: `${name}/${own}`, job, context }));

const typesOfRecords = ({ name: extension, files = {} }: Extension): TypeOfRecord[] =>
  Object.entries(files).map(([type, rules]) => ({ ...rules, type, extension }));

/** Returns the statements that read the files that person `$1` has added to records. */
const recordFileParts = (extension: Extension) =>
  typesOfRecords(extension).map(({ type }) => ({
    name: `${extension.name}/files of ${type}`,
    text: `select attachments.id, record_id as "recordId", organizations.name as organization, attachments.name, type, size,
             encode(sha256, 'hex') as sha256, attachments.created_at as "createdAt"
           from attachments join organizations on organizations.id = organization_id
           where owner_id = $1 and record_type = '${type}' order by attachments.created_at, attachments.id`,
  }));
