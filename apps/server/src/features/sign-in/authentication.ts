/** Who is calling: by an access token of the provider, or a personal one of this application. */
import { requestErrors } from '@vestibule/contract/request-errors';
import type { ProviderConfig } from '../../platform/config/read-config.ts';
import type { Database } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import type { Authenticate } from '../../platform/http/mount.ts';
import {
  bearerToken,
  createAccessTokenVerifier,
  type AccessTokenClaims,
} from '../../platform/identity/access-token.ts';
import type { Provider } from '../../platform/identity/provider.ts';
import type { RecordEvent } from '../invitations/life/invitation-events.ts';
import { createAdmission } from './admission.ts';

export function createAuthentication(deps: {
  registration: ProviderConfig;
  provider: Provider;
  database: Database;
  personalTokens: {
    isOne(bearer: string): boolean;
    authenticate(token: string, scope: string | undefined, origin: Origin): Promise<Caller>;
  };
  /** Told of each token of the provider. */
  seenTokens: { accepted(token: string, claims: AccessTokenClaims): void; refused(error: unknown): void };
  recordEvent: RecordEvent;
  now: () => number;
  newId: () => string;
}): Authenticate {
  const { registration, provider, personalTokens, seenTokens } = deps;
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
  const admit = createAdmission({ ...deps, invitationClaim: registration.invitationClaim });

  return async (request, origin) => {
    const token = bearerToken(request.raw.rawHeaders, request.headers.authorization);
    if (token === null) throw fail(requestErrors.signInNeeded);
    if (personalTokens.isOne(token))
      return personalTokens.authenticate(token, request.routeOptions.config.scope, origin);
    try {
      const claims = await verify(token);
      seenTokens.accepted(token, claims);
      return await admit(claims, origin);
    } catch (error) {
      seenTokens.refused(error);
      throw error;
    }
  };
}
