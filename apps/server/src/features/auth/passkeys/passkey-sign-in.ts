import { personErrors } from '@vestibule/contract/people';
import { signInProblems, signInStartErrors } from '@vestibule/contract/sign-in';
import { askForPasskey, passkeyErrors, signInWithPasskey } from '@vestibule/contract/sign-in/passkeys';
import type { AuthenticationResponse } from '@vestibule/contract/sign-in/web-authn';
import type { DatabaseDeps } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit, required } from '../../../platform/errors/failure.ts';
import {
  implement,
  type Implementation,
  type Origin,
  type Caller,
} from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import { safeReturnUrl, startPage } from '../oidc/start-authorization.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Authenticator } from './authenticator.ts';
import type { Challenges } from './challenges.ts';
import { createPasskeySession, markPasskeySeen, needsPasskey } from './passkey-session.ts';
import {
  findPasskey,
  recordAnsweredChallenge,
  recordPasskeyUse,
  findUserHandle,
  listPasskeys,
  type FoundPasskey,
} from './passkey-store.ts';
import type { SignInContext } from '../sign-in-context.ts';
import {
  startCodeConfirmation,
  startPasskeyConfirmation,
  confirmByCode,
  confirmByPasskey,
} from '@vestibule/contract/sign-in/confirm';
import { findPerson } from '../../people/people-store.ts';
import type { AddressCodes } from '../email-codes/code-store.ts';
import type { EmailCodes } from '../email-codes/email-codes.ts';

/** Limit of failed responses per network: each stores a row until its challenge expires. */
export const failedPasskeyLimit = { name: 'failed passkey', maximum: 30, windowSeconds: 60 };

type Deps = SignInContext & {
  authenticator: Authenticator;
  challenges: Challenges;
  verifyPasskey: VerifyPasskey;
  addressCodes: AddressCodes;
  codes: () => EmailCodes;
};

export function passkeySignInRoutes(deps: Deps): Implementation[] {
  const { authenticator, challenges, verifyPasskey } = deps;
  const binding = (browser: string) => `sign-in ${browser}`;
  return [
    implement(askForPasskey, ({ cookies }) => {
      const browser = challenges.browserBinding(cookies, true) as string;
      return Promise.resolve(authenticator.requestOptions(challenges.create(binding(browser))));
    }),

    implement(signInWithPasskey, async ({ body, cookies, origin }) => {
      const browser = challenges.browserBinding(cookies, false);
      if (browser === null) throw fail(signInProblems.expired);
      const passkey = await verifyPasskey(body.response, binding(browser), origin);
      const { handle } = passkey;
      await createPasskeySession(deps, passkey, { cookies, origin, handle });
      markPasskeySeen(cookies);
      return { returnTo: safeReturnUrl(body.returnTo, deps.publicUrl) };
    }),
  ];
}

/** Verifies a response and records its challenge, which works once even if the verification fails. */
type VerifyPasskey = (
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
    if (!(await recordAnsweredChallenge(database, challenge))) throw fail(signInProblems.expired);
    const used = { credentialId: passkey.credential_id, ...state };
    if (!(await recordPasskeyUse(database, used, new Date(now())))) throw fail(passkeyErrors.refused);
    return passkey;
  };

  async function check(response: AuthenticationResponse, challenge: string, personId?: string) {
    const passkey = await findPasskey(database, response.id, authenticator.rpId);
    if (!passkey) throw fail(passkeyErrors.unknown);
    const state = await authenticator.authenticate(response, challenge, passkey, personId);
    if (passkey.status === 'disabled') throw fail(personErrors.disabled);
    return { passkey, state };
  }
}

/** Re-authentication with a passkey or a mailed code. A new session replaces the current one. */
export function confirmRoutes(deps: Deps): Implementation[] {
  const { database, authenticator, challenges, authorizationRequests } = deps;
  const confirmed = { confirmed: true as const };
  const listUsablePasskeys = async (personId: string) =>
    (await listPasskeys(database, personId)).filter((row) => row.rp_id === authenticator.rpId);

  return [
    implement(startPasskeyConfirmation, async ({ caller }) => {
      const binding = challengeBinding(caller);
      const usable = await listUsablePasskeys(caller.id);
      if (usable.length === 0) throw fail(passkeyErrors.unknown);
      return authenticator.requestOptions(challenges.create(binding), usable);
    }),

    implement(confirmByPasskey, async ({ caller, body, cookies, origin }) => {
      const passkey = await deps.verifyPasskey(body.response, challengeBinding(caller), origin, caller.id);
      if (passkey.id !== caller.id) throw fail(passkeyErrors.refused);
      const { handle } = passkey;
      await createPasskeySession(deps, passkey, { cookies, origin, handle });
      return confirmed;
    }),

    implement(startCodeConfirmation, async ({ caller, cookies, origin }) => {
      challengeBinding(caller);
      if ((await findUserHandle(database, caller.id)) === null) throw fail(signInProblems.cannotConfirm);
      const isNeeded = await needsPasskey(deps.settings, caller.isAdmin ? 'admin' : 'member');
      // People without a passkey may use a code to add their first one.
      if (isNeeded && (await listUsablePasskeys(caller.id)).length > 0) throw fail(passkeyErrors.required);
      const confirming = { purpose: 'confirm' as const, personId: caller.id, sessionId: caller.session };
      return deps.addressCodes.sendCode(
        { ...confirming, address: caller.email, name: null, returnTo: startPage },
        { cookies, origin },
      );
    }),

    implement(confirmByCode, async ({ caller, body, cookies, origin, log }) => {
      challengeBinding(caller);
      const request = await deps.codes().enter(body, { cookies, origin, log });
      const isOwn = request.purpose === 'confirm' && request.person_id === caller.id;
      const handle = isOwn ? await findUserHandle(database, caller.id) : null;
      if (handle === null || !(await authorizationRequests.remove(request.state_hash, cookies)))
        throw fail(signInProblems.expired);
      const person = required(await findPerson(database, caller.id), signInProblems.expired);
      await createPasskeySession(deps, person, { cookies, origin, handle });
      return confirmed;
    }),
  ];
}

/** Returns the binding of the challenge. Throws for callers with a token: they have no session. */
function challengeBinding({ session }: Caller): string {
  if (session === undefined) throw fail(signInStartErrors.wayUnknown);
  return `confirm ${session}`;
}
