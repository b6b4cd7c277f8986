/** Fastify with what every request has in common: id, log, headers, limits, errors. Knows no route. */
import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { commonHeaders } from './security-headers.ts';

const bodyLimitBytes = 256 * 1024;
/** Larger than any token we accept, so that a huge one gets our 401 and not Node's bare 431. */
const headerLimitBytes = 96 * 1024;

export function createHttpServer(options: { logger: Logger; trustProxy: string[] | false }): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.logger,
    trustProxy: options.trustProxy,
    bodyLimit: bodyLimitBytes,
    http: { maxHeaderSize: headerLimitBytes },
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    genReqId: () => randomBytes(8).toString('hex'),
    disableRequestLogging: true,
    routerOptions: { maxParamLength: 200 },
    // A body is JSON and nothing else, and `__proto__` in it is an error.
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
  });
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders).header('x-request-id', request.id);
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    // The path without its query: that may hold the code or the token of an invitation.
    const [path] = request.url.split('?');
    request.log.info(
      {
        method: request.method,
        path: path?.slice(0, 200),
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
        person: request.caller?.id,
      },
      'answered',
    );
    done();
  });
  return app;
}
