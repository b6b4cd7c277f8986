/** Entries about mailed codes in the activity log, for the person or the open invitation that a code is for. None for other addresses. */
import { refusals } from '@vestibule/contract/invitations/texts';
import { aboutPerson, recordChange } from '../../../platform/audit/audit-log.ts';
import { rowOf, type DatabaseDeps } from '../../../platform/database/database.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { isOpenSql } from '../../invitations/invitation-store.ts';
import { recordRefusal } from '../../invitations/lifecycle/invitation-events.ts';
import type { AuthorizationRequest } from '../oidc/request-store.ts';

/** Records that no further codes are accepted on this day. */
export async function recordBlockedCodes(
  deps: DatabaseDeps,
  request: AuthorizationRequest,
  origin: Origin,
): Promise<void> {
  const { database } = deps;
  const person = await findPersonOf(deps, request);
  if (person)
    return recordChange(database, aboutPerson(person, 'person.codes_blocked', { caller: null, origin }));
  const invitationId = await findInvitationIdOf(deps, request);
  if (invitationId !== null)
    await recordRefusal(database, invitationId, refusals.tooManyCodes.message, origin);
}

const findPersonOf = ({ database }: DatabaseDeps, { person_id: id, address }: AuthorizationRequest) =>
  rowOf<{ id: string; email: string }>(database, {
    text: `select id, email from people where case when $1::uuid is null then email_canonical = $2 else id = $1 end`,
    values: [id, address],
  });

async function findInvitationIdOf(
  { database, now }: DatabaseDeps,
  { invitation_id: id, address }: AuthorizationRequest,
): Promise<string | null> {
  const found = await rowOf<{ id: string }>(database, {
    text: `select id from invitations where ${isOpenSql('$3')} and case when $2::text is null then id = $1::uuid else email_canonical = $2 end
           order by created_at desc limit 1`,
    values: [id, address, new Date(now())],
  });
  return found?.id ?? null;
}
