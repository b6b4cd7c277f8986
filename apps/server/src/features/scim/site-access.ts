/**
 * Effects of the site's directory on people. A new user gets an invitation, mailed or silent; a disabled user is disabled and their
 * invitations are revoked. The last administrator cannot be disabled.
 */
import { lifetimeMaximumDays } from '@vestibule/contract/rules/limits';
import { rowOf, scalarOf, scalarsOf, type Queryable } from '../../platform/database/database.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { isAllowed } from '../invitations/create/check-rows.ts';
import { createInvitations, withDefaults } from '../invitations/create/create-invitations.ts';
import { revokeAndRecord } from '../invitations/lifecycle/lifecycle.ts';
import { lockPeople } from '../people/people-store.ts';
import { changeDetails } from '../people/person-details.ts';
import { createPersonChanges, lockAdministrators, personActions } from '../people/person-changes.ts';
import { isInAdministratorGroup } from './group-store.ts';
import {
  invitationOf,
  type Actor,
  type DirectoryAccess,
  type DirectoryAccessDeps,
} from './directory-access.ts';
import { isDeletedPrincipalName, isGuestPrincipalName, nameOf } from './protocol/user-attributes.ts';
import { attributesOf, type UserRow } from './user-store.ts';

/** Discards mails. */
const silentMail: Pick<MailQueue, 'sends' | 'queue'> = { sends: false, queue: () => Promise.resolve() };

export function createSiteAccess(deps: DirectoryAccessDeps): DirectoryAccess {
  const { change } = createPersonChanges(deps);
  /** Applies an action to the person of a user who has an account. */
  async function applyTo(
    transaction: Queryable,
    { person_id: personId }: UserRow,
    actor: Actor,
    action: keyof typeof personActions,
  ): Promise<void> {
    // The files of a removed person wait for an administrator, as after every removal.
    const query = action === 'remove' ? { files: 'delete' as const } : {};
    if (personId !== null)
      await change(transaction, { ...actor, params: { personId }, query }, personActions[action]);
  }

  return {
    lock: lockInvitations,

    /** Locks the row. */
    findPersonId: async (transaction, emailCanonical) =>
      scalarOf<string>(transaction)`
        select id from people where email_canonical = ${emailCanonical} for update`,

    async grant(transaction, row, actor) {
      if (row.person_id !== null) return applyTo(transaction, row, actor, 'enable');
      const site = await deps.settings.current(transaction);
      const found = await rowOf<{ on_create: 'invite' | 'admit' }>(transaction, {
        text: 'select on_create from directory',
      });
      const isSilent = found?.on_create === 'admit';
      const role = (await isInAdministratorGroup(transaction, row.id)) ? 'admin' : 'member';
      // An existing invitation by an administrator stays valid.
      await createInvitations({ ...deps, mail: isSilent ? silentMail : deps.mail }, transaction, [
        withDefaults(site, {
          ...invitationOf(row, actor),
          role,
          ...(isSilent && { lifetimeDays: lifetimeMaximumDays }),
        }),
      ]);
    },

    async withdraw(transaction, row, actor) {
      await revokeInvitations(transaction, row, actor);
      await applyTo(transaction, row, actor, 'disable');
    },

    revokeInvitations,

    /** Not the address of an administrator: a directory cannot become an administrator by asking for a code. */
    async changeDetails(transaction, { before, after }, actor) {
      const [person] = before.person_id === null ? [] : await lockPeople(transaction, [before.person_id]);
      if (!person) return;
      const { allowedDomains } = await deps.settings.current(transaction);
      const name = nameOf(attributesOf(after));
      const hasNewName = name !== '' && name !== nameOf(attributesOf(before));
      const hasNewAddress =
        after.email !== before.email &&
        person.role !== 'admin' &&
        !isGuestPrincipalName(after.email_canonical) &&
        !isDeletedPrincipalName(after.email_canonical, before.email_canonical) &&
        isAllowed(after.email_canonical, allowedDomains);
      if (hasNewAddress) await releaseAddress(transaction, after.email_canonical, actor);
      await changeDetails(
        deps,
        transaction,
        person,
        { ...(hasNewName && { displayName: name }), ...(hasNewAddress && { email: after.email }) },
        actor,
      );
    },

    async remove(transaction, row, actor) {
      await revokeInvitations(transaction, row, actor);
      await applyTo(transaction, row, actor, 'remove');
    },
  };

  /**
   * Gives the person of a deleted account its new principal name as the address, so that another person can have the previous one. The
   * address of an administrator stays, as in `changeDetails`.
   */
  async function releaseAddress(transaction: Queryable, emailCanonical: string, actor: Actor): Promise<void> {
    const deleted = await rowOf<{ person_id: string; email: string }>(transaction)`
      select person_id, listed.email from directory_users listed join people on people.id = person_id
      where people.email_canonical = ${emailCanonical} and not active and role <> 'admin'`;
    if (!deleted || !isDeletedPrincipalName(deleted.email, emailCanonical)) return;
    const [person] = await lockPeople(transaction, [deleted.person_id]);
    if (person)
      await changeDetails(
        { ...deps, mail: silentMail },
        transaction,
        person,
        { email: deleted.email },
        actor,
      );
  }

  /** Revokes pending invitations to the address, also those to organizations. */
  async function revokeInvitations(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
    const pending = await lockInvitations(transaction, row.email_canonical);
    await revokeAndRecord(deps, transaction, { ids: pending }, actor);
  }
}

/** Locks the administrators and the pending invitations to an address, so that none is redeemed meanwhile. */
async function lockInvitations(transaction: Queryable, emailCanonical: string): Promise<string[]> {
  await lockAdministrators(transaction);
  return scalarsOf<string>(transaction)`
    select id from invitations where email_canonical = ${emailCanonical} and status = 'pending' for update`;
}
