/** Callers with an access token of Azure AD B2C, which the browser got there by itself. */
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
import type { AdmitNewcomer } from './provision-user.ts';
import type { NoteWay } from './oidc/provider-health.ts';

export function accessTokenKind(deps: {
  registration: ProviderConfig;
  provider: Provider;
  database: Database;
  /** Told of each token of the provider. */
  seenTokens: { accepted(token: string, claims: AccessTokenClaims): void; refused(error: unknown): void };
  admitNewcomer: AdmitNewcomer;
  noteWay: NoteWay;
  now: () => number;
}): CallerKind {
  const { registration, provider, seenTokens } = deps;
  const verify = createAccessTokenVerifier(
    {
      keys: provider.keys,
      async rules() {
        return {
          issuer: await provider.issuer(),
          audience: registration.audience,
          // Not the password-reset policy: its tokens end with the reset.
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
        seenTokens.accepted(token, claims);
        return await admit(claims, origin);
      } catch (error) {
        seenTokens.refused(error);
        throw error;
      }
    },
  };
}
