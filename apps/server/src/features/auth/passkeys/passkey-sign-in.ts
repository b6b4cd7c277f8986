import { personErrors } from '@vestibule/contract/people';
import { signInProblems } from '@vestibule/contract/sign-in';
import { askForPasskey, passkeyErrors, signInWithPasskey } from '@vestibule/contract/sign-in/passkeys';
import type { AuthenticationResponse } from '@vestibule/contract/sign-in/web-authn';
import type { DatabaseDeps } from '../../../platform/database/database.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import { implement, type Implementation, type Origin } from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import { safeReturnUrl } from '../oidc/return-url.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Authenticator } from './authenticators/authenticator.ts';
import type { Challenges } from './authenticators/challenges.ts';
import { createPasskeySession } from './passkey-session.ts';
import {
  findPasskeys,
  recordAnsweredChallenge,
  recordPasskeyUses,
  type FoundPasskey,
  type UsedPasskey,
} from './passkey-store.ts';
import { markPasskeySeen } from './passkey-prompt-cookie.ts';
import type { SignInContext } from '../sign-in-context.ts';

/** Limit of failed responses per network: each stores a row until its challenge expires. */
export const failedPasskeyLimit = { name: 'failed passkey', maximum: 30, windowSeconds: 60 };

type Deps = SignInContext & {
  authenticator: Authenticator;
  challenges: Challenges;
  verifyPasskey: VerifyPasskey;
};

export function passkeySignInRoutes(deps: Deps): Implementation[] {
  const { authenticator, challenges, verifyPasskey } = deps;
  const binding = (browser: string) => `sign-in ${browser}`;
  return [
    implement(askForPasskey, ({ cookies }) => {
      const browser = challenges.browserBinding(cookies, true) as string;
      return authenticator.requestOptions(challenges.create(binding(browser)));
    }),

    implement(signInWithPasskey, async ({ body, cookies, origin }) => {
      const browser = challenges.browserBinding(cookies, false);
      if (browser === null) throw fail(signInProblems.expired);
      const passkey = await verifyPasskey(body.response, binding(browser), origin);
      const { handle } = passkey;
      await createPasskeySession(deps, passkey, { cookies, origin, id: deps.newId(), handle });
      markPasskeySeen(cookies);
      return { returnTo: safeReturnUrl(body.returnTo, deps.publicUrl) };
    }),
  ];
}

/** Verifies a response and records its challenge, which works once even if the verification fails. */
export type VerifyPasskey = (
  response: AuthenticationResponse,
  binding: string,
  origin: Origin,
  personId?: string,
) => Promise<FoundPasskey>;

export function createVerifyPasskey({
  database,
  authenticator,
  challenges,
  sessions,
  now,
}: DatabaseDeps & {
  authenticator: Authenticator;
  challenges: Challenges;
  sessions: Sessions;
}): VerifyPasskey {
  const failures = createRateLimit({ database, now }, failedPasskeyLimit);
  const find = createBatchLoader((ids: string[]) => findPasskeys(database, ids, authenticator.rpId), 1);
  const recordUse = createBatchLoader(
    (used: UsedPasskey[]) => recordPasskeyUses(database, used, new Date(now())),
    1,
    ({ credentialId, challenge }) => [credentialId, challenge.hash.toString('base64')],
  );

  return async (response, binding, origin, personId) => {
    const challenge = challenges.read(response, binding);
    const { passkey, state } = await check(response, challenge.text, personId).catch(
      async (error: unknown) => {
        // Only failures are limited, so that others in the network cannot block a valid passkey.
        assertWithinRateLimit(await failures.take(networkOf(origin.address)));
        throw (await recordAnsweredChallenge(database, challenge)) ? error : fail(signInProblems.expired);
      },
    );
    // After the verification, so that only the owner is limited.
    sessions.refuseTooOften(passkey.id);
    const result = await recordUse({ credentialId: passkey.credential_id, ...state, challenge });
    if (result !== 'recorded')
      throw fail(result === 'reused' ? signInProblems.expired : passkeyErrors.refused);
    return passkey;
  };

  async function check(response: AuthenticationResponse, challenge: string, personId?: string) {
    const passkey = await find(response.id);
    if (!passkey) throw fail(passkeyErrors.unknown);
    const state = await authenticator.authenticate(response, challenge, passkey, personId);
    if (passkey.status === 'disabled') throw fail(personErrors.disabled);
    return { passkey, state };
  }
}
