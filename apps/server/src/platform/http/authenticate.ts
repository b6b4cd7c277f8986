/** Who calls, found by a table of kinds: each kind of caller shows a secret in its own place, and has its own rules. */
import { requestErrors } from '@vestibule/contract/request-errors';
import type { FastifyRequest } from 'fastify';
import { fail } from '../errors/failure.ts';
import type { Caller, Origin } from './implement.ts';
import type { Authenticate } from './mount.ts';

export type CallerKind = {
  name: string;
  /** The access of the only routes that it is for; without, it is for those of people. */
  only?: 'directory';
  /** The secret that a request shows in this kind's place; null when there is none of this kind. */
  secretOf(request: FastifyRequest): string | null;
  /** Who calls with it; throws the Failure that says why nobody does. */
  authenticate(secret: string, request: FastifyRequest, origin: Origin): Promise<Caller>;
};

/** The first kind whose secret a request shows decides, whatever else it carries: a bad token is not made good by a cookie. */
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
