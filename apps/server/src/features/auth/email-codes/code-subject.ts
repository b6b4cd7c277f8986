/** Entries about mailed codes in the activity log, for the person or the open invitation that a code is for. None for other addresses. */
import { refusals } from '@vestibule/contract/invitations/texts';
import { personAudit, serverOrigin } from '../../../platform/audit/audit-log.ts';
import { rawSql, rowOf, scalarOf, type DatabaseDeps } from '../../../platform/database/database.ts';
import { createRateLimit, perHour } from '../../../platform/database/rate-limit.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { isOpenSql } from '../../invitations/invitation-store.ts';
import { recordRefusal, type RecordEvent } from '../../invitations/lifecycle/invitation-events.ts';
import type { AuthorizationRequest } from '../oidc/request-store.ts';

/** Records that no further codes are accepted on this day. */
export async function recordBlockedCodes(
  deps: DatabaseDeps,
  request: AuthorizationRequest,
  origin: Origin,
): Promise<void> {
  const { database } = deps;
  const person = await findPersonOf(deps, request);
  if (person) return personAudit.record(database, person, 'person.codes_blocked', { caller: null, origin });
  const invitationId = await findInvitationIdOf(deps, request);
  if (invitationId !== null)
    await recordRefusal(database, invitationId, refusals.tooManyCodes.message, origin);
}

/** Records that the mail server did not accept a code, at most once an hour for a person and once a day for an invitation. */
export async function recordFailedCodeMail(
  deps: DatabaseDeps & { recordEvent: RecordEvent },
  request: AuthorizationRequest,
  reason: string,
): Promise<void> {
  const { database, now } = deps;
  const person = await findPersonOf(deps, request);
  if (person) {
    const hourly = createRateLimit(deps, perHour('recorded code mails', 1));
    if ((await hourly.take(person.id)) > 0) return;
    const actor = { caller: null, origin: serverOrigin('mail') };
    return personAudit.record(database, person, 'person.code_mail_failed', actor, { reason });
  }
  const invitationId = await findInvitationIdOf(deps, request);
  if (invitationId !== null)
    await deps.recordEvent({
      invitationId,
      kind: 'mail_failed',
      about: 'code',
      note: reason,
      at: new Date(now()),
    });
}

const findPersonOf = ({ database }: DatabaseDeps, { person_id: id, address }: AuthorizationRequest) =>
  rowOf<{ id: string; email: string }>(database)`
    select id, email from people
      where case when ${id}::uuid is null then email_canonical = ${address} else id = ${id} end`;

const findInvitationIdOf = (
  { database, now }: DatabaseDeps,
  { invitation_id: id, address }: AuthorizationRequest,
) =>
  scalarOf<string>(database)`
    select id from invitations where ${rawSql(isOpenSql, new Date(now()))}
      and case when ${address}::text is null then id = ${id}::uuid else email_canonical = ${address} end
    order by created_at desc limit 1`;
