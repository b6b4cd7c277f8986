/** Configures Fastify for every request: ids, logs, headers, limits and errors. Registers no routes. */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { Access, RefusedMethod } from '@vestibule/contract/route';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import type { Logger } from 'pino';
import { runAsWorkKind } from '../database/connection-share.ts';
import { fail } from '../errors/failure.ts';
import { adaptCookiesToSafari } from './cookies.ts';
import { errorResponse } from './error-response.ts';
import { commonHeaders } from './page/security-headers.ts';
import { readForwardedFor, warnOfUntrustedProxy } from './trusted-proxy.ts';
import { isUuid } from '../database/new-id.ts';

const bodyLimitBytes = 256 * 1024;
/** Larger than any accepted token, so that a huge one gets a 401 with a body instead of Node's bare 431. */
const headerLimitBytes = 96 * 1024;
/** Time limit for a client to send the headers, and again for the body. */
const receiveTimeoutMs = 30_000;
/**
 * Idle time of a connection. Longer than that of proxies, so that no request meets a connection that is being closed: 60 s for AWS
 * (configurable), 120 s for Caddy, and 600 s for Google Cloud.
 */
const keepAliveTimeoutMs = 620_000;
/** A closing server waits until this many checks in a row found no new request. */
const drain = { checks: 25, intervalMs: 20 };
/** Maximum event-loop turns to wait for connections that the system has accepted already. */
const maxTurns = 50;
/** Slower responses are aborted when the server closes; the client can retry elsewhere. */
const responseTimeoutMs = 8_000;

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyInstance {
    /**
     * Stops accepting connections without losing any. Call it before `close`: from then on Fastify closes each
     * connection after its response, and the client's next connection could arrive while the port closes.
     */
    stopListening(): Promise<void>;
  }
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface FastifyContextConfig {
    /** Extension whose plugin has the route. */
    extension?: string;
    /** Who may call the route; `directory` is outside the contract, for the company's directory only. */
    access?: Extract<Access, string> | 'directory';
    /** Permission within an organization, for members. */
    permission?: string;
    /** Required scope of a personal access token; without it, no token is accepted. */
    scope?: string;
    /** Accepts tokens of organizations, whatever their permissions. */
    acceptsOrganizationTokens?: boolean;
    /** Accepts calls from pages of this site only. */
    sameOrigin?: boolean;
    /** Method of the sign-in that the route takes part in. */
    signInMethod?: RefusedMethod;
    /** Exempts the body from the time limit; the route then has to watch the connection. */
    hasNoBodyTimeLimit?: boolean;
  }
}

export function createHttpServer(options: {
  logger: Logger;
  trustProxy: string[] | false;
  publicUrl: string;
  /** Set if tracing is enabled. */
  traceRequests?: ((app: FastifyInstance) => void) | undefined;
  /** Time limit for responses while the server closes. */
  closingTimeoutMs?: number;
}): FastifyInstance {
  const logger: FastifyBaseLogger = options.logger;
  const headers = commonHeaders(options.publicUrl);
  const app = Fastify({
    loggerInstance: logger,
    trustProxy: options.trustProxy,
    bodyLimit: bodyLimitBytes,
    // Node's limit for whole requests has no exceptions; `limitBodyTime` limits bodies instead.
    http: { maxHeaderSize: headerLimitBytes, headersTimeout: receiveTimeoutMs },
    requestTimeout: 0,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    // 16 hexadecimal digits of a UUID: Node buffers random bytes for UUIDs.
    genReqId: () => randomUUID().replaceAll('-', '').slice(-16),
    logController: new LogController({ disableRequestLogging: true }),
    // Administrators enter addresses of the API, of SCIM and of health checks with surplus slashes.
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    // Rejects `__proto__` and `constructor` in JSON.
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // Requests on open connections are still answered; each response closes its connection.
    return503OnClosing: false,
    rewriteUrl: (request) => (isUndecodablePage(request) ? unknownPage : (request.url ?? '/')),
    // Hooks do not run for a URL that cannot be decoded.
    frameworkErrors: (error, request, reply) => {
      request.log.info({ code: error.code }, 'refused');
      reply.headers(headers).header('x-request-id', request.id);
      errorResponse(request, reply, fail(requestErrors.malformed));
    },
  });
  options.traceRequests?.(app);
  drainBeforeClosing(app, options.closingTimeoutMs ?? responseTimeoutMs);
  limitBodyTime(app);
  adaptCookiesToSafari(app, options.publicUrl);
  app.addHook('onRoute', ({ method, url, config }) => {
    // Routes outside the contract must declare their access too.
    if (url.startsWith('/api') && !config?.access)
      throw new Error(`${String(method)} ${url} does not say who may call it`);
  });
  app.removeContentTypeParser(['text/plain', 'application/json']);
  addJsonParser(app, ['application/json']);
  app.addHook('onRequest', (request, reply, done) => {
    const { 'x-forwarded-for': forwardedFor } = request.raw.headers;
    // Several headers of this name arrive as one text.
    if (typeof forwardedFor === 'string')
      request.raw.headers['x-forwarded-for'] = readForwardedFor(forwardedFor);
    // A call without a body has no type, but PowerShell, `curl -d ''` and others send that of a form.
    if (!hasBody(request.raw)) delete request.raw.headers['content-type'];
    reply.headers(headers).header('x-request-id', request.id);
    runAsWorkKind(workKindOf(request), done);
  });
  warnOfUntrustedProxy(app);
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

/**
 * Refuses other encodings than UTF-8 (RFC 8259, section 8.1): Windows PowerShell sends Latin-1, whose umlauts would be lost. Many clients
 * send a JSON content type without a body.
 */
export function addJsonParser(
  scope: FastifyInstance,
  types: string[],
  options: { bodyLimit?: number } = {},
): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser(types, { parseAs: 'buffer', ...options }, (request, body, done) => {
    const bytes = body as Buffer;
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (bytes.length === 0) done(null);
    else if (encoding !== 'identity') done(fail(requestErrors.compressed));
    else if (isUtf8(bytes)) void parse(request, bytes.toString(), done);
    else done(fail(requestErrors.malformed));
  });
}

