/** Changes of names and addresses: by administrators, by the people themselves, and by the directory of the site. */
import {
  changeMyName,
  changePerson,
  detailErrors,
  nameChangesPerHour,
  type PersonDetails,
} from '@vestibule/contract/people/details';
import { requestErrors } from '@vestibule/contract/request-errors';
import { fieldTexts } from '@vestibule/contract/texts/field-texts';
import { createMessage } from '@vestibule/contract/texts/text';
import { invitationAudit, personAudit, recordEach } from '../../platform/audit/audit-log.ts';
import {
  execute,
  hasRow,
  onlyRowOf,
  rawSql,
  retryOnDeadlock,
  rowsOf,
  type DatabaseDeps,
  type Queryable,
} from '../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../platform/database/rate-limit.ts';
import { assertWithinRateLimit, fail } from '../../platform/errors/failure.ts';
import { implement, type Actor, type Implementation } from '../../platform/http/implement.ts';
import { canonicalEmail, domainOf } from '../../platform/identity/canonical-email.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { updateOwner } from '../attachments/files/attachment-store.ts';
import { lockCurrent } from './person-changes.ts';
import { addressChangedMailName } from './person-mail.ts';
import { personColumns, toPerson, type PersonRow } from './people-store.ts';

type Deps = { mail: Pick<MailQueue, 'queue'>; now: () => number };

/** Changes a locked person. Both addresses get a mail about a new one. Throws if another person has the address. */
export async function changeDetails(
  { mail, now }: Deps,
  transaction: Queryable,
  person: PersonRow,
  { displayName = person.display_name, email = person.email }: PersonDetails,
  actor: Actor,
): Promise<PersonRow> {
  const before = { displayName: person.display_name, email: person.email };
  const after = { displayName, email };
  if (before.displayName === displayName && before.email === email) return person;
  const emailCanonical = canonicalEmail(email);
  if (emailCanonical === null)
    throw fail(requestErrors.invalid, { fields: { email: createMessage(fieldTexts.unusableAddress) } });
  if (emailCanonical !== canonicalEmail(before.email)) await requireFree(transaction, emailCanonical, now());
  const changed = await onlyRowOf<PersonRow>(transaction)`
    update people set display_name = ${displayName}, email = ${email}, email_canonical = ${emailCanonical},
      version = version + 1
    where id = ${person.id} returning ${rawSql(personColumns)}`.catch((error: unknown) => {
    const isTaken = (error as { constraint?: string }).constraint === 'people_email_canonical';
    throw isTaken ? fail(detailErrors.addressTaken) : error;
  });
  await updateOwner(transaction, { id: person.id, ...after });
  const canonicalBefore = canonicalEmail(before.email) as string;
  if (domainOf(emailCanonical) !== domainOf(canonicalBefore))
    await endSessionsOfConnections(transaction, person.id);
  if (emailCanonical !== canonicalBefore)
    await readdress(transaction, { from: canonicalBefore, to: emailCanonical, email }, actor);
  await personAudit.record(transaction, changed, 'person.changed', actor, {
    before: changedFields(before, after),
    after: changedFields(after, before),
  });
  if (before.email !== email)
    await mail.queue(
      transaction,
      [before.email, email].map((to) => ({
        template: addressChangedMailName,
        subjectId: `${person.id} ${before.email} ${email} ${to}`,
      })),
    );
  return changed;
}

export function detailRoutes(deps: Deps & DatabaseDeps): Implementation[] {
  const { database } = deps;
  // Each change is an entry of the activity log.
  const nameLimit = createRateLimit(deps, perHour('own name', nameChangesPerHour));
  return [
    implement(changePerson, async (call) =>
      toPerson(
        await retryOnDeadlock(database, async (transaction) =>
          changeDetails(deps, transaction, await lockCurrent(transaction, call), call.body, call),
        ),
      ),
    ),

    implement(changeMyName, async (call) =>
      toPerson(
        await retryOnDeadlock(database, async (transaction) => {
          assertWithinRateLimit(await nameLimit.take(call.caller.id, 1, transaction));
          const person = await lockCurrent(transaction, { params: { personId: call.caller.id }, query: {} });
          return changeDetails(deps, transaction, person, call.body, call);
        }),
      ),
    ),
  ];
}

/** Throws if the address has an open invitation to the site, whose link would no longer work. */
async function requireFree(transaction: Queryable, emailCanonical: string, now: number): Promise<void> {
  const isInvited = await hasRow(transaction)`
    select from invitations
    where email_canonical = ${emailCanonical} and status = 'pending' and organization_id is null
      and expires_at > ${new Date(now)}`;
  if (isInvited) throw fail(detailErrors.addressInvited);
}

/**
 * Changes the address of what belongs to a person by the address: open invitations to organizations, and requests to join. The person could
 * not accept them any more, and would be invited to create a second account. An organization that has one with the new address already
 * keeps both.
 */
async function readdress(
  transaction: Queryable,
  { from, to, email }: { from: string; to: string; email: string },
  actor: Actor,
): Promise<void> {
  const hasNone = (table: string, condition: string) =>
    rawSql(
      (address) => `not exists (select from ${table} other
        where other.organization_id = ${table}.organization_id and other.email_canonical = ${address} and ${condition})`,
      to,
    );
  await execute(transaction)`
    update membership_requests set email_canonical = ${to}, email = ${email}
    where email_canonical = ${from} and ${hasNone('membership_requests', 'true')}`;
  const invitations = await rowsOf<{
    id: string;
    email: string;
    organization_id: string;
    organization_name: string;
  }>(transaction)`
    update invitations set email_canonical = ${to}, email = ${email} from organizations
    where email_canonical = ${from} and invitations.status = 'pending' and organizations.id = organization_id
      and ${hasNone('invitations', `other.status = 'pending'`)}
    returning invitations.id, email, organization_id, organizations.name as organization_name`;
  await recordEach(transaction, invitations, (invitation) =>
    invitationAudit.entry(invitation, 'invitation.address_changed', actor, { from, to: email }),
  );
}

/** The provider of an organization signs in only addresses of its domains. A session that it started would still open that organization. */
const endSessionsOfConnections = (transaction: Queryable, personId: string) =>
  execute(transaction)`delete from sessions where person_id = ${personId} and way like 'org-%'`;

const changedFields = (fields: Record<string, string>, other: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => other[name] !== value));
