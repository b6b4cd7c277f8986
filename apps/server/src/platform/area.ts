/** The one shape of everything that the application does: app.ts lists areas, and a team's own are found in `rooms/`. */
import type { FastifyInstance } from 'fastify';
import type { Implementation } from './http/implement.ts';
import type { MailTemplate } from './mail/mail-queue.ts';
import type { Measure } from './telemetry/metrics.ts';
import type { Timer } from './timers.ts';

export type Area = {
  /** What stands in the contract. */
  routes: Implementation[];
  /**
   * What does not: hooks, and routes whose bodies or answers are no JSON. A route says in its `config.access` who may call it;
   * that is checked before its handler, as for those of the contract.
   */
  plugin?: (app: FastifyInstance) => void;
  /** The mails that it puts into the outbox, by the name of their template: written when they are sent. */
  jobs?: Record<string, MailTemplate>;
  /** What is done by the clock. */
  timers?: Timer[];
  /** What whoever watches the site wants to know of it, at /metrics. */
  measures?: Measure[];
};
