/** Health checks for load balancers and metrics for Prometheus (statement O3). */
import { createHash, timingSafeEqual } from 'node:crypto';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AuditSeals } from '../audit/audit-seals.ts';
import type { Database, Queryable } from '../database/database.ts';
import type { MailQueue } from '../mail/mail-queue.ts';

/** Gauge that is read at each scrape. If it has several values, the metric's label `label` distinguishes them. */
export type GaugeDefinition = {
  /** Without the prefix `vestibule_`. */
  name: string;
  help: string;
  label?: string;
  read: () => Measured | Promise<Measured>;
};
type Measured = number | Record<string, number>;

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyInstance {
    /** Makes /readyz fail, so that load balancers stop sending requests. */
    reportNotReady(): void;
  }
}

/** Shared by the applications of the process: collecting starts a timer and an observer of garbage collections, which do not end. */
let processMetrics: Registry | undefined;

function collectProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}

/**
 * The process is ready while the database responds. `metricsToken` is the bearer token of /metrics; without it the
 * route is disabled, since the client address proves nothing behind a proxy.
 */
export function exposeTelemetry(
  app: FastifyInstance,
  { database, metricsToken }: { database: Queryable; metricsToken: string | null },
): { measure(measures: GaugeDefinition[]): void } {
  const registry = new Registry();
  processMetrics ??= collectProcessMetrics();
  const registries = [processMetrics, registry];
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to response by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  });
  const refusedSignIns = new Counter({
    name: 'vestibule_sign_ins_refused_total',
    help: 'Refused sign-ins by method and error code.',
    labelNames: ['method', 'code'],
    registers: [registry],
  });
  app.decorate('countRefusedSignIn', (method, code) => refusedSignIns.inc({ method, code }));
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    duration.observe(
      { method: request.method, route, status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    );
    done();
  });

  // Kubernetes names the check of its components /livez.
  for (const path of ['/healthz', '/livez']) app.get(path, { logLevel: 'warn' }, () => ({ status: 'up' }));
  let isStopping = false;
  app.decorate('reportNotReady', () => {
    isStopping = true;
  });
  app.get('/readyz', { logLevel: 'warn' }, async (_request, reply) => {
    if (isStopping) return reply.code(503).send({ status: 'stopping' });
    try {
      await database.query({ name: 'ping', text: 'select 1' });
      return { status: 'ready' };
    } catch {
      return reply.code(503).send({ status: 'the database does not answer' });
    }
  });
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    const shown = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    // 404 instead of 401, to hide the route. Not the application's page, which a scraper would take for success.
    if (metricsToken === null || shown === undefined || !isSame(shown, metricsToken)) {
      const { status, code, message } = requestErrors.notFound;
      return reply.code(status).send({ code, message, requestId: request.id });
    }
    return reply.type(registry.contentType).send(await Registry.merge(registries).metrics());
  });
  return {
    measure(measures) {
      for (const one of measures) registry.registerMetric(gaugeOf(one));
    },
  };
}

function gaugeOf({ name, help, label, read }: GaugeDefinition): Gauge {
  return new Gauge({
    name: `vestibule_${name}`,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [],
    async collect() {
      this.reset();
      try {
        const value = await read();
        if (typeof value === 'number') this.set(value);
        else for (const [key, number] of Object.entries(value)) this.set({ [label as string]: key }, number);
      } catch {
        // An unreadable value is omitted; other metrics show the cause.
      }
    },
  });
}

/** Compares in constant time. */
function isSame(shown: string, expected: string): boolean {
  const [a, b] = [shown, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}

/** Metrics of the resources that all features share. */
export function resourceMetrics(deps: {
  database: Pick<Database, 'pool'>;
  mail: Pick<MailQueue, 'counts'>;
  auditSeals: Pick<AuditSeals, 'countUnsealed'>;
}): GaugeDefinition[] {
  const { pool } = deps.database;
  return [
    {
      name: 'database_connections',
      help: 'Connections of this process to the database, and requests that wait for one.',
      label: 'state',
      read: () => ({
        busy: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        wanted: pool.waitingCount,
      }),
    },
    {
      name: 'mails',
      help: 'Mails of the site that wait, wait for another try, or were given up in the last days.',
      label: 'state',
      read: () => deps.mail.counts(),
    },
    {
      name: 'audit_rows_unsealed',
      help: 'Rows of the activity log that no seal covers yet.',
      read: () => deps.auditSeals.countUnsealed(),
    },
  ];
}
