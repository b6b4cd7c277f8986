/**
 * Effects of an organization's directory: only on memberships of the organization and invitations to it. People themselves (name, address,
 * status, other memberships) stay unchanged.
 */
import { organizationErrors } from '@vestibule/contract/organizations';
import { organizationAccessErrors } from '@vestibule/contract/organizations/permissions';
import type { Role } from '@vestibule/contract/rules/role';
import { personAudit } from '../../platform/audit/audit-log.ts';
import { rowOf, scalarOf, scalarsOf, type Queryable } from '../../platform/database/database.ts';
import { fail, required } from '../../platform/errors/failure.ts';
import type { CallerOrganization } from '../../platform/http/implement.ts';
import { domainOf } from '../../platform/identity/canonical-email.ts';
import { createInvitations, withDefaults } from '../invitations/create/create-invitations.ts';
import { revokeAndRecord } from '../invitations/lifecycle/lifecycle.ts';
import { createCountSending, type CountSending } from '../invitations/scope.ts';
import { findDomain } from '../organizations/domain-store.ts';
import {
  deleteMembership,
  findMember,
  insertMembership,
  requireOtherManager,
} from '../organizations/membership-store.ts';
import { lockOrganization } from '../organizations/organization-store.ts';
import { findVerifiedAddress, isProof, keepFromRejoining } from '../organizations/request-store.ts';
import {
  invitationOf,
  type Actor,
  type DirectoryAccess,
  type DirectoryAccessDeps,
} from './directory-access.ts';
import { createUserStore, type UserRow } from './user-store.ts';

type KnownPerson = { id: string; role: Role; is_member: boolean };

export function createOrganizationAccess(deps: DirectoryAccessDeps) {
  const { now } = deps;
  const countSending = createCountSending(deps);

  return (organization: CallerOrganization): DirectoryAccess => {
    const { id: organizationId } = organization;
    const store = createUserStore(organizationId);

    return {
      async lock(transaction, emailCanonical) {
        await lockInvitations(transaction, organizationId, emailCanonical);
        await requireOrganization(transaction);
      },

      /** Returns null for a member who is linked with another user of the directory. */
      findPersonId: async (transaction, emailCanonical) =>
        scalarOf<string>(transaction)`
          select people.id from people join memberships on person_id = people.id
          where email_canonical = ${emailCanonical} and organization_id = ${organizationId}
            and not exists (select from organization_directory_users listed
              where listed.organization_id = ${organizationId} and listed.person_id = people.id)`,

      grant: createGrant(deps, organization, countSending),

      withdraw,
      revokeInvitations,
      // The person belongs to the site.
      changeDetails: () => Promise.resolve(),
      remove: withdraw,
    };

    async function withdraw(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
      await revokeInvitations(transaction, row, actor);
      if (row.person_id === null) return;
      await requireOrganization(transaction);
      const member = await findMember(transaction, organizationId, row.person_id);
      if (member) {
        if (member.site_role === 'admin') throw fail(organizationErrors.siteAdministrator);
        await requireOtherManager(transaction, organizationId, member);
        await deleteMembership(transaction, organizationId, member.id);
        await keepFromRejoining(transaction, organizationId, member.id, {
          id: deps.newId(),
          at: new Date(now()),
        });
        await personAudit.record(transaction, member, 'member.removed', { ...actor, organization });
      }
      // A later `active: true` finds the person by the address.
      await store.link(transaction, row.id, null);
    }

    async function revokeInvitations(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
      const pending = await lockInvitations(transaction, organizationId, row.email_canonical);
      await revokeAndRecord(deps, transaction, { ids: pending }, actor);
    }

    async function requireOrganization(transaction: Queryable) {
      return required(await lockOrganization(transaction, organizationId), organizationAccessErrors.notFound);
    }
  };
}

/** Adds the person of a directory user to the organization, or invites the address. */
function createGrant(
  deps: DirectoryAccessDeps,
  organization: CallerOrganization,
  countSending: CountSending,
): DirectoryAccess['grant'] {
  const { id: organizationId } = organization;
  return async (transaction, row, actor) => {
    const person = await findPerson(transaction, row);
    if (person?.is_member) return;
    if (person && (await mayAdd(transaction, person))) await addMember(transaction, person, actor);
    else await inviteUser(transaction, row, actor);
  };

  function findPerson(transaction: Queryable, row: UserRow): Promise<KnownPerson | null> {
    return rowOf<KnownPerson>(transaction)`
      select id, role,
        exists (select from memberships where person_id = people.id
          and organization_id = ${organizationId}) as is_member
      from people where case when ${row.person_id}::uuid is null then email_canonical = ${row.email_canonical} else id =
        ${row.person_id} end`;
  }

  /**
   * A sign-in must have verified the person's address, but not through the provider of another organization, and the organization its
   * domain. Administrators of the site are invited: an organization does not act on them.
   */
  async function mayAdd(transaction: Queryable, person: KnownPerson): Promise<boolean> {
    if (person.role === 'admin') return false;
    const address = await findVerifiedAddress(transaction, person.id);
    if (!address || !isProof(address, organizationId)) return false;
    const domain = await findDomain(transaction, organizationId, domainOf(address.emailCanonical));
    return domain?.state === 'verified';
  }

  async function addMember(transaction: Queryable, { id }: KnownPerson, actor: Actor): Promise<void> {
    await insertMembership(transaction, {
      organizationId,
      personId: id,
      roleId: 'member',
      at: new Date(deps.now()),
      addedBy: actor.caller.email,
    });
    const member = await findMember(transaction, organizationId, id);
    if (member)
      await personAudit.record(
        transaction,
        member,
        'member.added',
        { ...actor, organization },
        { role: 'member' },
      );
  }

  async function inviteUser(transaction: Queryable, row: UserRow, actor: Actor): Promise<void> {
    const site = await deps.settings.current(transaction);
    // An existing invitation by a manager stays valid.
    const [created] = await createInvitations(deps, transaction, [
      withDefaults(site, invitationOf(row, actor)),
    ]);
    if (created) await countSending(actor.caller, organization, [row.email_canonical], transaction);
  }
}

/** Locks the pending invitation of an address to the organization, so that it is not redeemed meanwhile. */
const lockInvitations = (transaction: Queryable, organizationId: string, emailCanonical: string) =>
  scalarsOf<string>(transaction)`
    select id from invitations
    where email_canonical = ${emailCanonical} and organization_id = ${organizationId} and status = 'pending' for update`;
