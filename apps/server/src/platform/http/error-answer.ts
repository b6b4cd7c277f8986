/** Turns everything that is thrown into the one shape of error answers, and logs what was unexpected. */
import { requestErrors, type ErrorAnswer } from '@vestibule/contract/request-errors';
import type { ErrorDefinition } from '@vestibule/contract/route';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../database/database-unavailable.ts';
import { Failure } from '../errors/failure.ts';

/** Installs the error and not-found handlers. `notFound` gets what is not below `/api/`. */
export function answerErrors(
  app: FastifyInstance,
  notFound: (request: FastifyRequest, reply: FastifyReply) => unknown,
) {
  app.setErrorHandler((error: FastifyError | Failure, request, reply) => {
    const failure = error instanceof Failure ? error : translate(error);
    if (failure.definition.status >= 500) request.log.error({ err: error }, failure.definition.code);
    // Not the fields: the names of unknown ones are whatever somebody sent.
    else request.log.info({ code: failure.definition.code }, 'refused');
    if (failure.retryAfterSeconds) reply.header('retry-after', failure.retryAfterSeconds);
    if (failure.definition.status === 401) reply.header('www-authenticate', 'Bearer');
    return answerWith(request, reply, failure.definition, failure.fields);
  });
  app.setNotFoundHandler((request, reply) =>
    /^\/api(?:[/?]|$)/.test(request.url)
      ? answerWith(request, reply, requestErrors.notFound)
      : notFound(request, reply),
  );
}

/** Writes one error answer. */
export function answerWith(
  request: FastifyRequest,
  reply: FastifyReply,
  definition: ErrorDefinition,
  fields?: Record<string, string>,
) {
  const { code, message, status } = definition;
  const answer: ErrorAnswer = { code, message, requestId: request.id, ...(fields && { fields }) };
  return reply.code(status).header('cache-control', 'no-store').send(answer);
}

function translate(error: FastifyError): Failure {
  const definition =
    error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
      ? requestErrors.unsupportedType
      : error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
        ? requestErrors.tooLarge
        : error.statusCode && error.statusCode >= 400 && error.statusCode < 500
          ? requestErrors.malformed
          : isDatabaseUnavailable(error)
            ? requestErrors.unavailable
            : requestErrors.unexpected;
  return new Failure(definition, { cause: error });
}
