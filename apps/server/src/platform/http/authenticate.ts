/**
 * Authenticates the caller of a request. Each kind of caller sends its secret in a different place and has separate
 * rules.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyRequest } from 'fastify';
import { fail } from '../errors/failure.ts';
import type { Caller, Origin } from './implement.ts';
import type { Authenticate } from './mount.ts';

export type CallerKind = {
  name: string;
  /** If set, only routes with this access accept this kind of caller; otherwise, only routes with another access do. */
  only?: 'directory';
  /** Returns the secret of this kind; null if the request has none. */
  secretOf(request: FastifyRequest): string | null;
  /** Returns the caller; throws a Failure with the reason otherwise. */
  authenticate(secret: string, request: FastifyRequest, origin: Origin): Promise<Caller>;
};

/** The first kind whose secret is present decides: a bad token is not replaced by a valid cookie. */
export function createAuthenticate(kinds: readonly CallerKind[]): Authenticate {
  return (request, origin) => {
    const { access } = request.routeOptions.config;
    for (const kind of kinds) {
      if ((kind.only === 'directory') !== (access === 'directory')) continue;
      const secret = kind.secretOf(request);
      if (secret !== null) return kind.authenticate(secret, request, origin);
    }
    return Promise.reject(fail(requestErrors.signInNeeded));
  };
}
