/** Checks of a request before its handler: who calls, from which site, and after a recent sign-in if required. */
import type { IncomingHttpHeaders } from 'node:http';
import { requestErrors } from '@vestibule/contract/request-errors';
import type { RouteDefinition } from '@vestibule/contract/route';
import { recentAuthMinutes } from '@vestibule/contract/rules/limits';
import type { FastifyRequest } from 'fastify';
import { fail } from '../errors/failure.ts';
import type { Caller, Origin } from './implement.ts';

/** Returns the caller, or throws a Failure with the reason. The route's scope is in its config. */
export type Authenticate = (request: FastifyRequest, origin: Origin) => Promise<Caller>;

/** Each kind of caller sends its secret in a different place and has separate rules. */
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
export const createAuthenticate =
  (kinds: readonly CallerKind[]): Authenticate =>
  (request, origin) => {
    const { access } = request.routeOptions.config;
    for (const kind of kinds) {
      if ((kind.only === 'directory') !== (access === 'directory')) continue;
      const secret = kind.secretOf(request);
      if (secret !== null) return kind.authenticate(secret, request, origin);
    }
    return Promise.reject(fail(requestErrors.signInNeeded));
  };

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Returns whether requests of this method change nothing. */
export const isSafe = (method: string): boolean => safeMethods.has(method);

/**
 * Detects requests from pages of other sites, which carry the session's cookie too (OWASP, "Cross-Site Request Forgery
 * Prevention"; W3C, Fetch Metadata): compares with the public URL. Another port or subdomain is another origin: `same-site` is rejected.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === publicUrl : site === 'same-origin';
}

/**
 * Irreversible actions, and those that grant lasting access, require a recent sign-in. Throws if the session's last authentication is too old or unknown. Tokens have no session: each kind has separate
 * limits. A personal access token of the site needs `administrators:write`, and a B2C token is checked only if the call adds a sign-in method,
 * which would outlive the token.
 */
export function requireRecentAuth(
  { session, authenticatedAt, token, limitedTo }: Caller,
  now: number,
  { addsSignInMethod = false }: { addsSignInMethod?: boolean } = {},
): void {
  if (token && !limitedTo && !token.scopes.includes('administrators:write'))
    throw fail(requestErrors.administratorScopeMissing);
  if (session === undefined) {
    if (!addsSignInMethod || authenticatedAt === undefined) return;
    if (authenticatedAt === null) throw fail(requestErrors.signInTimeUnknown);
  }
  if (typeof authenticatedAt !== 'number' || authenticatedAt + recentAuthMinutes * 60_000 <= now)
    throw fail(requestErrors.notFresh);
}

/** Returns whether a call with this body requires a recent sign-in. */
export const isRecentAuthRequired = (
  { requiresRecentAuth = () => false }: RouteDefinition,
  body: unknown,
): boolean => requiresRecentAuth === true || requiresRecentAuth(body as never);
