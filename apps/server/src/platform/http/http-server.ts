/** Fastify with what every request has in common: id, log, headers, limits, errors. Knows no route. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { Access } from '@vestibule/contract/route';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import type { Logger } from 'pino';
import { asKindOfWork } from '../database/connection-share.ts';
import { fail } from '../errors/failure.ts';
import { answerWith } from './error-answer.ts';
import { commonHeaders } from './page/security-headers.ts';

const bodyLimitBytes = 256 * 1024;
/** Larger than any token we accept, so that a huge one gets our 401 and not Node's bare 431. */
const headerLimitBytes = 96 * 1024;
/** How long a client may take to send the headers, and then the body, of a request. */
const arrivalMs = 30_000;
/** A server that is closing waits for its clients to leave by themselves, until it has looked so often in a row and none has come. */
const drain = { looks: 25, everyMs: 20 };
/** How often a server that stops listening asks whether somebody has connected, while somebody has. */
const mostTurns = 50;
/** Of the answers that it is still sending, whoever takes longer is cut off and can ask for the rest elsewhere. */
const slowestAnswerMs = 8_000;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyInstance {
    /**
     * Opens no more connections, and loses none. To be called before `close`: from that moment Fastify ends each connection with its
     * answer, and whoever connects anew for the next request would come while the port closes.
     */
    stopListening(): Promise<void>;
  }
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyContextConfig {
    /** Who may call it; `directory` is past the contract, and for the company's directory alone. */
    access?: Access | 'directory';
    /** What a personal access token needs for it; without, none is accepted. */
    scope?: string;
    /** Whether only pages of this site may call it. */
    sameOrigin?: boolean;
    /** Its body may take as long as it likes; whoever mounts the route looks after the connection. */
    bodyTakesLong?: boolean;
  }
}

export function createHttpServer(options: {
  logger: Logger;
  trustProxy: string[] | false;
  /** The address that people open. */
  publicUrl: string;
  /** Returns the address by which a request is routed. */
  rewriteUrl?: (url: string) => string;
  /** Where traces are switched on. */
  traceRequests?: ((app: FastifyInstance) => void) | undefined;
  /** How long a server that closes sends answers. */
  closesWithinMs?: number;
}): FastifyInstance {
  const logger: FastifyBaseLogger = options.logger;
  const headers = commonHeaders(options.publicUrl);
  const app = Fastify({
    rewriteUrl: ({ url = '/' }: IncomingMessage) => options.rewriteUrl?.(url) ?? url,
    loggerInstance: logger,
    trustProxy: options.trustProxy,
    bodyLimit: bodyLimitBytes,
    // Node's own limit for whole requests knows no exceptions: bodies are watched below.
    http: { maxHeaderSize: headerLimitBytes, headersTimeout: arrivalMs },
    requestTimeout: 0,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    // 16 of a UUID's digits: Node draws the randomness for many at once.
    genReqId: () => randomUUID().replaceAll('-', '').slice(-16),
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { maxParamLength: 200 },
    // A body is JSON and nothing else, and `__proto__` in it is an error.
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // Requests that still arrive on open connections are answered; each answer ends its connection.
    return503OnClosing: false,
    // An address that cannot be decoded meets no hook.
    frameworkErrors: (error, request, reply) => {
      request.log.info({ code: error.code }, 'refused');
      reply.headers(headers).header('x-request-id', request.id);
      answerWith(request, reply, fail(requestErrors.malformed));
    },
  });
  options.traceRequests?.(app);
  drainBeforeClosing(app, options.closesWithinMs ?? slowestAnswerMs);
  watchBodies(app);
  app.addHook('onRoute', ({ method, url, config }) => {
    // What goes past the contract must at least say who may call it.
    if (url.startsWith('/api') && !config?.access)
      throw new Error(`${String(method)} ${url} does not say who may call it`);
  });
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id);
    asKindOfWork(kindOf(request), done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        path: loggedPath(request.url),
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
        person: request.caller?.id,
        trace_id: request.span?.traceId,
      },
      'answered',
    );
    done();
  });
  return app;
}

/** The route, for its share of the database's connections. A directory's calls share one: they wait for the same locks. */
function kindOf({ method, routeOptions: { url = 'none', config } }: FastifyRequest): string {
  return config.access === 'directory' ? 'directory' : `${method} ${url}`;
}

/**
 * The path without its query, which may hold the code or the token of an invitation. Of long parts only ids are
 * kept, since people paste codes and tokens into places where they do not belong.
 */
function loggedPath(url: string): string {
  const [path = ''] = url.split('?');
  return path.slice(0, 200).replaceAll(/[^/]{20,}/g, (part) => (uuid.test(part) ? part : '…'));
}

/** Gives up connections whose body does not arrive in time. */
function watchBodies(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw, headers, routeOptions }, _reply, done) => {
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody && routeOptions.config.bodyTakesLong !== true) {
      const timer = setTimeout(() => {
        if (!raw.complete) raw.destroy();
      }, arrivalMs).unref();
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/**
 * Lets keep-alive clients go before the connections are cut, so that no request is lost on its way: until then
 * every answer says `Connection: close` (RFC 9112, section 9.6).
 */
function drainBeforeClosing(app: FastifyInstance, withinMs: number): void {
  let closing = false;
  // Browsers connect ahead of a request. To http such a connection is busy, and it would be waited for.
  const silent = new Set<Socket>();
  let connected = 0;
  app.server.on('connection', (socket: Socket) => {
    connected += 1;
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  let arrived = 0;
  app.server.on('request', ({ socket }: IncomingMessage) => {
    silent.delete(socket);
    arrived += 1;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
  app.decorate('stopListening', async () => {
    // The system resets the connections that it has made and we have not been told of yet: they are heard of first.
    for (let turns = 0, before = -1; connected > before && turns < mostTurns; turns += 1) {
      before = connected;
      // From one immediate to the next but one, the loop has asked the system once.
      await nextTurn();
      await nextTurn();
    }
    // http's own close would cut idle connections too, whose next request may be on its way.
    if (app.server.listening) Server.prototype.close.call(app.server);
  });
  app.addHook('preClose', async () => {
    closing = true;
    const limit = setTimeout(() => app.server.closeAllConnections(), withinMs).unref();
    app.server.once('close', () => clearTimeout(limit));
    app.endStreams?.();
    await app.stopListening();
    // Counted and not timed: where the machine is busy, everything is late, and who has been sent is heard between two looks.
    for (let left = drain.looks, before = arrived; left > 0 && (await countConnections(app)) > 0; left -= 1) {
      await delay(drain.everyMs);
      if (arrived > before) left = drain.looks;
      before = arrived;
    }
    for (const socket of silent) socket.destroy();
  });
}

function countConnections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)));
}
