/** Re-authentication with a passkey or a mailed code. A new session replaces the current one. */
import { signInProblems, signInStartErrors } from '@vestibule/contract/sign-in';
import {
  startCodeConfirmation,
  startPasskeyConfirmation,
  confirmByCode,
  confirmByPasskey,
} from '@vestibule/contract/sign-in/confirm';
import { passkeyErrors } from '@vestibule/contract/sign-in/passkeys';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Caller, type Implementation } from '../../../platform/http/implement.ts';
import { findPerson } from '../../people/people-store.ts';
import type { AddressCodes } from '../email-codes/code-store.ts';
import type { EmailCodes } from '../email-codes/email-codes.ts';
import { startPage } from '../oidc/return-url.ts';
import type { Authenticator } from './authenticators/authenticator.ts';
import type { Challenges } from './authenticators/challenges.ts';
import { needsPasskey } from './passkey-rules.ts';
import { createPasskeySession } from './passkey-session.ts';
import type { VerifyPasskey } from './passkey-sign-in.ts';
import { findUserHandle, listPasskeys } from './passkey-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

type Deps = SignInContext & {
  authenticator: Authenticator;
  challenges: Challenges;
  verifyPasskey: VerifyPasskey;
  addressCodes: AddressCodes;
  codes: () => EmailCodes;
};

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
      await createPasskeySession(deps, passkey, { cookies, origin, id: deps.newId(), handle });
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

    implement(confirmByCode, async ({ caller, body, cookies, origin }) => {
      challengeBinding(caller);
      const transaction = await deps.codes().enter(body, cookies);
      const isOwn = transaction.purpose === 'confirm' && transaction.person_id === caller.id;
      const handle = isOwn ? await findUserHandle(database, caller.id) : null;
      if (handle === null || !(await authorizationRequests.remove(transaction.state_hash, cookies)))
        throw fail(signInProblems.expired);
      const person = await findPerson(database, caller.id);
      if (!person) throw fail(signInProblems.expired);
      await createPasskeySession(deps, person, { cookies, origin, id: deps.newId(), handle });
      return confirmed;
    }),
  ];
}

/** Returns the binding of the challenge. Throws for callers with a token: they have no session. */
function challengeBinding({ session }: Caller): string {
  if (session === undefined) throw fail(signInStartErrors.wayUnknown);
  return `confirm ${session}`;
}
