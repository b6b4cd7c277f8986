/** Extensions: a team's own areas, each in one folder that contributes routes, tables, permissions, mails and jobs. */
import type {
  organizationPermissions,
  PermissionDefinition,
} from '@vestibule/contract/organizations/permissions';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Area } from '../area.ts';
import type { CoreDeps, Queryable } from '../database/database.ts';
import type { ExportList } from '../export/export-list.ts';
import type { Actor, CallerOrganization, Implementation } from '../http/implement.ts';
import type { MessageTexts } from '../mail/message-texts.ts';
import type { GaugeDefinition } from '../telemetry/metrics.ts';
import type { ExtensionHooks } from './hooks.ts';
import type { SettingDefinitions, SettingValues } from './settings.ts';

/**
 * Version of the extension API by semantic versioning. Version 1.0 had functions as extensions; `requires` of an
 * extension names the version that it was written for.
 */
export const extensionApiVersion = '1.1.0';

/** Invitation to the site, and to an organization as a member. */
type ExtensionInvitation = Actor & {
  email: string;
  name?: string;
  message?: string;
  organization?: CallerOrganization;
};

/** Dependencies passed to an extension; they exclude secrets and keys. */
export type ExtensionContext<Settings extends SettingDefinitions = SettingDefinitions> = CoreDeps & {
  exportList: ExportList;
  logger: Logger;
  /** Address of the site, without a slash at its end. */
  publicUrl: string;
  mails: {
    /** Adds mails to the outbox, inside the transaction of the change. `mail` is a name in `mails` of the extension. */
    queue(
      transaction: Queryable,
      mails: { mail: string; subjectId: string; afterSeconds?: number }[],
    ): Promise<void>;
  };
  jobs: {
    /** Starts a job within seconds after the transaction has been committed. */
    start(transaction: Queryable, job: string): Promise<void>;
  };
  settings: { read(): Promise<SettingValues<Settings>> };
  /**
   * Invites a person, in the transaction of the change. Returns the id of the invitation; null if the person is a
   * member or has an open invitation. Throws if the settings do not allow the domain of the address, or if the members of
   * the organization have sent too many invitations.
   */
  invite(transaction: Queryable, invitation: ExtensionInvitation): Promise<string | null>;
};

type OwnPermission = (typeof organizationPermissions)[keyof typeof organizationPermissions]['name'];

/** Members of an organization whose role has the permission: one of the extension, or of Vestibule. */
export type PermissionHolders<Permission extends string = string> = {
  organizationId: string;
  permission: Permission | OwnPermission;
};

/**
 * Mail to a person of the site, to an address, or to members of an organization, each of whom gets a mail. Languages without texts get
 * English.
 */
export type ExtensionMail<Permission extends string = string> = {
  to: { personId: string } | { name: string; address: string } | PermissionHolders<Permission>;
  en: MessageTexts;
  de?: MessageTexts;
};

export type ExtensionJob<Context> = {
  /** Interval; without it, the job runs only when it is started. */
  everyMs?: number;
  /** A long job checks `stopped` between its steps. */
  run(context: Context, stopped: AbortSignal): Promise<unknown>;
};

/** Table with a column that references people. */
export type PersonalTable = {
  /** Column with the id of the person. */
  person: string;
  /** Effect of the removal of a person on the rows; the foreign key must have the same. */
  onRemoval: 'delete' | 'anonymize';
  /** Columns that "my data" contains. */
  columns: string[];
};

/** Files on the records of a table. */
type RecordFiles = {
  /** Table of the extension with the columns `id` and `organization_id`. */
  table: string;
  /** Permission to list and open the files. */
  read: string;
  /** Permission to add and delete files. */
  write: string;
  /** Number of files per record. Default: 20. */
  maximum?: number;
  /** Size of a file. Default: the limit of the site. */
  maximumMB?: number;
  /** Default: all kinds. */
  kinds?: ('picture' | 'pdf' | 'text' | 'audio' | 'video' | 'other')[];
};

export type TypeOfRecord = RecordFiles & { type: string; extension: string };

/** Definition of an extension. docs/build-a-portal.md describes each field. */
export type Extension<
  Settings extends SettingDefinitions = SettingDefinitions,
  Permission extends string = string,
  Context = ExtensionContext<Settings>,
> = {
  /** Lower-case letters, digits and hyphens. Names of tables and permissions begin with it. */
  name: string;
  /** Name for people, such as "Tickets". Default: the name. */
  label?: string;
  /** Range of versions of the extension API, such as `^1.1`. */
  requires: string;
  permissions?: PermissionDefinition<Permission>[];
  /** Folder of migrations, numbered from 001. */
  migrations?: URL;
  /** Every table that references people. */
  personalData?: Record<string, PersonalTable>;
  settings?: Settings;
  /** Files on records, by the type of the record, such as `ticket`. */
  files?: Record<string, RecordFiles>;
  routes?: (context: Context) => Implementation[];
  /** Routes with bodies or responses other than JSON. Each declares its access in `config.access`. */
  plugin?: (app: FastifyInstance, context: Context) => void;
  /** Mails by name. Returns null if the mail is obsolete. */
  mails?: Record<
    string,
    // The permissions are inferred from `permissions` only.
    (subjectId: string, context: Context) => Promise<ExtensionMail<NoInfer<Permission>> | null>
  >;
  /** Jobs by name. Each runs in one process at a time. */
  jobs?: Record<string, ExtensionJob<Context>>;
  /** Called in the transaction of the change, which is rolled back if a hook throws. */
  hooks?: ExtensionHooks<Context>;
  /** Audit actions that webhooks can subscribe to, such as `ticket.created`. */
  webhookEvents?: string[];
  /** Metrics for /metrics. */
  measures?: (context: Context) => GaugeDefinition[];
};

/** Defines an extension: the default export of `extensions/<name>/extension.ts`. */
export const defineExtension = <
  const Settings extends SettingDefinitions = SettingDefinitions,
  const Permission extends string = never,
>(
  extension: Extension<Settings, Permission>,
): Extension => extension as unknown as Extension;

/** Function that returns an area. */
export type AreaFunction = (context: ExtensionContext) => Area;

export type LoadedExtension = {
  name: string;
  /** Path of its file below the directory, for messages. */
  file: string;
  /** Absent for a function. */
  definition?: Extension;
  createArea: AreaFunction;
};
