/** Redeems invitations: creates memberships of organizations, and reserves addresses of people who join without an invitation. */
import {
  execute,
  hasRow,
  jsonParameter,
  rawSql,
  rowsOf,
  type Queryable,
} from '../../platform/database/database.ts';
import { isSuspendedSql } from '../../platform/http/organization-access.ts';
import { valuesOf } from '../../platform/values-of.ts';
import {
  defaultInvitation,
  invitationColumns,
  invitationTable,
  isOpenSql,
  type InvitationRow,
} from './invitation-store.ts';

/** SQL condition of invitations that do not belong to a suspended organization; `at` is a parameter. */
export const isOrganizationOpenSql = (at: string) => `(organization_id is null or exists (
  select from organizations where organizations.id = organization_id and not ${isSuspendedSql(at)}))`;

/**
 * SQL condition of invitations that may be redeemed now; `at` is a parameter. An invitation to an organization that gives more than the
 * role `member` needs an inviter who may still give this role: a manager who was demoted or removed cannot return by it.
 */
export const isRedeemableSql = (at: string) => `${isOpenSql(at)} and ${isOrganizationOpenSql(at)}
  and (organization_id is null or coalesce(organization_role_id, 'member') = 'member' or exists (
    select from people inviter left join memberships own
        on own.person_id = inviter.id and own.organization_id = invitations.organization_id
      left join organization_roles own_role on own_role.id = own.role_id
    where inviter.id = created_by_id and inviter.status = 'active'
      and (inviter.role = 'admin' or own.role_id = 'manager'
        or (select given.id <> 'manager' and given.permissions <@ own_role.permissions
            from organization_roles given where given.id = organization_role_id))))`;

/** Returns whether an invitation may be redeemed, although it is open: see isRedeemableSql. */
export const isRedeemable = (database: Queryable, id: string, at: Date) =>
  hasRow(database, { name: 'is-invitation-redeemable' })`
    select from invitations where id = ${id} and ${rawSql(isRedeemableSql, at)}`;

/** Returns whether the organization exists and is open to its members; true for null, which means no organization. */
export const isOrganizationOpen = async (database: Queryable, id: string | null, at: Date) =>
  id === null ||
  hasRow(database, { name: 'is-organization-open' })`
    select from organizations where id = ${id} and not ${rawSql(isSuspendedSql, at)}`;

/** Returns those of the ids that are invitations to suspended organizations. */
export async function findSuspended(database: Queryable, ids: string[], at: Date): Promise<Set<string>> {
  const rows = await rowsOf<{ id: string }>(database, { name: 'find-invitations-of-suspended' })`
    select id from invitations where id = any(${ids}) and not ${rawSql(isOrganizationOpenSql, at)}`;
  return new Set(valuesOf(rows, 'id'));
}

/**
 * Redeems at most one invitation for each person and returns it, keyed by person id: the claimed one, otherwise the one to the site,
 * otherwise the newest. `claimed` is the invitation reported by the provider. If it is open, only it can be redeemed, and only for its
 * address. An invitation with the role `admin`, or with another role than `member` in an organization, must be claimed, or the address verified.
 */
export async function redeemInvitations(
  transaction: Queryable,
  redemptions: { personId: string; emailCanonical: string; claimed: string | null; isVerified: boolean }[],
  at: Date,
): Promise<Map<string, InvitationRow>> {
  const rows = await rowsOf<InvitationRow & { redeemed_by: string }>(transaction, {
    name: 'redeem-invitations',
    text: `with chosen as (
             select distinct on ("personId") "personId", invitations.id as chosen_id
             from jsonb_to_recordset($1) as given ("personId" uuid, "emailCanonical" text, claimed uuid, "isVerified" boolean)
             join invitations on email_canonical = "emailCanonical" and ${isRedeemableSql('$2')}
             where ((role <> 'admin' and coalesce(organization_role_id, 'member') = 'member') or id = claimed or "isVerified")
               and (id = claimed or not exists (
                 select from invitations named where named.id = claimed and named.status = 'pending' and named.expires_at > $2))
             order by "personId", (id = claimed) is true desc, organization_id is not null, created_at desc)
           update invitations set status = 'redeemed', redeemed_at = $2, redeemed_by = "personId",
             mail_state = case mail_state when 'queued' then 'none' else mail_state end
           from chosen where id = chosen_id and ${isOpenSql('$2')}
           returning redeemed_by, ${invitationColumns}`,
    values: [
      jsonParameter(
        redemptions.map(({ personId, emailCanonical, claimed, isVerified }) => ({
          personId,
          emailCanonical,
          claimed,
          isVerified,
        })),
      ),
      at,
    ],
  });
  return new Map(rows.map((row) => [row.redeemed_by, row]));
}

/** Redeems the locked invitation of a person who has an account already. */
export const redeemForMember = (
  transaction: Queryable,
  id: string,
  { personId, at }: { personId: string; at: Date },
) =>
  execute(transaction, { name: 'redeem-for-member' })`
    update invitations set status = 'redeemed', redeemed_at = ${at}, redeemed_by = ${personId},
      mail_state = case mail_state when 'queued' then 'none' else mail_state end
    where id = ${id}`;

/** Ends the invitations to the site of people who joined by an invitation to an organization. */
export const replaceInvitationsToSite = (transaction: Queryable, addresses: string[]) =>
  execute(transaction, { name: 'replace-invitations-to-site' })`
    update invitations set status = 'replaced',
      mail_state = case mail_state when 'queued' then 'none' else mail_state end
    where id in (select id from invitations
                 where email_canonical = any(${addresses}) and status = 'pending' and organization_id is null
                 order by email_canonical for update)`;

/**
 * Adds the people who accept invitations to their organizations. Throws `memberships_seat_limit` if an organization is full. A person who
 * is a member already keeps the role.
 */
export const insertMemberships = (
  transaction: Queryable,
  joining: { personId: string; invitation: InvitationRow }[],
  at: Date,
): Promise<unknown> => {
  const invitations = valuesOf(joining, 'invitation');
  return execute(transaction, { name: 'insert-memberships-of-invited' })`
    insert into memberships (organization_id, person_id, role_id, joined_at, added_by)
    select organization, person, coalesce(role, 'member'), ${at}, inviter
    from unnest(${valuesOf(invitations, 'organization_id')}::uuid[], ${valuesOf(joining, 'personId')}::uuid[],
      ${valuesOf(invitations, 'organization_role_id')}::text[], ${valuesOf(invitations, 'created_by')}::text[])
      as joining (organization, person, role, inviter)
    order by organization, person on conflict do nothing`;
};

/**
 * Reserves an address until the transaction ends, for a person who joins without an invitation: an insert of an
 * invitation to the address waits, and then finds the person. Returns false if an invitation to the address is pending.
 */
export async function reserveAddress(
  transaction: Queryable,
  emailCanonical: string,
  { id, at }: { id: string; at: Date },
): Promise<boolean> {
  const reservation = {
    ...defaultInvitation,
    id,
    codeHash: Buffer.from(id),
    email: emailCanonical,
    emailCanonical,
    createdAt: at,
    expiresAt: at,
  };
  // The unique index of pending invitations serves as the lock. A deleted row, too, locks the address until the transaction ends.
  const [reserved] = await Promise.all([
    execute(transaction, {
      name: 'reserve-address',
      text: `${invitationTable.insert} on conflict do nothing`,
      values: [invitationTable.parameter([reservation])],
    }),
    execute(transaction, { name: 'delete-reservation' })`delete from invitations where id = ${id}`,
  ]);
  return reserved === 1;
}