/** Served to browsers in place of a page whose address cannot be decoded. */
const unknownPage = '/not-found';

/** Returns whether a browser opens an address that the router cannot decode, such as `/%`. Other clients get an error response. */
function isUndecodablePage({ method, headers, url = '' }: IncomingMessage): boolean {
  const [address = ''] = url.split('?');
  if (method !== 'GET' || !headers.accept?.includes('text/html') || /^\/+(?:api|scim)\b/.test(address))
    return false;
  try {
    decodeURI(address);
    return false;
  } catch {
    return true;
  }
}

/** Returns the route as the kind of work for the database connections. Directory routes share one kind: they wait for the same locks. */
const workKindOf = ({ method, routeOptions: { url = 'none', config } }: FastifyRequest): string =>
  config.access === 'directory' ? 'directory' : `${method} ${url}`;

/**
 * Returns the path for the log, without the query, which may hold an invitation's code or token. Long segments other
 * than ids are masked, since users paste codes and tokens into URLs.
 */
function loggedPath(url: string): string {
  const [path = ''] = url.split('?');
  return path.slice(0, 200).replaceAll(/[^/]{20,}/g, (part) => (isUuid(part) ? part : '…'));
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Closes connections whose body does not arrive in time. */
function limitBodyTime(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw, routeOptions }, _reply, done) => {
    if (hasBody(raw) && routeOptions.config.hasNoBodyTimeLimit !== true) {
      const timer = setTimeout(() => {
        if (!raw.complete) raw.destroy();
      }, receiveTimeoutMs).unref();
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}

/**
 * Waits for keep-alive clients before connections are closed, so that no request is lost: until then every response has
 * `Connection: close` (RFC 9112, section 9.6).
 */
function drainBeforeClosing(app: FastifyInstance, timeoutMs: number): void {
  let closing = false;
  // Browsers open connections in advance of a request. `node:http` counts these as busy and would wait for them.
  const unused = new Set<Socket>();
  let connectionCount = 0;
  app.server.on('connection', (socket: Socket) => {
    connectionCount += 1;
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  let requestCount = 0;
  app.server.on('request', ({ socket }: IncomingMessage) => {
    unused.delete(socket);
    requestCount += 1;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
  app.decorate('stopListening', async () => {
    // The system would reset connections that it has accepted but not yet passed to Node, so process these first.
    for (let turns = 0, before = -1; connectionCount > before && turns < maxTurns; turns += 1) {
      before = connectionCount;
      // Two immediates guarantee one poll of the event loop.
      await nextTurn();
      await nextTurn();
    }
    // The close method of `node:http` would also close idle connections whose next request may be in transit.
    if (app.server.listening) Server.prototype.close.call(app.server);
  });
  app.addHook('preClose', async () => {
    closing = true;
    const limit = setTimeout(() => app.server.closeAllConnections(), timeoutMs).unref();
    app.server.once('close', () => clearTimeout(limit));
    app.endStreams?.();
    await app.stopListening();
    // Counts checks rather than time: on a busy machine everything is late, but requests are processed between two checks.
    for (
      let remaining = drain.checks, before = requestCount;
      remaining > 0 && (await countConnections(app)) > 0;
      remaining -= 1
    ) {
      await delay(drain.intervalMs);
      if (requestCount > before) remaining = drain.checks;
      before = requestCount;
    }
    for (const socket of unused) socket.destroy();
  });
}

const countConnections = (app: FastifyInstance): Promise<number> =>
  new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)));
