/** Creates a span for each request, named by its route. It contains no user input from URL, headers or body. */
import type { FastifyInstance } from 'fastify';
import { currentSpan, type Span, type Tracer } from '../current-span.ts';

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyRequest {
    span?: Span | undefined;
  }
}

/** Must be called before any other hook is added. Names follow OpenTelemetry's semantic conventions for HTTP. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
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
