/**
 * Applies directory changes of users to people. A new user gets an invitation, mailed or silent; a disabled user is disabled and their
 * invitations are revoked, in one transaction with the audit entries. The last administrator cannot be disabled.
 */
import { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import { lifetimeMaximumDays } from '@vestibule/contract/rules/limits';
import * as z from 'zod/mini';
import { recordChange } from '../../platform/audit/audit-log.ts';
import {
  execute,
  retryOnDeadlock,
  rowOf,
  rowsOf,
  type CoreDeps,
  type Database,
  type Queryable,
} from '../../platform/database/database.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { isAllowed } from '../invitations/create/check-rows.ts';
import { createInvitations } from '../invitations/create/create-invitations.ts';
import { revokeAndRecord } from '../invitations/lifecycle/lifecycle.ts';
import type { ShortCodes } from '../invitations/link/short-code.ts';
import { createPersonChanges, lockAdministrators, personActions } from '../people/person-changes.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { isInAdministratorGroup } from './group-store.ts';
import { badRequest, uniquenessFailure, unknownResource } from './protocol/scim-failure.ts';
import { addressOf, nameOf, type UserAttributes } from './protocol/user-attributes.ts';
import { attributesOf, findUser, insertUser, updateUser, type UserRow } from './user-store.ts';

export type Actor = { caller: Caller; origin: Origin };

export type DirectoryUserDeps = CoreDeps & {
  mail: MailQueue;
  settings: SettingsStore;
  shortCodes: ShortCodes;
};

/** Defaults of the optional invitation fields, which a directory does not provide. */
const invitationDefaults = z.parse(z.omit(NewInvitation, { email: true }), {});

/** Discards mails. */
const silentMail: Pick<MailQueue, 'sends' | 'queue'> = { sends: false, queue: () => Promise.resolve() };

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

/** Grants and withdraws access within the transaction of the request. */
function createDirectoryAccess(deps: DirectoryUserDeps) {
  const { now } = deps;
  const { change } = createPersonChanges(deps);
  return { change, grantAccess, withdrawAccess, revokeInvitations };

  async function grantAccess(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
    if (row.person_id !== null) {
      await change(
        transaction,
        { ...actor, params: { personId: row.person_id }, query: {} },
        personActions.enable,
      );
      return;
    }
    const { invitationLifetimeDays, mailLanguage } = await deps.settings.current(transaction);
    const found = await rowOf<{ on_create: 'invite' | 'admit' }>(transaction, {
      text: 'select on_create from directory',
    });
    const isSilent = found?.on_create === 'admit';
    // An existing invitation by an administrator stays valid.
    await createInvitations({ ...deps, mail: isSilent ? silentMail : deps.mail }, transaction, [
      {
        ...invitationDefaults,
        email: row.email,
        emailCanonical: row.email_canonical,
        name: nameOf(attributesOf(row)),
        role: (await isInAdministratorGroup(transaction, row.id)) ? 'admin' : 'member',
        language: mailLanguage,
        lifetimeDays: isSilent ? lifetimeMaximumDays : invitationLifetimeDays,
        batchId: null,
        organization: null,
        organizationRoleId: null,
        ...actor,
      },
    ]);
  }

  async function withdrawAccess(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
    await revokeInvitations(transaction, row, actor);
    if (row.person_id !== null)
      await change(
        transaction,
        { ...actor, params: { personId: row.person_id }, query: {} },
        personActions.disable,
      );
  }

  /** Revokes pending invitations to the address. */
  async function revokeInvitations(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
    const pending = await lockInvitations(transaction, row.email_canonical);
    await revokeAndRecord({ now }, transaction, pending, actor);
  }
}

/** Locks the administrators and the pending invitations to an address, so that none is redeemed meanwhile. */
async function lockInvitations(transaction: Queryable, emailCanonical: string): Promise<string[]> {
  await lockAdministrators(transaction);
  const rows = await rowsOf<{ id: string }>(transaction, {
    text: `select id from invitations where email_canonical = $1 and status = 'pending' for update`,
    values: [emailCanonical],
  });
  return rows.map(({ id }) => id);
}

/** Returns the id of the person with this address and locks the row. */
async function findPersonId(transaction: Queryable, emailCanonical: string): Promise<string | null> {
  const found = await rowOf<{ id: string }>(transaction, {
    text: 'select id from people where email_canonical = $1 for update',
    values: [emailCanonical],
  });
  return found?.id ?? null;
}

/** PostgreSQL manual, appendix A. */
const uniqueViolation = '23505';

/** Reports violated unique indexes as SCIM errors. */
export async function runDirectoryTransaction<Result>(
  database: Database,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  try {
    return await retryOnDeadlock(database, work);
  } catch (error) {
    const { code, constraint = '' } = error as { code?: string; constraint?: string };
    if (code === uniqueViolation && constraint.startsWith('directory_')) throw uniquenessFailure(constraint);
    throw error;
  }
}
