/**
 * Directory groups. A group marked by an administrator grants its members the administrator role and demotes users who leave it. Other
 * roles are unaffected.
 */
import { directoryErrors, roleChangesMaximum } from '@vestibule/contract/directory';
import { invitationAudit, auditOf } from '../../platform/audit/audit-log.ts';
import { execute, rawSql, rowsOf, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { createPersonChanges, lockAdministrators, personActions } from '../people/person-changes.ts';
import {
  deleteMembers,
  findGroup,
  insertMembers,
  isInAdministratorGroup,
  type GroupRow,
} from './group-store.ts';
import { unknownMember, type GroupChanges } from './protocol/group-changes.ts';
import { unknownResource, badRequest } from './protocol/scim-failure.ts';
import { createUserStore } from './user-store.ts';
import { runDirectoryTransaction } from './users.ts';
import type { Actor, DirectoryAccessDeps } from './directory-access.ts';

const groupAudit = auditOf('directory_group', 'display_name');

export type DirectoryGroups = ReturnType<typeof createDirectoryGroups>;

export function createDirectoryGroups(
  deps: Pick<DirectoryAccessDeps, 'database' | 'mail' | 'hooks' | 'now' | 'newId'>,
) {
  const { database, now } = deps;
  const { assignRoles } = createGroupRoles(deps);

  return {
    create: ({ displayName, externalId = null, added }: GroupChanges, actor: Actor) =>
      runDirectoryTransaction(database, async (transaction) => {
        if (displayName === undefined) throw badRequest('invalidValue', 'A group has a displayName.');
        const id = deps.newId();
        const at = new Date(now());
        await execute(transaction)`
          insert into directory_groups (id, display_name, external_id, created_at, modified_at)
          values (${id}, ${displayName}, ${externalId}, ${at}, ${at})`;
        const members = await addMembers(transaction, id, added);
        const row = await requireGroup(transaction, id);
        const detail = { members: members.length };
        await groupAudit.record(transaction, row, 'directory.group_created', actor, detail);
        return row;
      }),

    update: (id: string, changes: GroupChanges, actor: Actor) =>
      runDirectoryTransaction(database, async (transaction) => {
        await lockAdministrators(transaction);
        const before = await requireGroup(transaction, id);
        const { displayName = before.display_name, externalId = before.external_id } = changes;
        const removedMembers = await deleteMembers(
          transaction,
          id,
          changes.cleared ? { except: [...changes.added] } : { only: [...changes.removed] },
        );
        const isWithdrawal = changes.cleared || changes.removed.size > 0;
        const joined = await addMembers(transaction, id, changes.added, isWithdrawal);
        const isRenamed = displayName !== before.display_name || externalId !== before.external_id;
        if (!isRenamed && removedMembers.length + joined.length === 0) return before;
        await execute(transaction)`
          update directory_groups set display_name = ${displayName}, external_id = ${externalId},
            modified_at = ${new Date(now())}
          where id = ${id}`;
        const row = await requireGroup(transaction, id);
        const detail = {
          ...(displayName !== before.display_name && {
            before: { name: before.display_name },
            after: { name: displayName },
          }),
          joined: joined.length,
          removedMembers: removedMembers.length,
        };
        await groupAudit.record(transaction, row, 'directory.group_changed', actor, detail);
        if (before.gives_administrator) await assignRoles(transaction, [...removedMembers, ...joined], actor);
        return row;
      }),

    remove: (id: string, actor: Actor) =>
      runDirectoryTransaction(database, async (transaction) => {
        await lockAdministrators(transaction);
        const row = await requireGroup(transaction, id);
        const removedMembers = await deleteMembers(transaction, id, { except: [] });
        await execute(transaction)`delete from directory_groups where id = ${id}`;
        const detail = { removedMembers: removedMembers.length };
        await groupAudit.record(transaction, row, 'directory.group_removed', actor, detail);
        if (row.gives_administrator) await assignRoles(transaction, removedMembers, actor);
      }),

    /** Sets whether the group grants the administrator role. */
    mark: (id: string, givesAdministrator: boolean, actor: Actor) =>
      runDirectoryTransaction(database, async (transaction) => {
        await lockAdministrators(transaction);
        const row = await requireGroup(transaction, id);
        if (row.gives_administrator === givesAdministrator) return;
        await execute(transaction)`
          update directory_groups set gives_administrator = ${givesAdministrator} where id = ${id}`;
        const detail = {
          before: { givesAdministrator: row.gives_administrator },
          after: { givesAdministrator },
        };
        await groupAudit.record(transaction, row, 'directory.group_marked', actor, detail);
        const rows = await rowsOf<{ user_id: string }>(transaction)`
          select user_id from directory_members where group_id = ${id} limit ${rawSql(roleChangesMaximum + 1)}`;
        await assignRoles(transaction, valuesOf(rows, 'user_id'), actor);
      }),
  };

  /**
   * Skips unknown members, such as people who were removed here: directories repeat a refused request unchanged, so its
   * other members would never be changed. Throws if the request only adds unknown members.
   */
  async function addMembers(
    transaction: Queryable,
    groupId: string,
    members: Set<string>,
    removesOthers = false,
  ): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(transaction)`
      select id from directory_users where id = any(${[...members]}) for key share`;
    if (rows.length === 0 && members.size > 0 && !removesOthers) throw unknownMember();
    return insertMembers(transaction, groupId, valuesOf(rows, 'id'));
  }
}

async function requireGroup(transaction: Queryable, id: string): Promise<GroupRow> {
  const row = await findGroup(transaction, id, { locked: true });
  if (!row) throw unknownResource();
  return row;
}

const users = createUserStore(null);

/** Sets the roles of users and of their pending invitations according to their groups. */
function createGroupRoles(deps: Pick<DirectoryAccessDeps, 'database' | 'mail' | 'hooks' | 'now'>) {
  const { change } = createPersonChanges(deps);
  return { assignRoles };

  async function assignRoles(transaction: Queryable, userIds: string[], actor: Actor): Promise<void> {
    if (userIds.length > roleChangesMaximum) throw fail(directoryErrors.groupTooLarge);
    // New administrators come first, so that at least one remains when others are demoted.
    const assignments: { id: string; isAdmin: boolean }[] = [];
    for (const id of userIds)
      assignments.push({ id, isAdmin: await isInAdministratorGroup(transaction, id) });
    for (const { id, isAdmin } of assignments.toSorted(
      (first, second) => Number(second.isAdmin) - Number(first.isAdmin),
    ))
      await assignRole(transaction, id, isAdmin, actor);
  }

  async function assignRole(
    transaction: Queryable,
    userId: string,
    isAdmin: boolean,
    actor: Actor,
  ): Promise<void> {
    const role = isAdmin ? 'admin' : 'member';
    const user = await users.find(transaction, userId);
    if (user?.person_id === null) {
      // Waits for a concurrent redemption of the invitation, which then no longer matches.
      const rows = await rowsOf<{ id: string; email: string }>(transaction)`
        update invitations set role = ${role} where email_canonical = ${user.email_canonical} and status = 'pending'
          and role <> ${role}
          and organization_id is null
        returning id, email`;
      const detail = { before: { role: isAdmin ? 'member' : 'admin' }, after: { role } };
      for (const row of rows)
        await invitationAudit.record(transaction, row, 'invitation.role_changed', actor, detail);
    }
    const redeemed = await users.find(transaction, userId);
    if (redeemed && redeemed.person_id !== null)
      await change(
        transaction,
        { ...actor, params: { personId: redeemed.person_id }, query: {} },
        personActions[isAdmin ? 'makeAdmin' : 'makeMember'],
      );
  }
}
