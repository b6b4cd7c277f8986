import type { Activity } from '@vestibule/contract/activity';
import type { NamedPerson } from '@vestibule/contract/people/named-person';
import { toActivity, type AuditRow } from '../../platform/audit/audit-log.ts';
import { rowsOf, type Queryable } from '../../platform/database/database.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';

/** Returns a function that returns the person with an address; null if there is none. */
export async function findPeopleByEmail(
  database: Queryable,
  addresses: readonly (string | null)[],
): Promise<(address: string | null) => NamedPerson | null> {
  const canonical = (address: string | null) => (address === null ? null : canonicalEmail(address));
  const canonicalAddresses = new Set(addresses.map(canonical).filter((address) => address !== null));
  if (canonicalAddresses.size === 0) return () => null;
  const rows = await rowsOf<{ id: string; email_canonical: string; display_name: string }>(database, {
    name: 'find-named',
    text: 'select id, email_canonical, display_name from people where email_canonical = any($1)',
    values: [[...canonicalAddresses]],
  });
  const peopleByAddress = new Map(
    rows.map((row) => [row.email_canonical, { id: row.id, displayName: row.display_name }]),
  );
  return (address) => peopleByAddress.get(canonical(address) ?? '') ?? null;
}

/**
 * Adds the current people to audit entries. Labels of other targets, such as file names, are not addresses. `namesInvitees` is false for
 * managers of an organization, who must not learn which addresses have an account.
 */
export async function addPeopleToActivity(
  database: Queryable,
  rows: readonly AuditRow[],
  { namesInvitees = true }: { namesInvitees?: boolean } = {},
): Promise<Activity[]> {
  const targetOf = ({ target_type: type, target_label: label }: AuditRow) =>
    type === 'person' || (type === 'invitation' && namesInvitees) ? label : null;
  const personByEmail = await findPeopleByEmail(
    database,
    rows.flatMap((row) => [row.actor_label, targetOf(row)]),
  );
  return rows.map((row) => ({
    ...toActivity(row),
    actorPerson: personByEmail(row.actor_label),
    targetPerson: personByEmail(targetOf(row)),
  }));
}
