import type { ProviderConfig } from '../../platform/config/read-config.ts';
import type { Database } from '../../platform/database/database.ts';
import type { CallerKind } from '../../platform/http/authenticate.ts';
import {
  bearerToken,
  createAccessTokenVerifier,
  type AccessTokenClaims,
} from '../../platform/identity/access-token.ts';
import type { Provider } from '../../platform/identity/provider.ts';
import { createAdmission } from './admission.ts';
import type { ProvisionUser } from './provision-user.ts';
import type { RecordProviderResult } from './oidc/provider-health.ts';

export function accessTokenCallerKind(deps: {
  registration: ProviderConfig;
  provider: Provider;
  database: Database;
  recentTokens: { recordAccepted(claims: AccessTokenClaims): void; recordRefused(error: unknown): void };
  provisionUser: ProvisionUser;
  recordProviderResult: RecordProviderResult;
  now: () => number;
}): CallerKind {
  const { registration, provider, recentTokens } = deps;
  const verify = createAccessTokenVerifier(
    {
      keys: provider.keys,
      async rules() {
        return {
          issuer: await provider.issuer(),
          audience: registration.audience,
          // Tokens of the password-reset policy are not valid here.
          policies: [registration.signInPolicy, registration.signUpPolicy],
          scope: registration.apiScopes[0]?.split('/').at(-1) ?? '',
        };
      },
    },
    deps.now,
  );
  const admit = createAdmission({ ...deps, ...registration });

  return {
    name: 'access token',
    secretOf: ({ raw, headers }) => bearerToken(raw.rawHeaders, headers.authorization),
    async authenticate(token, _request, origin) {
      try {
        const claims = await verify(token);
        recentTokens.recordAccepted(claims);
        return await admit(claims, origin);
      } catch (error) {
        recentTokens.recordRefused(error);
        throw error;
      }
    },
  };
}
