import type { Activity } from '@vestibule/contract/activity';
import type { NamedPerson } from '@vestibule/contract/people/named-person';
import { toActivity, type AuditRow } from '../../platform/audit/audit-log.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { findByKey } from '../../platform/database/find-by-key.ts';
import { canonicalEmail } from '../../platform/identity/canonical-email.ts';

/** Returns a function that returns the person with an address; null if there is none. */
export async function findPeopleByEmail(
  database: Queryable,
  addresses: readonly (string | null)[],
): Promise<(address: string | null) => NamedPerson | null> {
  const canonical = (address: string | null) => (address === null ? null : canonicalEmail(address));
  const personOf = await findByKey<NamedPerson>(database, addresses.map(canonical), {
    name: 'find-named',
    text: `select email_canonical as key, jsonb_build_object('id', id, 'displayName', display_name) as value
           from people where email_canonical = any($1)`,
  });
  return (address) => personOf(canonical(address));
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
