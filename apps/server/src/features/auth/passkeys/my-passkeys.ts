import { signInProblems } from '@vestibule/contract/sign-in';
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
import { passkeyMethod } from '../../../platform/config/sign-in-methods.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { createRateLimit } from '../../../platform/database/rate-limit.ts';
import { fail, assertWithinRateLimit } from '../../../platform/errors/failure.ts';
import { implement, type Caller, type Implementation } from '../../../platform/http/implement.ts';
import { networkOf } from '../../../platform/http/ip-network.ts';
import { createMethodChangeLimit } from '../identities/change-limit.ts';
import { signInStartLimit } from '../oidc/start-authorization.ts';
import { startPage } from '../oidc/return-url.ts';
import type { Authenticator } from './authenticators/authenticator.ts';
import { defaultPasskeyName } from './authenticators/authenticator-names.ts';
import {
  storePasskey,
  rejectKnownPasskey,
  passkeyMailJob,
  passkeyRemovedMailName,
  passkeyRenamedMailName,
  recordPasskey,
} from './passkey-changes.ts';
import { needsPasskey } from './passkey-rules.ts';
import {
  deletePasskey,
  findUserHandle,
  listPasskeys,
  renamePasskeyRow,
  type PasskeyRow,
} from './passkey-store.ts';
import { markPasskeySeen } from './passkey-prompt-cookie.ts';
import type { SignInContext } from '../sign-in-context.ts';

type Deps = SignInContext & { authenticator: Authenticator };

type Attempt = { personId: string; handle: string | null };

export function myPasskeyRoutes(deps: Deps): Implementation[] {
  const { database, authorizationRequests, authenticator } = deps;
  const { rpId } = authenticator;
  const starts = createRateLimit(deps, signInStartLimit);
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
      assertWithinRateLimit(await starts.take(networkOf(origin.address)));
      const existing = await listPasskeys(database, caller.id);
      if (existing.length >= passkeysMaximum) throw fail(passkeyErrors.tooMany);
      const handle = await findUserHandle(database, caller.id);
      const attempt: Attempt = { personId: caller.id, handle };
      const hash = await authorizationRequests.createLocal(
        {
          way: passkeyMethod,
          returnTo: startPage,
          invitationId: null,
          outcome: { kind: 'passkey' },
          sealed: deps.sessions.tokenEncryption.encrypt(JSON.stringify(attempt)),
        },
        cookies,
      );
      const options = await authenticator.creationOptions({
        productName: (await deps.settings.current()).productName,
        email: caller.email,
        name: caller.displayName,
        handle: handle ?? authorizationRequests.handleOf(hash),
        challenge: authorizationRequests.challengeOf(hash),
        existing,
      });
      return { attempt: hash.toString('base64url'), options };
    }),

    implement(addPasskey, async ({ caller, body, cookies, origin }) => {
      const transaction = await authorizationRequests.claimPasskey(body.attempt, cookies);
      const attempt =
        transaction?.sealed &&
        (JSON.parse(deps.sessions.tokenEncryption.decrypt(transaction.sealed)) as Attempt);
      if (!transaction || !attempt || attempt.personId !== caller.id) throw fail(signInProblems.expired);
      const passkey = await authenticator.register(
        body.response,
        authorizationRequests.challengeOf(transaction.state_hash),
        { id: deps.newId(), name: (aaguid) => defaultPasskeyName(aaguid, origin.userAgent) },
      );
      const handle = attempt.handle ?? authorizationRequests.handleOf(transaction.state_hash);
      const at = new Date(deps.now());
      const { created_at: requestedAt } = transaction;
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

export function toPasskey(row: PasskeyRow, rpId: string): Passkey {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    isSynced: row.is_backed_up,
    works: row.rp_id === rpId,
  };
}
