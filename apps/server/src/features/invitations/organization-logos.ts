/** Reads the logos of organizations, which invitees see as well as members. */
import type { Picture } from '@vestibule/contract/values';
import { rowsOf, type Queryable } from '../../platform/database/database.ts';

const pictureSql = `jsonb_build_object('path', '/api/organization-logos/' || key || '?v=' || left(hash, 12),
  'width', width, 'height', height)`;

/** SQL expression of the logo of a row of `organizations`; null without one. */
export const organizationLogoSql = `(select ${pictureSql} from organization_logos logos where logos.organization_id = organizations.id)`;

/** Returns a function that returns the logo of an organization, or null. */
export async function findOrganizationLogos(
  database: Queryable,
  ids: readonly (string | null)[],
): Promise<(id: string | null) => Picture | null> {
  const asked = new Set(ids.filter((id) => id !== null));
  if (asked.size === 0) return () => null;
  const rows = await rowsOf<{ id: string; logo: Picture }>(database, {
    name: 'find-organization-logos',
    text: `select organization_id as id, ${pictureSql} as logo from organization_logos where organization_id = any($1)`,
    values: [[...asked]],
  });
  const logos = new Map(rows.map(({ id, logo }) => [id, logo]));
  return (id) => logos.get(id ?? '') ?? null;
}
