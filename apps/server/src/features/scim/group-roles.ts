/** Sets the roles of users and of their pending invitations according to directory groups. */
import { directoryErrors, roleChangesMaximum } from '@vestibule/contract/directory';
import { aboutInvitation, recordChange } from '../../platform/audit/audit-log.ts';
import { rowsOf, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { personActions, createPersonChanges } from '../people/person-changes.ts';
import type { Actor, DirectoryUserDeps } from './user-access.ts';
import { isInAdministratorGroup } from './group-store.ts';
import { findUser } from './user-store.ts';

export function createGroupRoles(deps: Pick<DirectoryUserDeps, 'database' | 'mail' | 'now'>) {
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
    const user = await findUser(transaction, userId);
    if (user?.person_id === null) {
      // Waits for a concurrent redemption of the invitation, which then no longer matches.
      const rows = await rowsOf<{ id: string; email: string }>(transaction, {
        text: `update invitations set role = $2 where email_canonical = $1 and status = 'pending' and role <> $2
               returning id, email`,
        values: [user.email_canonical, role],
      });
      const detail = { before: { role: isAdmin ? 'member' : 'admin' }, after: { role } };
      for (const row of rows)
        await recordChange(transaction, aboutInvitation(row, 'invitation.role_changed', actor, detail));
    }
    const redeemed = await findUser(transaction, userId);
    if (redeemed && redeemed.person_id !== null)
      await change(
        transaction,
        { ...actor, params: { personId: redeemed.person_id }, query: {} },
        personActions[isAdmin ? 'makeAdmin' : 'makeMember'],
      );
  }
}
