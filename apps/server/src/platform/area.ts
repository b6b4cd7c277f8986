/** The interface of every feature: app.ts lists them, and a team's extensions are loaded from `extensions/`. */
import type { PermissionDefinition } from '@vestibule/contract/organizations/permissions';
import type { FastifyInstance } from 'fastify';
import type { Implementation } from './http/implement.ts';
import type { MailTemplate } from './mail/mail-queue.ts';
import type { GaugeDefinition } from './telemetry/metrics.ts';
import type { Timer } from './timers.ts';

export type Area = {
  /** Name of the extension; absent for Vestibule's own areas. */
  extension?: string;
  routes: Implementation[];
  /**
   * Hooks, and routes with bodies or responses other than JSON. Such a route declares its access in `config.access`,
   * which is checked before its handler as for contract routes.
   */
  plugin?: (app: FastifyInstance) => void;
  /** Mail templates by name; mails are rendered when they are sent. */
  mails?: Record<string, MailTemplate>;
  /** Permissions within organizations that the routes of an extension need. */
  permissions?: PermissionDefinition[];
  /** Periodic tasks. */
  timers?: Timer[];
  /** Metrics for /metrics. */
  measures?: GaugeDefinition[];
};
