/** Reads and writes domains of organizations. */
import {
  OrganizationDomain,
  type DomainState,
  type Enrolment,
} from '@vestibule/contract/organizations/domains';
import { rawSql, rowOf, rowsOf, type Queryable } from '../../platform/database/database.ts';
import { toContract } from '../../platform/database/to-contract.ts';
import { auditOf } from '../../platform/audit/audit-log.ts';
import { isSuspendedSql } from '../../platform/http/organization-access.ts';
import { domainOf } from '../../platform/identity/canonical-email.ts';

export type DomainRow = {
  organization_id: string;
  domain: string;
  state: DomainState;
  token: string;
  enrolment: Enrolment;
  role_id: string;
  created_at: Date;
  created_by: string | null;
  verified_at: Date | null;
  failing_since: Date | null;
  checked_at: Date | null;
};

export const domainColumns = `organization_id, domain, state, token, enrolment, role_id, created_at, created_by, verified_at,
  failing_since, checked_at`;

export const recordNameOf = (domain: string) => `_vestibule.${domain}`;
export const recordValueOf = ({ token }: Pick<DomainRow, 'token'>) =>
  `vestibule-verification=${token.replaceAll('-', '')}`;

const stored = toContract(OrganizationDomain);

export const toDomain = (row: DomainRow): OrganizationDomain => ({
  ...stored(row),
  recordName: recordNameOf(row.domain),
  recordValue: recordValueOf(row),
});

export const findDomain = (database: Queryable, organizationId: string, domain: string) =>
  rowOf<DomainRow>(database, { name: 'find-domain' })`
    select ${rawSql(domainColumns)} from organization_domains where organization_id = ${organizationId}
      and domain = ${domain}`;

/** Returns the domains whose check is due, and postpones it, so that no other process checks them meanwhile. */
export const claimDueDomains = (
  database: Queryable,
  { at, next, limit }: { at: Date; next: Date; limit: number },
) =>
  rowsOf<DomainRow & { organization_name: string }>(database, { name: 'claim-due-domains' })`
    update organization_domains set check_due_at = ${next}
    where (organization_id, domain) in (
      select organization_id, domain from organization_domains
      where state <> 'pending' and check_due_at <= ${at} order by check_due_at limit ${limit} for update skip locked)
    returning ${rawSql(domainColumns)},
      (select name from organizations where organizations.id = organization_id) as organization_name`;

/**
 * SQL of organizations that people with an address can join or ask to join by its domain; `domain`, `email` and `at` are parameters. Excludes
 * those whose directory has deactivated the user.
 */
const openToAddressSql = (domain: string, email: string, at: string) => `organization_domains
  join organizations on organizations.id = organization_id
  where domain = ${domain} and state = 'verified' and enrolment <> 'invitation' and not ${isSuspendedSql(at)}
    and not exists (select from organization_directory_users listed
      where listed.organization_id = organizations.id and listed.email_canonical = ${email} and not listed.active)`;

export type OpenOrganization = {
  id: string;
  name: string;
  slug: string;
  enrolment: Exclude<Enrolment, 'invitation'>;
  isFull: boolean;
};

/** Returns the organization that people with this address can join or ask to join. A verified domain belongs to one. */
export const findOpenTo = (database: Queryable, emailCanonical: string, at: Date) =>
  rowOf<OpenOrganization>(database, { name: 'find-open-to-address' })`
    select organizations.id, name, slug, enrolment, coalesce(member_count >= seat_limit, false) as "isFull"
    from ${rawSql(openToAddressSql, domainOf(emailCanonical), emailCanonical, at)}`;

/** Makes a person a member of the organization of their verified domain. Returns the organization, or null. Excludes full organizations. */
export const joinByDomain = (
  transaction: Queryable,
  { personId, emailCanonical, at }: { personId: string; emailCanonical: string; at: Date },
) =>
  rowOf<{ id: string; name: string; slug: string; roleId: string }>(transaction, { name: 'join-by-domain' })`
    with joined as (
      insert into memberships (organization_id, person_id, role_id, joined_at)
      select organization_id, ${personId}, role_id, ${at}
        from ${rawSql(openToAddressSql, domainOf(emailCanonical), emailCanonical, at)}
        and enrolment = 'automatic' and coalesce(member_count < seat_limit, true) returning organization_id, role_id)
    select organizations.id, name, slug, role_id as "roleId"
    from joined join organizations on organizations.id = organization_id`;

export const domainAudit = auditOf('domain', 'id');
