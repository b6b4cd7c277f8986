/**
 * Applies directory changes of users to people. A new user gets an invitation, mailed or silent; a disabled user is disabled and their
 * invitations are revoked, in one transaction with the audit entries. The last administrator cannot be disabled.
 */
import { recordChange } from '../../platform/audit/audit-log.ts';
import { execute, type Queryable } from '../../platform/database/database.ts';
import { isAllowed } from '../invitations/create/check-rows.ts';
import { personActions } from '../people/person-changes.ts';
import { runDirectoryTransaction } from './scim-transaction.ts';
import {
  createDirectoryAccess,
  findPersonId,
  lockInvitations,
  type Actor,
  type DirectoryUserDeps,
} from './user-access.ts';
import { unknownResource, badRequest } from './protocol/scim-failure.ts';
import { addressOf, type UserAttributes } from './protocol/user-attributes.ts';
import { attributesOf, findUser, insertUser, updateUser, type UserRow } from './user-store.ts';

const target = (id: string, label: string) => ({ type: 'directory_user', id, label });

/** Throws if the directory has read another version. */
type RequireVersion = (row: UserRow) => void;

export type DirectoryUsers = ReturnType<typeof createDirectoryUsers>;

export function createDirectoryUsers(deps: DirectoryUserDeps) {
  const { database, now } = deps;
  const { change, grantAccess, withdrawAccess, revokeInvitations } = createDirectoryAccess(deps);

  return {
    create: (user: UserAttributes, actor: Actor) =>
      runDirectoryTransaction(database, async (transaction) => {
        const address = addressOf(user);
        await lockInvitations(transaction, address.emailCanonical);
        const personId = await findPersonId(transaction, address.emailCanonical);
        if (personId === null) await requireAllowed(transaction, address.emailCanonical);
        const id = deps.newId();
        const active = user.active ?? true;
        await insertUser(transaction, id, { ...user, ...address, active, personId, at: new Date(now()) });
        await recordChange(transaction, {
          action: 'directory.user_created',
          actor: actor.caller,
          target: target(id, address.email),
          origin: actor.origin,
        });
        const row = await requireUser(transaction, id);
        // Creating a directory user does not enable a person who was disabled here.
        if (!active) await withdrawAccess(transaction, row, actor);
        else if (personId === null) await grantAccess(transaction, row, actor);
        return requireUser(transaction, id);
      }),

    update: (
      id: string,
      {
        change: applyChanges,
        requireVersion,
      }: { change: (before: UserAttributes) => UserAttributes; requireVersion: RequireVersion },
      actor: Actor,
    ) =>
      runDirectoryTransaction(database, async (transaction) => {
        const row = await requireLockedUser(transaction, id);
        requireVersion(row);
        const before = attributesOf(row);
        const requested = applyChanges({ ...before, active: null });
        const after = { ...requested, active: requested.active ?? row.active };
        const address = addressOf(after);
        // A repeated `active: false` applies again: an administrator may have enabled the person meanwhile.
        const isDisabled = requested.active === false;
        if (!hasChanged(before, after)) {
          if (isDisabled) await withdrawAccess(transaction, row, actor);
          return requireUser(transaction, id);
        }
        const hasNewAddress = address.emailCanonical !== row.email_canonical;
        const isToggled = after.active !== row.active;
        if (hasNewAddress && row.person_id === null) await revokeInvitations(transaction, row, actor);
        const personId = row.person_id ?? (await findPersonId(transaction, address.emailCanonical));
        if (hasNewAddress && personId === null) await requireAllowed(transaction, address.emailCanonical);
        await updateUser(transaction, id, {
          ...after,
          ...address,
          personId,
          at: new Date(now()),
        });
        await recordChange(transaction, {
          action: 'directory.user_changed',
          actor: actor.caller,
          target: target(id, address.email),
          origin: actor.origin,
          detail: { before: { active: row.active }, after: { active: after.active } },
        });
        const updated = await requireUser(transaction, id);
        if (!after.active && (isDisabled || hasNewAddress)) await withdrawAccess(transaction, updated, actor);
        if (after.active && (isToggled || (hasNewAddress && personId === null)))
          await grantAccess(transaction, updated, actor);
        return requireUser(transaction, id);
      }),

    remove: (id: string, requireVersion: RequireVersion, actor: Actor) =>
      runDirectoryTransaction(database, async (transaction) => {
        const row = await requireLockedUser(transaction, id);
        requireVersion(row);
        await revokeInvitations(transaction, row, actor);
        // The files of the person wait for an administrator, as after every removal.
        if (row.person_id !== null)
          await change(
            transaction,
            { ...actor, params: { personId: row.person_id }, query: { files: 'delete' } },
            personActions.remove,
          );
        await execute(transaction, 'delete from directory_users where id = $1', [id]);
        await recordChange(transaction, {
          action: 'directory.user_removed',
          actor: actor.caller,
          target: target(id, row.email),
          origin: actor.origin,
        });
      }),
  };

  async function requireAllowed(transaction: Queryable, emailCanonical: string): Promise<void> {
    const { allowedDomains } = await deps.settings.current(transaction);
    if (!isAllowed(emailCanonical, allowedDomains))
      throw badRequest(
        'invalidValue',
        'The domain of this address is not allowed: Settings, Invitations, Allowed domains.',
      );
  }
}

/** Returns the locked row. Locks in the common order: invitation, person, directory user. */
async function requireLockedUser(transaction: Queryable, id: string): Promise<UserRow> {
  const unlocked = await requireUser(transaction, id);
  await lockInvitations(transaction, unlocked.email_canonical);
  const personId = unlocked.person_id ?? (await findPersonId(transaction, unlocked.email_canonical));
  if (personId !== null)
    await execute(transaction, 'select from people where id = $1 for update', [personId]);
  const row = await findUser(transaction, id, { locked: true });
  if (!row) throw unknownResource();
  if (row.person_id !== null || personId === null) return row;
  // The person signed up while the directory created the user.
  await execute(transaction, 'update directory_users set person_id = $2 where id = $1', [id, personId]);
  return requireUser(transaction, id);
}

async function requireUser(database: Queryable, id: string): Promise<UserRow> {
  const row = await findUser(database, id);
  if (!row) throw unknownResource();
  return row;
}

const hasChanged = (before: UserAttributes, after: UserAttributes) =>
  (Object.keys(before) as (keyof UserAttributes)[]).some((name) => before[name] !== after[name]);
