/** Reads and writes connections of organizations to OpenID Providers. */
import { hasRow, rawSql, rowOf, type Queryable } from '../../../platform/database/database.ts';
import { isSuspendedSql } from '../../../platform/http/organization-access.ts';

export type ConnectionRow = {
  organization_id: string;
  organization_name: string;
  way: string;
  issuer: string;
  client_id: string;
  client_secret_sealed: Buffer;
  is_active: boolean;
  is_required: boolean;
  recovery_code_hash: Buffer | null;
  tested_at: Date | null;
  tested_as: string | null;
  version: number;
};

const columns = `organization_id, name as organization_name, way, issuer, client_id, client_secret_sealed, is_active, is_required,
  recovery_code_hash, tested_at, tested_as, organization_connections.version`;
const source = 'organization_connections join organizations on organizations.id = organization_id';

export const findConnection = (
  database: Queryable,
  organizationId: string,
  { lock = false }: { lock?: boolean } = {},
) =>
  rowOf<ConnectionRow>(database)`
    select ${rawSql(columns)} from ${rawSql(source)}
      where organization_id = ${organizationId} ${rawSql(lock ? 'for update of organization_connections' : '')}`;

export const findConnectionByMethod = (database: Queryable, methodId: string) =>
  rowOf<ConnectionRow>(database, { name: 'find-connection-by-method' })`
    select ${rawSql(columns)} from ${rawSql(source)} where way = ${methodId}`;

/**
 * SQL of the domains whose addresses a connection may sign in. A record that is missing since less than a week does not end sign-ins; only
 * new people do not join by the domain.
 */
export const isProvenSql = `organization_domains.state <> 'pending'`;

/** Returns the active connection that signs in people of a domain; null if there is none, or its organization is suspended. */
export const findConnectionOfDomain = (database: Queryable, domain: string, at: Date) =>
  rowOf<Pick<ConnectionRow, 'way' | 'organization_name' | 'organization_id'>>(database, {
    name: 'find-connection-of-domain',
  })`
    select way, name as organization_name, organization_id from organization_domains
    join organization_connections using (organization_id) join organizations on organizations.id = organization_id
    where domain = ${domain} and ${rawSql(isProvenSql)} and is_active and not ${rawSql(isSuspendedSql, at)}`;

/** Returns the domains whose addresses a connection may sign in, and the number of members with another address. */
export async function readReach(
  database: Queryable,
  organizationId: string,
): Promise<{ domains: string[]; membersOutside: number }> {
  const row = await rowOf<{ domains: string[]; outside: number }>(database)`
    with proven as (select domain from organization_domains where organization_id = ${organizationId}
      and ${rawSql(isProvenSql)})
    select array(select domain from proven order by domain) as domains,
      (select count(*)::integer from memberships join people on people.id = person_id
       where organization_id = ${organizationId} and split_part(email_canonical, '@', 2) not in (select domain
         from proven)) as outside`;
  return { domains: row?.domains ?? [], membersOutside: row?.outside ?? 0 };
}

export const isDomainOf = (database: Queryable, organizationId: string, domain: string) =>
  hasRow(database, { name: 'is-domain-of-organization' })`
    select from organization_domains where organization_id = ${organizationId} and domain = ${domain}
      and ${rawSql(isProvenSql)}`;

export const isActiveMethod = (database: Queryable, methodId: string) =>
  hasRow(database)`select from organization_connections where way = ${methodId} and is_active`;
