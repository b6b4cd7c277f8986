/** Reads and writes requests to join an organization by the domain of an address (R7). */
import {
  requestAgainDays,
  requestLifetimeDays,
  shownRequests,
  type MembershipRequest,
} from '@vestibule/contract/organizations/requests';
import { connectionMethodOf, isConnectionMethod } from '../../platform/config/sign-in-methods.ts';
import {
  execute,
  onlyRowOf,
  rawSql,
  rowOf,
  rowsOf,
  scalarOf,
  type Queryable,
} from '../../platform/database/database.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';
import { dayMs } from '../../platform/time-units.ts';

const daysBefore = (at: Date, days: number) => new Date(at.getTime() - days * dayMs);

/** Person who asks. `personId` is null without an account. */
export type Requester = {
  personId: string | null;
  email: string;
  emailCanonical: string;
  displayName: string;
};

/**
 * Returns the id of a new request; null if one is pending, or was declined recently. There is one row per address and organization, so
 * that repeated sign-ins send no more mails.
 */
export const insertRequest = (
  transaction: Queryable,
  organizationId: string,
  { personId, email, emailCanonical, displayName }: Requester,
  { id, at }: { id: string; at: Date },
) =>
  scalarOf<string>(transaction, { name: 'insert-membership-request' })`
    insert into membership_requests as known
      (id, organization_id, person_id, email, email_canonical, display_name, requested_at)
    values (${id}, ${organizationId}, ${personId}, ${email}, ${emailCanonical}, ${displayName}, ${at})
    on conflict on constraint membership_requests_address do update
      set id = excluded.id, person_id = excluded.person_id,
      email = excluded.email, display_name = excluded.display_name, status = 'pending',
      requested_at = excluded.requested_at, decided_at = null
    where known.status = 'declined' and known.decided_at <= ${daysBefore(at, requestAgainDays)}
    returning id`;

type DecidedRequest = { status: 'pending' | 'declined'; decided_at: Date | null };

/** Returns the latest request of an address, or the entry of a removed member. */
export const findRequestOf = (database: Queryable, organizationId: string, emailCanonical: string) =>
  rowOf<DecidedRequest>(database, { name: 'find-membership-request-of' })`
    select status, decided_at from membership_requests where organization_id = ${organizationId}
      and email_canonical = ${emailCanonical}`;

/** Returns whether a person whose request was declined can ask again. */
export const canAskAgain = ({ decided_at: decidedAt }: DecidedRequest, at: Date) =>
  decidedAt !== null && decidedAt <= daysBefore(at, requestAgainDays);

/** Keeps a removed member from joining again by the address; a request is possible after some time. */
export const keepFromRejoining = (
  transaction: Queryable,
  organizationId: string,
  personId: string,
  { id, at }: { id: string; at: Date },
) =>
  execute(transaction)`
    insert into membership_requests
      (id, organization_id, person_id, email, email_canonical, display_name, status, requested_at, decided_at)
    select ${id}, ${organizationId}, people.id, email, email_canonical, display_name, 'declined', ${at}, ${at}
      from people where people.id = ${personId}
    on conflict on constraint membership_requests_address do update
      set status = 'declined', person_id = excluded.person_id, decided_at = excluded.decided_at`;

/** Pending request; `person_id` is that of the present account with the address. */
type RequestRow = {
  id: string;
  person_id: string | null;
  email: string;
  email_canonical: string;
  display_name: string;
  requested_at: Date;
  role_id: string | null;
};

/** Excludes people who have become members in another way since. */
const fromPending = (
  organizationId: string,
) => `from membership_requests request left join people using (email_canonical)
  where request.organization_id = ${organizationId} and request.status = 'pending' and not exists (
    select from memberships where memberships.organization_id = request.organization_id and memberships.person_id = people.id)`;

const pendingRequests = (
  organizationId: string,
) => `select request.id, people.id as person_id, request.email, request.email_canonical, request.display_name,
    requested_at, (select role_id from organization_domains domains where domains.organization_id = request.organization_id
      and domain = split_part(request.email_canonical, '@', 2)) as role_id
  ${fromPending(organizationId)}`;

export const findPendingRequest = (database: Queryable, organizationId: string, id: string) =>
  rowOf<RequestRow>(database, { name: 'find-pending-request' })`
    ${rawSql(pendingRequests, organizationId)} and request.id = ${id}`;

export async function listPendingRequests(
  database: Queryable,
  organizationId: string,
): Promise<{ rows: MembershipRequest[]; total: number }> {
  const [rows, { total }] = await Promise.all([
    rowsOf<RequestRow>(database, { name: 'list-pending-requests' })`
      ${rawSql(pendingRequests, organizationId)} order by requested_at, request.id limit ${rawSql(shownRequests)}`,
    onlyRowOf<{ total: number }>(database, { name: 'count-pending-requests' })`
      select count(*)::integer as total ${rawSql(fromPending, organizationId)}`,
  ]);
  return { rows: rows.map(toRequest), total };
}

const toRequest = (row: RequestRow): MembershipRequest => ({
  id: row.id,
  email: row.email,
  displayName: row.display_name,
  hasAccount: row.person_id !== null,
  requestedAt: row.requested_at.toISOString(),
  roleId: row.role_id ?? 'member',
});

/** Deletes an approved request. Returns false if it was decided meanwhile. */
export async function deletePending(transaction: Queryable, id: string): Promise<boolean> {
  const deleted = await execute(transaction)`
    delete from membership_requests where id = ${id} and status = 'pending'`;
  return deleted === 1;
}

/** Returns false if the request was decided meanwhile. */
export async function markDeclined(transaction: Queryable, id: string, at: Date): Promise<boolean> {
  const declined = await execute(transaction)`
    update membership_requests set status = 'declined', decided_at = ${at} where id = ${id} and status = 'pending'`;
  return declined === 1;
}

/** Deletes requests without a decision, and declined ones of addresses without an account. */
export const deleteOldRequests = (database: Queryable, at: Date) =>
  execute(database)`
    delete from membership_requests where requested_at < ${daysBefore(at, requestLifetimeDays)} and (status = 'pending'
      or person_id is null)`;

type VerifiedAddress = {
  email: string;
  emailCanonical: string;
  displayName: string;
  /** Sign-in methods that have verified the address. */
  methods: string[];
};

/** Returns the address of a person if a sign-in of theirs has verified it. */
export async function findVerifiedAddress(
  database: Queryable,
  personId: string,
): Promise<VerifiedAddress | null> {
  const rows = await rowsOf<Omit<VerifiedAddress, 'methods'> & { reported: string; way: string }>(database, {
    name: 'find-verified-address',
  })`
    select people.email, email_canonical as "emailCanonical", display_name as "displayName",
      identities.email as reported, way
    from people join identities on person_id = people.id and email_verified where people.id = ${personId}`;
  const verified = rows.filter(({ reported, emailCanonical }) => canonicalEmail(reported) === emailCanonical);
  const [first] = verified;
  if (!first) return null;
  const { email, emailCanonical, displayName } = first;
  return { email, emailCanonical, displayName, methods: verified.map(({ way }) => way) };
}

/**
 * Returns whether one of the sign-in methods that have verified an address counts: the one that the site prescribes for the domain, otherwise any
 * but the provider of another organization, which had the domain earlier.
 */
export const isProof = (
  { methods }: Pick<VerifiedAddress, 'methods'>,
  organizationId: string,
  prescribed?: string,
) =>
  methods.some((method) =>
    prescribed === undefined
      ? !isConnectionMethod(method) || method === connectionMethodOf(organizationId)
      : method === prescribed,
  );
