/** Signing in with a passkey: whoever signs a challenge of ours with a key that we know is the person it belongs to. */
import { signInProblems } from '@vestibule/contract/sign-in';
import { askForPasskey, passkeyErrors, signInWithPasskey } from '@vestibule/contract/sign-in/passkeys';
import type { AuthenticationResponse } from '@vestibule/contract/sign-in/web-authn';
import type { Database, Queryable } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { returnAddress } from '../oidc/return-address.ts';
import type { NoteWay } from '../oidc/way-notes.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Authenticator } from './authenticator.ts';
import type { Challenges } from './challenges.ts';
import { beginPasskeySession } from './passkey-session.ts';
import { findPasskey, notePasskeyUsed, type FoundPasskey } from './passkey-store.ts';

type Deps = {
  database: Database;
  authenticator: Authenticator;
  challenges: Challenges;
  sessions: Sessions;
  noteWay: NoteWay;
  publicUrl: string;
  now: () => number;
  newId: () => string;
};

export function passkeySignInRoutes(deps: Deps): Implementation[] {
  const { authenticator, challenges } = deps;
  const binding = (browser: string) => `sign-in ${browser}`;
  return [
    implement(askForPasskey, ({ cookies }) => {
      const browser = challenges.browserOf(cookies, true) as string;
      return authenticator.requestOptions(challenges.make(binding(browser)));
    }),

    implement(signInWithPasskey, async ({ body, cookies, origin }) => {
      const browser = challenges.browserOf(cookies, false);
      if (browser === null) throw fail(signInProblems.expired);
      const { passkey, used } = await verifyPasskey(deps, body.response, binding(browser));
      await beginPasskeySession(
        deps,
        passkey,
        { cookies, origin, id: deps.newId(), handle: passkey.handle },
        used,
      );
      return { returnTo: returnAddress(body.returnTo, deps.publicUrl) };
    }),
  ];
}

/** Whose passkey has signed, and what is to be noted of it in the transaction of what it is used for. */
export async function verifyPasskey(
  {
    database,
    authenticator,
    challenges,
    now,
  }: Pick<Deps, 'database' | 'authenticator' | 'challenges' | 'now'>,
  response: AuthenticationResponse,
  binding: string,
): Promise<{ passkey: FoundPasskey; used: (transaction: Queryable) => Promise<void> }> {
  const challenge = challenges.read(response, binding);
  try {
    const passkey = await findPasskey(database, response.id, authenticator.rpId);
    if (!passkey) throw fail(passkeyErrors.unknown);
    const told = await authenticator.authenticate(response, challenge.text, passkey);
    return {
      passkey,
      async used(transaction) {
        const noted = { credentialId: passkey.credential_id, ...told, at: new Date(now()) };
        const [isNoted] = await Promise.all([
          notePasskeyUsed(transaction, noted),
          challenge.use(transaction),
        ]);
        if (!isNoted) throw fail(passkeyErrors.refused);
      },
    };
  } catch (error) {
    // It works once, whatever becomes of it.
    await challenge.use();
    throw error;
  }
}
