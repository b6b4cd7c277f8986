import {
  addPasskey,
  startPasskey,
  listMyPasskeys,
  passkeyErrors,
  passkeysMaximum,
  removePasskey,
  renamePasskey,
  type Passkey,
} from '@vestibule/contract/sign-in/passkeys';
import type { Queryable } from '../../../platform/database/database.ts';
import { fail } from '../../../platform/errors/failure.ts';
import { implement, type Caller, type Implementation } from '../../../platform/http/implement.ts';
import { createMethodChangeLimit } from '../identities/identity-store.ts';
import { startPage } from '../oidc/start-authorization.ts';
import type { Authenticator } from './authenticator.ts';
import {
  startRegistration,
  finishRegistration,
  storePasskey,
  rejectKnownPasskey,
  passkeyMailJob,
  passkeyRemovedMailName,
  passkeyRenamedMailName,
  recordPasskey,
} from './passkey-changes.ts';
import { needsPasskey, markPasskeySeen } from './passkey-session.ts';
import {
  deletePasskey,
  findUserHandle,
  listPasskeys,
  renamePasskeyRow,
  type PasskeyRow,
} from './passkey-store.ts';
import type { SignInContext } from '../sign-in-context.ts';

type Subject = { personId: string; handle: string | null };

export function myPasskeyRoutes(deps: SignInContext & { authenticator: Authenticator }): Implementation[] {
  const { database } = deps;
  const { rpId } = deps.authenticator;
  const countMethodChange = createMethodChangeLimit(deps);
  const countChange = (transaction: Queryable, caller: Caller) =>
    countMethodChange(transaction, caller.id, passkeyErrors.tooOften);

  async function codeUseOf(caller: Caller): Promise<'enough' | 'only-for-a-passkey' | 'no'> {
    if ((await findUserHandle(database, caller.id)) === null) return 'no';
    const isNeeded = await needsPasskey(deps.settings, caller.isAdmin ? 'admin' : 'member');
    return isNeeded ? 'only-for-a-passkey' : 'enough';
  }

  const toOwnPasskey = (row: PasskeyRow) => ({ ...toPasskey(row, rpId), credentialId: row.credential_id });

  async function getOwnPasskey(queryable: Queryable, caller: Caller, passkeyId: string) {
    const row = (await listPasskeys(queryable, caller.id)).find(({ id }) => id === passkeyId);
    if (!row) throw fail(passkeyErrors.notFound);
    return toOwnPasskey(row);
  }

  return [
    implement(listMyPasskeys, async ({ caller }) => ({
      rows: (await listPasskeys(database, caller.id)).map(toOwnPasskey),
      rpId,
      userId: await findUserHandle(database, caller.id),
      codes: await codeUseOf(caller),
    })),

    implement(startPasskey, async ({ caller, cookies, origin }) => {
      await deps.authorization.countStart(origin);
      const existing = await listPasskeys(database, caller.id);
      if (existing.length >= passkeysMaximum) throw fail(passkeyErrors.tooMany);
      const subject: Subject = { personId: caller.id, handle: await findUserHandle(database, caller.id) };
      return startRegistration(
        deps,
        { returnTo: startPage, invitationId: null },
        { subject, email: caller.email, name: caller.displayName, existing },
        cookies,
      );
    }),

    implement(addPasskey, async ({ caller, body, cookies, origin }) => {
      const { request, handle, passkey } = await finishRegistration<Subject>(
        deps,
        body,
        { cookies, origin },
        ({ personId }) => personId === caller.id,
      );
      const at = new Date(deps.now());
      const { created_at: requestedAt } = request;
      await database
        .transaction(async (within) => {
          await storePasskey(deps.mail, within, { handle, requestedAt, passkey, person: caller, origin, at });
          await countChange(within, caller);
        })
        .catch(rejectKnownPasskey);
      markPasskeySeen(cookies);
      return getOwnPasskey(database, caller, passkey.id);
    }),

    implement(renamePasskey, async ({ caller, params, body, origin }) =>
      database.transaction(async (transaction) => {
        const row = await renamePasskeyRow(transaction, caller.id, params.passkeyId, body.name);
        if (!row) return getOwnPasskey(transaction, caller, params.passkeyId);
        await countChange(transaction, caller);
        await Promise.all([
          recordPasskey(transaction, 'passkey.renamed', caller, row.name, origin),
          deps.mail.queue(transaction, [passkeyMailJob(passkeyRenamedMailName, caller.id, row.name)]),
        ]);
        return toOwnPasskey(row);
      }),
    ),

    // Not rate-limited: the owner of a stolen device must be able to remove it.
    implement(removePasskey, async ({ caller, params, origin }) => {
      const codes = await codeUseOf(caller);
      return database.transaction(async (transaction) => {
        const row = await deletePasskey(transaction, caller.id, params.passkeyId, {
          rpId,
          areCodesSufficient: codes === 'enough',
          signInMethods: deps.signInMethods.map(({ id }) => id),
        });
        if (!row) {
          const existing = await listPasskeys(transaction, caller.id);
          const exists = existing.some(({ id }) => id === params.passkeyId);
          throw fail(exists ? passkeyErrors.lastWay : passkeyErrors.notFound);
        }
        await Promise.all([
          recordPasskey(transaction, 'passkey.removed', caller, row.name, origin),
          deps.mail.queue(transaction, [{ template: passkeyRemovedMailName, subjectId: caller.id }]),
        ]);
        return { id: row.id };
      });
    }),
  ];
}

export const toPasskey = (row: PasskeyRow, rpId: string): Passkey => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  isSynced: row.is_backed_up,
  works: row.rp_id === rpId,
});
