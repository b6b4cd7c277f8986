/** Routes for people with an account who are invited to an organization: the address of the account must be the invited one. */
import { invitationErrors } from '@vestibule/contract/invitations';
import {
  acceptMyInvitation,
  declineMyInvitation,
  listMyInvitations,
} from '@vestibule/contract/invitations/mine';
import { organizationErrors } from '@vestibule/contract/organizations';
import { organizationAccessErrors } from '@vestibule/contract/organizations/permissions';
import { invitationAudit } from '../../platform/audit/audit-log.ts';
import {
  rawSql,
  retryOnDeadlock,
  rowOf,
  rowsOf,
  type DatabaseDeps,
  type Queryable,
} from '../../platform/database/database.ts';
import { fail, onUniqueViolation } from '../../platform/errors/failure.ts';
import { implement, type Implementation } from '../../platform/http/implement.ts';
import { isSuspendedSql } from '../../platform/http/organization-access.ts';
import type { RouteResult } from '@vestibule/contract/route';
import { valuesOf } from '../../platform/values-of.ts';
import { findPeopleByEmail } from '../people/people-by-email.ts';
import { invitationColumns, isOpen, type InvitationRow } from './invitation-store.ts';
import { organizationLogoSql } from './organization-logos.ts';
import { insertMemberships, isRedeemable, redeemForMember } from './redemption-store.ts';
import { revokeAndRecord } from './lifecycle/lifecycle.ts';

type Row = Omit<RouteResult<typeof listMyInvitations>['rows'][number], 'inviter' | 'expiresAt'> & {
  createdBy: string | null;
  expiresAt: Date;
};

export function myInvitationRoutes(deps: DatabaseDeps): Implementation[] {
  const { database, now } = deps;
  return [
    implement(listMyInvitations, async ({ caller }) => {
      const at = new Date(now());
      const rows = await rowsOf<Row>(database, { name: 'list-my-invitations' })`
        select invitations.id, organizations.name as "organizationName",
          ${rawSql(organizationLogoSql)} as "organizationLogo", coalesce(organization_roles.id, 'member') as "roleId",
          organization_roles.name as "roleName", message, invitations.created_by as "createdBy",
          invitations.expires_at as "expiresAt", ${rawSql(isSuspendedSql, at)} as "isSuspended"
        from people join invitations using (email_canonical)
          join organizations on organizations.id = organization_id
          left join organization_roles on organization_roles.id = organization_role_id
        where people.id = ${caller.id} and invitations.status = 'pending' and invitations.expires_at > ${at}
        order by invitations.created_at desc, invitations.id limit 50`;
      const named = await findPeopleByEmail(database, valuesOf(rows, 'createdBy'));
      return {
        rows: rows.map(({ createdBy, ...row }) => ({
          ...row,
          inviter: named(createdBy)?.displayName ?? createdBy,
          expiresAt: row.expiresAt.toISOString(),
        })),
      };
    }),

    implement(acceptMyInvitation, ({ params: { invitationId }, caller, origin }) =>
      retryOnDeadlock(database, async (transaction) => {
        const at = new Date(now());
        const invitation = await lockInvitationOf(transaction, caller.id, invitationId, at);
        if (!invitation) throw fail(invitationErrors.notFound);
        if (!isOpen(invitation, at.getTime())) throw fail(invitationErrors.notPending);
        if (invitation.is_suspended) throw fail(organizationAccessErrors.suspended);
        if (!(await isRedeemable(transaction, invitationId, at)))
          throw fail(invitationErrors.inviterLostRole);
        await redeemForMember(transaction, invitationId, { personId: caller.id, at });
        await insertMemberships(transaction, [{ personId: caller.id, invitation }], at).catch(refuseIfFull);
        await invitationAudit.record(
          transaction,
          invitation,
          'invitation.accepted',
          { caller, origin },
          { organizationRoleId: invitation.organization_role_id, personId: caller.id },
        );
        const { organization_id: organizationId, organization_name: name, slug } = invitation;
        return { organizationId: organizationId as string, slug, name: name as string };
      }),
    ),

    implement(declineMyInvitation, ({ params: { invitationId }, caller, origin }) =>
      database.transaction(async (transaction) => {
        const invitation = await lockInvitationOf(transaction, caller.id, invitationId, new Date(now()));
        if (!invitation) throw fail(invitationErrors.notFound);
        const [revoked] = await revokeAndRecord(
          deps,
          transaction,
          { ids: [invitationId] },
          { caller, origin },
        );
        if (!revoked) throw fail(invitationErrors.notPending);
        return { id: invitationId };
      }),
    ),
  ];
}

const refuseIfFull = onUniqueViolation('memberships_seat_limit', organizationErrors.full);

/** Returns null if the invitation is not one to an organization, or not to the address of the person. */
const lockInvitationOf = (transaction: Queryable, personId: string, invitationId: string, at: Date) =>
  rowOf<InvitationRow & { slug: string; is_suspended: boolean }>(transaction, { name: 'lock-my-invitation' })`
    select ${rawSql(invitationColumns)},
      (select slug from organizations where organizations.id = organization_id) as slug,
      (select ${rawSql(isSuspendedSql, at)} from organizations where organizations.id = organization_id) as is_suspended
    from invitations
    where id = ${invitationId} and organization_id is not null
      and email_canonical = (select email_canonical from people where people.id = ${personId})
    for update`;
