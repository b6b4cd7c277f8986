/** Starts authorization requests at providers, for every purpose. */
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import type { AuthorizationParameters, OidcClient } from './oidc-client.ts';
import { explainFailure, loggedFailure } from './oidc-failure.ts';
import type { NewAuthorizationRequest, AuthorizationRequests } from './request-store.ts';
import type { RecordProviderResult } from './provider-health.ts';

/** Started sign-ins per network. Each leaves a row for ten minutes. */
export const signInStartLimit = { name: 'sign-in', maximum: 600, windowSeconds: 60 };

export type RequestContext = { cookies: Cookies; origin: Origin; log: FastifyBaseLogger };

export function createAuthorizationStarter(deps: {
  database: Database;
  authorizationRequests: AuthorizationRequests;
  publicUrl: string;
  recordProviderResult: RecordProviderResult;
  now: () => number;
}) {
  const startLimit = createRateLimit(deps, signInStartLimit);

  return {
    /** Counts a start against the caller's network; throws past the limit. */
    async countStart(origin: Origin): Promise<void> {
      assertWithinRateLimit(await startLimit.take(networkOf(origin.address)));
    },

    /** Returns the provider's URL. `returnTo` may be any text: only paths of this site are used. */
    async start(
      client: OidcClient,
      request: Omit<NewAuthorizationRequest, 'way' | 'returnTo'> & { returnTo: string | undefined },
      parameters: Pick<AuthorizationParameters, 'loginHint' | 'language' | 'prompt'>,
      { cookies, log }: RequestContext,
    ): Promise<{ url: string }> {
      const { provider } = client;
      const returnTo = safeReturnUrl(request.returnTo, deps.publicUrl);
      const secrets = await deps.authorizationRequests.create(
        { ...request, way: provider.id, returnTo },
        cookies,
      );
      try {
        return { url: (await client.authorizationUrl({ ...secrets, ...parameters })).href };
      } catch (error) {
        const failure = explainFailure(error, provider.name);
        log.warn(
          { way: provider.id, ...loggedFailure(failure) },
          'no authorization request could be created',
        );
        deps.recordProviderResult(provider.id, failure.text.code);
        throw failure;
      }
    },
  };
}

export const startPage = '/layout/dashboard';
const maximumLength = 2_000;

/** Returns path, query and fragment of a page of this site; the start page for other URLs, the API and the sign-in pages. */
export function safeReturnUrl(requested: string | undefined, publicUrl: string): string {
  // Browsers read a backslash as a slash, and remove tabs and line breaks.
  if (
    requested === undefined ||
    requested.length > maximumLength ||
    !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(requested)
  )
    return startPage;
  if (!URL.canParse(requested, publicUrl)) return startPage;
  const { origin, pathname, search, hash } = new URL(requested, publicUrl);
  const isPage =
    origin === publicUrl &&
    !/^\/(?:\/|api(?:\/|$)|auth\/|files\/|login(?:\/|$)|signup(?:\/|$))/i.test(pathname);
  // Some proxies decode encoded separators.
  return isPage && !/%(?:2f|5c)/i.test(pathname) ? pathname + search + hash : startPage;
}
