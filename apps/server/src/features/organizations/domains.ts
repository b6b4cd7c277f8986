/** Routes for the domains of an organization: proof by a DNS record, and how people join by their address (R7). */
import { requireGivable } from './members.ts';
import {
  addDomain,
  changeDomain,
  domainErrors,
  domainsMaximum,
  listDomains,
  removeDomain,
  verifyDomain,
} from '@vestibule/contract/organizations/domains';
import { organizationErrors } from '@vestibule/contract/organizations';
import { requestErrors } from '@vestibule/contract/request-errors';
import {
  execute,
  onlyRowOf,
  rawSql,
  rowOf,
  rowsOf,
  type CoreDeps,
} from '../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../platform/database/rate-limit.ts';
import type { FindTxtRecords } from '../../platform/dns/txt-records.ts';
import { assertWithinRateLimit, fail, onUniqueViolation, required } from '../../platform/errors/failure.ts';
import { implement, type CallerOrganization, type Implementation } from '../../platform/http/implement.ts';
import type { Permissions } from '../../platform/http/organization-access.ts';
import {
  domainAudit,
  domainColumns,
  findDomain,
  recordNameOf,
  recordValueOf,
  toDomain,
  type DomainRow,
} from './domain-store.ts';
import { findRole } from './organization-store.ts';
import { readDomain } from './read-domain.ts';
import { dayMs } from '../../platform/time-units.ts';

type Deps = CoreDeps & { permissions: Permissions; findTxtRecords: FindTxtRecords };

/** Limits of the records that are shown to the manager. */
const shownRecords = 10;
const shownCharacters = 255;

export function domainRoutes(deps: Deps): Implementation[] {
  const { database, permissions, findTxtRecords, now, newId } = deps;
  const checks = createRateLimit(deps, perHour('checks of a domain', 60));
  const rejectTaken = onUniqueViolation('organization_domains_proven', domainErrors.taken);

  const requireDomain = async ({
    organization,
    params,
  }: {
    organization: CallerOrganization;
    params: { domain: string };
  }): Promise<DomainRow> =>
    required(await findDomain(database, organization.id, params.domain), domainErrors.notFound);

  return [
    implement(listDomains, async ({ organization }) => ({
      rows: (
        await rowsOf<DomainRow>(database)`
          select ${rawSql(domainColumns)} from organization_domains where organization_id = ${organization.id}
            order by domain`
      ).map(toDomain),
    })),

    implement(addDomain, async (call) => {
      const { body, organization } = call;
      const domain = readDomain(body.domain);
      if (typeof domain !== 'string') throw fail(requestErrors.invalid, { fields: { domain } });
      return database.transaction(async (transaction) => {
        const { count } = await onlyRowOf<{ count: number }>(transaction)`
          select count(*)::integer as count from organization_domains where organization_id = ${organization.id}`;
        if (count >= domainsMaximum) throw fail(domainErrors.tooMany);
        const row = await onlyRowOf<DomainRow>(transaction)`
          insert into organization_domains (organization_id, domain, token, created_at, created_by)
          values (${organization.id}, ${domain}, ${newId()}, ${new Date(now())}, ${call.caller.email})
            returning ${rawSql(domainColumns)}`.catch(
          onUniqueViolation('organization_domains_pkey', domainErrors.exists),
        );
        await domainAudit.record(transaction, { id: domain }, 'domain.added', call);
        return toDomain(row);
      });
    }),

    implement(verifyDomain, async (call) => {
      const before = await requireDomain(call);
      assertWithinRateLimit(await checks.take(call.organization.id), domainErrors.checkedTooOften);
      const records = await findTxtRecords(recordNameOf(before.domain));
      if (records === null) throw fail(domainErrors.lookupFailed);
      const found = records.slice(0, shownRecords).map((record) => record.slice(0, shownCharacters));
      // Only with this proof does the response reveal whether another organization has the domain.
      if (records.includes(recordValueOf(before))) {
        const row = await database
          .transaction(async (transaction) => {
            const verified = await writeVerified(transaction, before, new Date(now()));
            if (verified && before.state !== 'verified')
              await domainAudit.record(transaction, { id: before.domain }, 'domain.verified', call);
            return verified;
          })
          .catch(rejectTaken);
        if (!row) throw fail(domainErrors.notFound);
        return { ...toDomain(row), found };
      }
      await execute(database)`
        update organization_domains set checked_at = ${new Date(now())}
          where organization_id = ${before.organization_id} and domain = ${before.domain}`;
      return { ...toDomain({ ...before, checked_at: new Date(now()) }), found };
    }),

    implement(changeDomain, async (call) => {
      const { body, organization } = call;
      const before = await requireDomain(call);
      return database.transaction(async (transaction) => {
        const role = required(await findRole(transaction, body.roleId), organizationErrors.roleNotFound);
        if (role.id === 'manager') throw fail(domainErrors.managerRole);
        requireGivable(permissions, organization, role);
        const row = await rowOf<DomainRow>(transaction)`
          update organization_domains set enrolment = ${body.enrolment}, role_id = ${role.id}
            where organization_id = ${organization.id} and domain = ${before.domain}
          returning ${rawSql(domainColumns)}`;
        if (!row) throw fail(domainErrors.notFound);
        await domainAudit.record(transaction, { id: before.domain }, 'domain.changed', call, {
          before: { enrolment: before.enrolment, role: before.role_id },
          after: { enrolment: row.enrolment, role: row.role_id },
        });
        return toDomain(row);
      });
    }),

    implement(removeDomain, async (call) =>
      database.transaction(async (transaction) => {
        const { domain } = call.params;
        const removed = await execute(transaction)`
          delete from organization_domains where organization_id = ${call.organization.id} and domain = ${domain}`;
        if (removed === 0) throw fail(domainErrors.notFound);
        await domainAudit.record(transaction, { id: domain }, 'domain.removed', call);
        return { domain };
      }),
    ),
  ];
}

const writeVerified = (
  transaction: Parameters<typeof rowOf>[0],
  { organization_id: organizationId, domain }: DomainRow,
  at: Date,
) =>
  rowOf<DomainRow>(transaction)`
    update organization_domains set state = 'verified', verified_at = coalesce(verified_at, ${at}),
      failing_since = null,
      checked_at = ${at}, check_due_at = ${new Date(at.getTime() + dayMs)}
    where organization_id = ${organizationId} and domain = ${domain} returning ${rawSql(domainColumns)}`;
