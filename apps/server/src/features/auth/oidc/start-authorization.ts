/** Leads a browser to a provider: every sign-in begins here, whatever it is for. */
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import type { AuthorizationRequest, OidcClient } from './provider/oidc-client.ts';
import { explainFailure, loggedFailure } from './provider/oidc-failure.ts';
import { returnAddress } from './return-url.ts';
import type { NewTransaction } from './authorization-requests/request-row.ts';
import type { Transactions } from './authorization-requests/request-store.ts';
import type { RecordProviderResult } from './provider-health.ts';

/** Sign-ins that begin, from one network; each leaves a row for ten minutes. */
export const signInStarts = { name: 'sign-in', maximum: 120, windowSeconds: 60 };

type By = { cookies: Cookies; origin: Origin; log: FastifyBaseLogger };

export type Departures = ReturnType<typeof createDepartures>;

export function createDepartures(deps: {
  database: Database;
  transactions: Transactions;
  publicUrl: string;
  recordProviderResult: RecordProviderResult;
  now: () => number;
}) {
  const starts = createRateLimit(deps, signInStarts);

  return {
    /** Counts a sign-in against the network that it comes from; throws when there are too many. */
    async count(origin: Origin): Promise<void> {
      assertWithinRateLimit(await starts.take(networkOf(origin.address)));
    },

    /** Begins one; gives the provider's address. `returnTo` is whatever the browser asked for. */
    async leave(
      client: OidcClient,
      transaction: Omit<NewTransaction, 'way' | 'returnTo'> & { returnTo: string | undefined },
      request: Pick<AuthorizationRequest, 'loginHint' | 'language' | 'prompt'>,
      { cookies, log }: By,
    ): Promise<{ url: string }> {
      const { provider } = client;
      const returnTo = returnAddress(transaction.returnTo, deps.publicUrl);
      const begun = await deps.transactions.begin({ ...transaction, way: provider.id, returnTo }, cookies);
      try {
        return { url: (await client.authorizationUrl({ ...begun, ...request })).href };
      } catch (error) {
        const failure = explainFailure(error, provider.name);
        log.warn({ way: provider.id, ...loggedFailure(failure) }, 'the provider could not be asked');
        deps.recordProviderResult(provider.id, failure.text.code);
        throw failure;
      }
    },
  };
}
