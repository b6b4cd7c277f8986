/** Reads the logos of organizations, which invitees see as well as members. */
import type { Picture } from '@vestibule/contract/values';
import type { Queryable } from '../../platform/database/database.ts';
import { findByKey } from '../../platform/database/find-by-key.ts';

const pictureSql = `jsonb_build_object('path', '/api/organization-logos/' || key || '?v=' || left(hash, 12),
  'width', width, 'height', height)`;

/** SQL expression of the logo of a row of `organizations`; null without one. */
export const organizationLogoSql = `(select ${pictureSql} from organization_logos logos where logos.organization_id = organizations.id)`;

/** Returns a function that returns the logo of an organization, or null. */
export const findOrganizationLogos = (database: Queryable, ids: readonly (string | null)[]) =>
  findByKey<Picture>(database, ids, {
    name: 'find-organization-logos',
    text: `select organization_id as key, ${pictureSql} as value from organization_logos where organization_id = any($1)`,
  });
