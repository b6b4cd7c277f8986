/** A span for each request, by its route: what somebody put into an address, a header or a body is in none. */
import type { FastifyInstance } from 'fastify';
import { spanAtWork, type Span, type Tracer } from '../span-at-work.ts';

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyRequest {
    /** Its span, where it has one. */
    span?: Span | undefined;
  }
}

/** To be called before any other hook is added. Names are those of OpenTelemetry's semantic conventions for HTTP. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span');
  app.addHook('onRequest', (request, reply, done) => {
    // What is not worth a line in the log, such as a load balancer's question, is not worth a trace either.
    if (request.routeOptions.logLevel === 'warn') return done();
    const { traceparent } = request.headers;
    const span = tracer.begin(traceparent === undefined ? undefined : String(traceparent), () => {
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
    // Also of answers that nobody waited for.
    reply.raw.once('close', () => {
      const { statusCode } = reply;
      span.end({
        attributes: { 'http.response.status_code': statusCode },
        error: reply.raw.writableFinished ? (statusCode >= 500 ? String(statusCode) : undefined) : 'aborted',
      });
    });
    // Also past the body, which comes by events of the connection: Fastify keeps what a request runs in.
    spanAtWork.run(span, done);
  });
}
