import { requirePerson } from '../../people/people-store.ts';
import {
  addIdentity,
  listIdentities,
  listIdentitiesOf,
  removeIdentity,
  type Identity,
} from '@vestibule/contract/sign-in/identities';
import { identitiesMaximum } from '@vestibule/contract/rules/limits';
import { signInProblems, signInStartErrors } from '@vestibule/contract/sign-in';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../../platform/http/implement.ts';
import { findIdentityOfSession } from '../sessions/session-store.ts';
import { findUsableIdentities, listIdentityRows } from './identity-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

export function identityRoutes(deps: SignInContext): Implementation[] {
  const { database, authorization } = deps;

  async function identitiesOf(personId: string, session: string | undefined): Promise<{ rows: Identity[] }> {
    const enabled = { enabledMethods: deps.identities.enabledMethods, at: new Date(deps.now()) };
    const [rows, usable, current] = await Promise.all([
      listIdentityRows(database, personId),
      findUsableIdentities(database, personId, enabled),
      session === undefined ? null : findIdentityOfSession(database, session),
    ]);
    return {
      rows: await Promise.all(
        rows.map(async (row) => {
          const method = await deps.findMethod(row.way);
          return {
            id: row.id,
            way: row.way,
            wayName: method?.name ?? row.way,
            isOpen: usable.has(row.id),
            email: row.email,
            addedAt: row.created_at.toISOString(),
            lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
            current: row.id === current,
          };
        }),
      ),
    };
  }

  return [
    implement(listIdentities, ({ caller }) => identitiesOf(caller.id, caller.session)),

    implement(listIdentitiesOf, async ({ caller, params: { personId } }) => {
      await requirePerson(database, personId);
      return identitiesOf(personId, caller.session);
    }),

    implement(addIdentity, async ({ caller, body, cookies, origin, log }) => {
      await authorization.countStart(origin);
      const client = deps.clients.get(body.way);
      if (!client) throw fail(signInStartErrors.wayUnknown);
      // Early refusal only; the callback enforces the limit.
      if ((await listIdentityRows(database, caller.id)).length >= identitiesMaximum)
        throw fail(signInProblems.identitiesFull);
      return authorization.start(
        client,
        { returnTo: body.returnTo, purpose: 'add', personId: caller.id, sessionId: caller.session },
        { language: body.language, prompt: 'login' },
        { cookies, origin, log },
      );
    }),

    implement(removeIdentity, async ({ caller, params: { identityId }, origin }) => {
      await deps.identities.remove(identityId, caller, origin);
      return { id: identityId };
    }),
  ];
}
