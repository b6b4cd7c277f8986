/** Memberships of a person, read in the statement that reads the person of a request. */
import type { CallerMembership } from '../../platform/http/implement.ts';

/** Membership as read in `memberships`. */
export type MembershipRow = Omit<CallerMembership, 'isSuspended'> & {
  status: 'active' | 'suspended';
  /** ISO 8601. */
  expiresAt: string | null;
};

/** Column of a statement that reads `people`: an array of MembershipRow; null without memberships. */
export const membershipsColumn = `(
  select jsonb_agg(jsonb_build_object('organizationId', organization_id, 'name', organizations.name, 'slug', slug, 'status', organizations.status,
    'expiresAt', expires_at, 'roleId', role_id, 'roleName', organization_roles.name, 'rolePermissions', permissions) order by name_folded, slug)
  from memberships join organizations on organizations.id = organization_id join organization_roles on organization_roles.id = role_id
  where person_id = people.id) as memberships`;

export function toMemberships(rows: MembershipRow[] | null, now: number): CallerMembership[] {
  return (rows ?? []).map(({ status, expiresAt, ...membership }) => ({
    ...membership,
    isSuspended: status === 'suspended' || (expiresAt !== null && Date.parse(expiresAt) <= now),
  }));
}
