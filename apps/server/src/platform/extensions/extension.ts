/** Extensions: a team's own areas, each in one folder that contributes routes, tables, permissions, mails and jobs. */
import type { PermissionDefinition } from '@vestibule/contract/organizations/permissions';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Area } from '../area.ts';
import type { CoreDeps } from '../database/database.ts';
import type { ExportList } from '../export/export-list.ts';
import type { Implementation } from '../http/implement.ts';
import type { GaugeDefinition } from '../telemetry/metrics.ts';

/**
 * Version of the extension API by semantic versioning. Version 1.0 had functions as extensions; `requires` of an
 * extension names the version that it was written for.
 */
export const extensionApiVersion = '1.1.0';

/** Dependencies passed to an extension; they exclude secrets and keys. */
export type ExtensionContext = CoreDeps & {
  exportList: ExportList;
  logger: Logger;
  /** Address of the site, without a slash at its end. */
  publicUrl: string;
};

/** Definition of an extension. docs/build-a-portal.md describes each field. */
export type Extension = {
  /** Lower-case letters, digits and hyphens. Names of tables and permissions begin with it. */
  name: string;
  /** Range of versions of the extension API, such as `^1.1`. */
  requires: string;
  permissions?: PermissionDefinition[];
  /** Folder of migrations, numbered from 001. */
  migrations?: URL;
  routes?: (context: ExtensionContext) => Implementation[];
  /** Routes with bodies or responses other than JSON. Each declares its access in `config.access`. */
  plugin?: (app: FastifyInstance, context: ExtensionContext) => void;
  /** Metrics for /metrics. */
  measures?: (context: ExtensionContext) => GaugeDefinition[];
};

/** Defines an extension: the default export of `extensions/<name>/extension.ts`. */
export function defineExtension(extension: Extension): Extension {
  return extension;
}

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
