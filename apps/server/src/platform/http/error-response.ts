/** Converts every thrown error to the contract's error response and logs unexpected ones. */
import { requestErrors, type ErrorResponse } from '@vestibule/contract/request-errors';
import type { ErrorDefinition } from '@vestibule/contract/route';
import type { Message } from '@vestibule/contract/texts/text';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { isDatabaseUnavailable } from '../database/database-unavailable.ts';
import { fail, Failure } from '../errors/failure.ts';
import { recordRefusedSignIn } from './refused-sign-in.ts';

/** `Retry-After` of a 503: the usual time of a database restart or failover. */
const unavailableSeconds = 5;

/**
 * Installs the error and not-found handlers. `notFound` handles paths outside `/api/`, `/scim/` and `/.vestibule/`. Call it before routes are
 * registered.
 */
export function sendErrors(
  app: FastifyInstance,
  notFound: (request: FastifyRequest, reply: FastifyReply) => unknown,
) {
  app.setErrorHandler<Error>((error, request, reply) =>
    errorResponse(request, reply, recordFailure(error, request, reply)),
  );
  const methodsAt = collectMethods(
    app,
    ({ config }) => config?.scope !== undefined || config?.permission !== undefined,
  );
  app.setNotFoundHandler((request, reply) => {
    // Paths are case-sensitive. A page would look like a successful response to a program with another spelling.
    if (!/^\/(?:api|scim|\.vestibule)(?:[/?]|$)/i.test(request.url)) return notFound(request, reply);
    const methods = methodsAt(request.url).join(', ');
    if (methods === '') return errorResponse(request, reply, fail(requestErrors.notFound));
    reply.header('allow', methods);
    return errorResponse(request, reply, fail(requestErrors.methodNotAllowed, { values: { methods } }));
  });
}

/** Returns the methods of an address, for a request with another one. Only routes for programs are included. Call it before they are registered. */
export function collectMethods(
  app: FastifyInstance,
  isIncluded: (route: RouteOptions) => boolean,
): (url: string) => string[] {
  const patterns = new Map<string, { pattern: RegExp; methods: string[] }>();
  app.addHook('onRoute', (route) => {
    if (!isIncluded(route)) return;
    const { method, url } = route;
    // URLPattern takes 40 times as long.
    const pattern = new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}/?$`);
    const entry = patterns.get(url) ?? { pattern, methods: [] };
    entry.methods.push(...[method].flat());
    patterns.set(url, entry);
  });
  return (url) => {
    const [path = ''] = url.split('?');
    return [...patterns.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : []));
  };
}

/** Logs an error and sets its response headers, whatever the body's format; returns it as a Failure. */
export function recordFailure(error: Error, request: FastifyRequest, reply: FastifyReply): Failure {
  const failure = error instanceof Failure ? error : fail(definitionOf(error), { cause: error });
  const { signInMethod } = request.routeOptions.config;
  if (isAbortedDownload(error, reply)) request.log.info('the client disconnected before the download');
  else if (failure.status >= 500) request.log.error({ err: error }, failure.text.code);
  // Field names are not logged: unknown ones contain arbitrary input.
  else if (signInMethod) recordRefusedSignIn(request, signInMethod, failure.text.code);
  else request.log.info({ code: failure.text.code }, 'refused');
  const retryAfterSeconds =
    failure.retryAfterSeconds ?? (failure.status === 503 ? unavailableSeconds : undefined);
  if (retryAfterSeconds) reply.header('retry-after', retryAfterSeconds);
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer');
  return failure;
}

/** Returns whether a stream was closed because its client had disconnected. */
const isAbortedDownload = (error: Error & { code?: string }, reply: FastifyReply): boolean =>
  error.code === 'ERR_STREAM_PREMATURE_CLOSE' && reply.raw.destroyed;

export function errorResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, text, fields }: Failure,
) {
  const { code, message, values } = text;
  const response: ErrorResponse = {
    code,
    message,
    ...(Object.keys(values).length > 0 && { values }),
    requestId: request.id,
    ...(fields && describeFields(fields)),
  };
  return reply.code(status).header('cache-control', 'no-store').send(response);
}

function describeFields(
  messages: Record<string, Message | string>,
): Pick<ErrorResponse, 'fields' | 'fieldTexts'> {
  const fields: Record<string, string> = {};
  const fieldTexts: Record<string, Message> = {};
  for (const [name, text] of Object.entries(messages)) {
    fields[name] = typeof text === 'string' ? text : text.message;
    if (typeof text === 'object') fieldTexts[name] = text;
  }
  return { fields, ...(Object.keys(fieldTexts).length > 0 && { fieldTexts }) };
}

function definitionOf(error: Error & Partial<Pick<FastifyError, 'code' | 'statusCode'>>): ErrorDefinition {
  const { code, statusCode = 500 } = error;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return requestErrors.unsupportedType;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return requestErrors.tooLarge;
  if (statusCode >= 400 && statusCode < 500) return requestErrors.malformed;
  return isDatabaseUnavailable(error) ? requestErrors.unavailable : requestErrors.unexpected;
}
