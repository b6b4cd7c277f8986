/** Creates the tracer and its sender, and a span for each request, which contains no user input from URL, headers or body. */
import type { FastifyInstance } from 'fastify';
import type { TraceConfig } from '../../config/trace-variables.ts';
import { currentSpan, type Span, type Tracer } from '../current-span.ts';
import { createSpanSender } from './send-spans.ts';
import { createTracer } from './tracer.ts';

export type Traces = {
  tracer: Tracer;
  /** Must be called before any other hook is added. */
  traceRequests: (app: FastifyInstance) => void;
  /** Sends queued spans. */
  flush(): Promise<void>;
  /** Sends queued spans within two seconds, when the process stops. */
  close(): Promise<void>;
};

export function createTracing(
  config: TraceConfig,
  log: Parameters<typeof createSpanSender>[1],
  now: () => number,
): Traces {
  const sender = createSpanSender(config, log);
  const tracer = createTracer({ sampler: config.sampler, onSpan: (span) => sender.add(span), now });
  return { ...sender, tracer, traceRequests: (app) => traceRequests(app, tracer) };
}

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyRequest {
    span?: Span | undefined;
  }
}

/** Must be called before any other hook is added. Names follow OpenTelemetry's semantic conventions for HTTP. */
function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span');
  app.addHook('onRequest', (request, reply, done) => {
    // Requests that are not logged, such as health checks, are not traced.
    if (request.routeOptions.logLevel === 'warn') return done();
    const { traceparent } = request.headers;
    const span = tracer.startSpan(traceparent === undefined ? undefined : String(traceparent), () => {
      const { method, protocol } = request;
      const { url: route } = request.routeOptions;
      return {
        name: route === undefined ? method : `${method} ${route}`,
        kind: 'server',
        attributes: {
          'http.request.method': method,
          'url.scheme': protocol,
          ...(route !== undefined && { 'http.route': route }),
          'vestibule.request_id': request.id,
        },
      };
    });
    if (!span) return done();
    request.span = span;
    // `close` is emitted even if the client has disconnected before the response.
    reply.raw.once('close', () => {
      const { statusCode } = reply;
      span.end({
        attributes: { 'http.response.status_code': statusCode },
        error: reply.raw.writableFinished ? (statusCode >= 500 ? String(statusCode) : undefined) : 'aborted',
      });
    });
    // Fastify keeps the async context across the body's stream events.
    currentSpan.run(span, done);
  });
}
