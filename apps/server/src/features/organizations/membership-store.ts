/** Reads and writes single memberships. */
import { organizationErrors } from '@vestibule/contract/organizations';
import type { Role } from '@vestibule/contract/rules/role';
import { execute, hasRow, rawSql, rowOf, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';

export type MemberRow = {
  id: string;
  email: string;
  display_name: string;
  site_role: Role;
  status: 'active' | 'disabled';
  role_id: string;
  role_name: string | null;
  joined_at: Date;
  added_by: string | null;
  last_seen_at: Date | null;
};

/**
 * The id is that of the person. Outer joins, though each membership has a person and a role: PostgreSQL omits an outer join if a statement
 * uses none of its columns, and then reads no people to sort or count memberships.
 */
export const memberRows = `select person_id as id, organization_id, email, person_email_folded as email_folded, display_name, person_name_folded as display_name_folded,
    people.role as site_role, people.status, role_id, organization_roles.name as role_name, memberships.joined_at, added_by, last_seen_at,
    people.search
  from people right join memberships on person_id = people.id left join organization_roles on organization_roles.id = role_id`;

/** SQL after `select`: the memberships of managers who are not disabled. */
export const activeManagersSql = `from memberships join people on people.id = person_id
  where role_id = 'manager' and people.status = 'active'`;

export const isMemberOf = (database: Queryable, organizationId: string, personId: string) =>
  hasRow(database, { name: 'is-member-of' })`
    select from memberships where organization_id = ${organizationId} and person_id = ${personId}`;

export const findMember = (database: Queryable, organizationId: string, personId: string) =>
  rowOf<MemberRow>(database, { name: 'find-member' })`
    select id, email, display_name, site_role, status, role_id, role_name, joined_at, added_by, last_seen_at
    from (${rawSql(memberRows)}) as members where organization_id = ${organizationId} and id = ${personId}`;

/** Throws if the person is a member already, or if all seats are taken. Does nothing if the person does not exist. */
export async function insertMembership(
  transaction: Queryable,
  membership: { organizationId: string; personId: string; roleId: string; at: Date; addedBy: string | null },
): Promise<void> {
  try {
    await execute(transaction, { name: 'insert-membership' })`
      insert into memberships (organization_id, person_id, role_id, joined_at, added_by)
      select ${membership.organizationId}, id, ${membership.roleId}, ${membership.at}, ${membership.addedBy} from people
        where id = ${membership.personId} for key share`;
  } catch (error) {
    const { constraint } = error as { constraint?: string };
    if (constraint === 'memberships_pkey') throw fail(organizationErrors.alreadyMember);
    if (constraint === 'memberships_seat_limit') throw fail(organizationErrors.full);
    throw error;
  }
}

export const deleteMembership = (transaction: Queryable, organizationId: string, personId: string) =>
  execute(transaction)`
    delete from memberships where organization_id = ${organizationId} and person_id = ${personId}`;

/** At least one active manager always remains. The caller has locked the organization. */
export async function requireOtherManager(
  transaction: Queryable,
  organizationId: string,
  { id, role_id: roleId, status }: MemberRow,
): Promise<void> {
  if (roleId !== 'manager' || status === 'disabled') return;
  const isOther = await hasRow(transaction, { name: 'has-other-manager' })`
    select ${rawSql(activeManagersSql)} and organization_id = ${organizationId} and person_id <> ${id}`;
  if (!isOther) throw fail(organizationErrors.lastManager);
}
