/** Health for load balancers and metrics for Prometheus (statement O3). */
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** `isReady` says whether this process can serve just now, in particular whether the database answers. */
export function exposeTelemetry(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to answer by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    duration.observe(
      { method: request.method, route, status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    );
    done();
  });

  app.get('/healthz', { logLevel: 'warn' }, () => ({ status: 'up' }));
  app.get('/readyz', { logLevel: 'warn' }, async (_request, reply) =>
    (await isReady())
      ? { status: 'ready' }
      : reply.code(503).send({ status: 'the database does not answer' }),
  );
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    // For the machine itself and its scraper only: whoever comes through a proxy is turned away.
    const local = /^(?:127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? '');
    if (!local || request.headers['x-forwarded-for'] || request.headers.forwarded)
      return reply.callNotFound();
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
