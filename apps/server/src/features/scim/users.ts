/**
 * Lets in and shuts out whom the directory names. In one transaction with the entries of the log: whoever is new gets an
 * invitation, mailed or silent, and is let in by it as everybody is; whoever is switched off is disabled, and no invitation of
 * theirs leads in any more. The last administrator stays, whatever the directory says.
 */
import { recordChange } from '../../platform/audit/audit-log.ts';
import { execute, type Queryable } from '../../platform/database/database.ts';
import { isAllowed } from '../invitations/create/check-rows.ts';
import { personActions } from '../people/person-changes.ts';
import { directoryTransaction } from './scim-transaction.ts';
import { directoryAccess, findPersonId, hold, type By, type DirectoryUserDeps } from './user-access.ts';
import { noSuchResource, wrong } from './protocol/scim-failure.ts';
import { addressOf, type UserAttributes } from './protocol/user-attributes.ts';
import { attributesOf, findUser, insertUser, updateUser, type UserRow } from './user-store.ts';

const target = (id: string, label: string) => ({ type: 'directory_user', id, label });

/** Refused where the directory has seen another version. */
type RequireSeen = (row: UserRow) => void;

export type DirectoryUsers = ReturnType<typeof directoryUsers>;

export function directoryUsers(deps: DirectoryUserDeps) {
  const { database, now } = deps;
  const { change, letIn, shutOut, withdraw } = directoryAccess(deps);

  return {
    create: (user: UserAttributes, by: By) =>
      directoryTransaction(database, async (transaction) => {
        const address = addressOf(user);
        await hold(transaction, address.emailCanonical);
        const personId = await findPersonId(transaction, address.emailCanonical);
        if (personId === null) await requireAllowed(transaction, address.emailCanonical);
        const id = deps.newId();
        const active = user.active ?? true;
        await insertUser(transaction, id, { ...user, ...address, active, personId, at: new Date(now()) });
        await recordChange(transaction, {
          action: 'directory.user_created',
          actor: by.caller,
          target: target(id, address.email),
          origin: by.origin,
        });
        const row = await requireUser(transaction, id);
        // Whoever was disabled here stays so: that they are in the directory enables nobody.
        if (!active) await shutOut(transaction, row, by);
        else if (personId === null) await letIn(transaction, row, by);
        return requireUser(transaction, id);
      }),

    update: (
      id: string,
      {
        change: changed,
        requireSeen,
      }: { change: (before: UserAttributes) => UserAttributes; requireSeen: RequireSeen },
      by: By,
    ) =>
      directoryTransaction(database, async (transaction) => {
        const row = await requireHeld(transaction, id);
        requireSeen(row);
        const before = attributesOf(row);
        const said = changed({ ...before, active: null });
        const after = { ...said, active: said.active ?? row.active };
        const address = addressOf(after);
        // Said again, it holds again: an administrator may have let them in meanwhile.
        const isOff = said.active === false;
        if (!differ(before, after)) {
          if (isOff) await shutOut(transaction, row, by);
          return requireUser(transaction, id);
        }
        const moves = address.emailCanonical !== row.email_canonical;
        const switches = after.active !== row.active;
        if (moves && row.person_id === null) await withdraw(transaction, row, by);
        const personId = row.person_id ?? (await findPersonId(transaction, address.emailCanonical));
        if (moves && personId === null) await requireAllowed(transaction, address.emailCanonical);
        await updateUser(transaction, id, {
          ...after,
          ...address,
          personId,
          at: new Date(now()),
        });
        await recordChange(transaction, {
          action: 'directory.user_changed',
          actor: by.caller,
          target: target(id, address.email),
          origin: by.origin,
          detail: { before: { active: row.active }, after: { active: after.active } },
        });
        const written = await requireUser(transaction, id);
        if (!after.active && (isOff || moves)) await shutOut(transaction, written, by);
        if (after.active && (switches || (moves && personId === null))) await letIn(transaction, written, by);
        return requireUser(transaction, id);
      }),

    remove: (id: string, requireSeen: RequireSeen, by: By) =>
      directoryTransaction(database, async (transaction) => {
        const row = await requireHeld(transaction, id);
        requireSeen(row);
        await withdraw(transaction, row, by);
        // What they leave waits for an administrator to hand it over, as with every removal.
        if (row.person_id !== null)
          await change(
            transaction,
            { ...by, params: { personId: row.person_id }, query: { files: 'delete' } },
            personActions.remove,
          );
        await execute(transaction, 'delete from directory_users where id = $1', [id]);
        await recordChange(transaction, {
          action: 'directory.user_removed',
          actor: by.caller,
          target: target(id, row.email),
          origin: by.origin,
        });
      }),
  };

  async function requireAllowed(transaction: Queryable, emailCanonical: string): Promise<void> {
    const { allowedDomains } = await deps.settings.current(transaction);
    if (!isAllowed(emailCanonical, allowedDomains))
      throw wrong(
        'invalidValue',
        'Addresses of this domain are not let in here: Settings, Invitations, Allowed domains.',
      );
  }
}

/**
 * The row, after everything that others hold as well, in their order: an invitation, then the person, then what the
 * directory says.
 */
async function requireHeld(transaction: Queryable, id: string): Promise<UserRow> {
  const seen = await requireUser(transaction, id);
  await hold(transaction, seen.email_canonical);
  const personId = seen.person_id ?? (await findPersonId(transaction, seen.email_canonical));
  if (personId !== null)
    await execute(transaction, 'select from people where id = $1 for update', [personId]);
  const row = await findUser(transaction, id, { locked: true });
  if (!row) throw noSuchResource();
  if (row.person_id !== null || personId === null) return row;
  // They came in at the very moment at which the directory named them.
  await execute(transaction, 'update directory_users set person_id = $2 where id = $1', [id, personId]);
  return requireUser(transaction, id);
}

async function requireUser(database: Queryable, id: string): Promise<UserRow> {
  const row = await findUser(database, id);
  if (!row) throw noSuchResource();
  return row;
}

const differ = (before: UserAttributes, after: UserAttributes) =>
  (Object.keys(before) as (keyof UserAttributes)[]).some((name) => before[name] !== after[name]);
