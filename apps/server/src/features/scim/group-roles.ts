/** The roles that groups of the directory give: to whoever is inside, and to whoever is still invited. */
import { directoryErrors, roleChangesMaximum } from '@vestibule/contract/directory';
import { aboutInvitation, recordChange } from '../../platform/audit/audit-log.ts';
import { rowsOf, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import { personActions, personChanges } from '../people/person-changes.ts';
import type { By, DirectoryUserDeps } from './user-access.ts';
import { findsAdministrator } from './group-store.ts';
import { findUser } from './user-store.ts';

export function groupRoles(deps: Pick<DirectoryUserDeps, 'database' | 'mail' | 'now'>) {
  const { change } = personChanges(deps);
  return { giveRoles };

  async function giveRoles(transaction: Queryable, userIds: string[], by: By): Promise<void> {
    if (userIds.length > roleChangesMaximum) throw fail(directoryErrors.groupTooLarge);
    // First those who become administrators, so that somebody is left when others stop being it.
    const wanted: { id: string; isAdmin: boolean }[] = [];
    for (const id of userIds) wanted.push({ id, isAdmin: await findsAdministrator(transaction, id) });
    for (const { id, isAdmin } of wanted.toSorted(
      (one, other) => Number(other.isAdmin) - Number(one.isAdmin),
    ))
      await giveRole(transaction, id, isAdmin, by);
  }

  async function giveRole(transaction: Queryable, userId: string, isAdmin: boolean, by: By): Promise<void> {
    const role = isAdmin ? 'admin' : 'member';
    const user = await findUser(transaction, userId);
    if (user?.person_id === null) {
      // Waits for whoever redeems it at this moment, and finds it redeemed then.
      const rows = await rowsOf<{ id: string; email: string }>(transaction, {
        text: `update invitations set role = $2 where email_canonical = $1 and status = 'pending' and role <> $2
               returning id, email`,
        values: [user.email_canonical, role],
      });
      const detail = { before: { role: isAdmin ? 'member' : 'admin' }, after: { role } };
      for (const row of rows)
        await recordChange(transaction, aboutInvitation(row, 'invitation.role_changed', by, detail));
    }
    const inside = await findUser(transaction, userId);
    if (inside && inside.person_id !== null)
      await change(
        transaction,
        { ...by, params: { personId: inside.person_id }, query: {} },
        personActions[isAdmin ? 'makeAdmin' : 'makeMember'],
      );
  }
}
