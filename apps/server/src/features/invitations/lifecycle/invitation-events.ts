/**
 * Events of invitations that the audit log does not contain: mails, openings, tokens, refusals. Equal events of a day share
 * a row with a counter, so repeated openings cannot fill the table. The timeline combines both sources.
 */
import { refusals } from '@vestibule/contract/invitations/texts';
import type { InvitationEvent } from '@vestibule/contract/invitations';
import type { NamedPerson } from '@vestibule/contract/people/named-person';
import { isSmtpReply } from '@vestibule/contract/rules/smtp-reply';
import { createMessage } from '@vestibule/contract/texts/text';
import { invitationAudit, type AuditRow } from '../../../platform/audit/audit-log.ts';
import {
  jsonParameter,
  rowOf,
  retryOnDeadlock,
  type Database,
  type Queryable,
} from '../../../platform/database/database.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import type { Origin } from '../../../platform/http/implement.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import { adviseOnMail } from '../../mail/mail-advice.ts';
import { findPeopleByEmail } from '../../people/people-by-email.ts';
import { isOpenSql } from '../invitation-store.ts';

type EventKind = 'mailed' | 'mail_failed' | 'opened' | 'token_issued' | 'cancelled' | 'refused';

type NewEvent = {
  invitationId: string;
  kind: EventKind;
  /** Detail of the event. For `opened`: `person` or `scanner`. For mails: the mail number. For `refused`: the reason. */
  about?: string;
  note?: string | null;
  at: Date;
};

/** SQL that adds the rows of the common table expression `new_events` to the events and their counters. */
export const insertEventsSql = `insert into invitation_events as known (invitation_id, kind, about, day, at, last_at, times, note)
  select "invitationId", kind, about, day, min(at), max(at), count(*), max(note)
  from new_events group by "invitationId", kind, about, day order by "invitationId", kind, about
  on conflict (invitation_id, kind, about, day) do update set
    last_at = greatest(known.last_at, excluded.last_at), times = known.times + excluded.times, note = excluded.note`;

const newEventsSql = `select "invitationId", kind, about, (at at time zone 'UTC')::date as day, at, note
  from jsonb_to_recordset($1) as event ("invitationId" uuid, kind text, about text, at timestamptz, note text)`;

export type RecordEvent = (event: NewEvent) => Promise<void>;

/** Batches concurrent events into one statement. Statements run one at a time. */
export const createEventRecorder = (database: Database): RecordEvent =>
  createBatchLoader(async (events: NewEvent[]) => {
    await retryOnDeadlock(database, (transaction) =>
      transaction.query({
        name: 'record-invitation-events',
        text: `with new_events as (${newEventsSql}), counted as (${insertEventsSql} returning 1)
             update invitations set opened_at = opened.at
             from (select "invitationId", min(at) as at from new_events
                   where kind = 'token_issued' or (kind = 'opened' and about = 'person') group by 1) opened
             where id = opened."invitationId" and ${isOpenSql('opened.at')} and opened_at is null`,
        values: [
          jsonParameter(events.map(({ about = '', note = null, ...event }) => ({ ...event, about, note }))),
        ],
      }),
    );
    return events.map(() => undefined);
  }, 1);

/** Reasons for refusing an invitee who signs in after the end of the invitation, without a link. */
export const lateSignInReasons = {
  expired: refusals.signedInAfterExpiry.message,
  revoked: refusals.signedInAfterRevocation.message,
};

/** Records a refused sign-in in the audit log, at most once an hour per reason. Ignores unknown invitations. */
export async function recordRefusal(
  database: Database,
  invitationId: string,
  reason: string,
  origin: Origin,
): Promise<void> {
  const invitation = await rowOf<{ id: string; email: string }>(database)`
    select id, email from invitations where id = ${invitationId} and not exists (
    select from audit_log where target_type = 'invitation' and target_id = ${invitationId}::text
      and action = 'invitation.refused' and detail ->> 'reason' = ${reason}
        and at > clock_timestamp() - interval '1 hour')`;
  const actor = { caller: null, origin };
  if (invitation) await invitationAudit.record(database, invitation, 'invitation.refused', actor, { reason });
}

const shownActions: Record<string, InvitationEvent['kind']> = {
  'invitation.created': 'created',
  'invitation.sent_again': 'sent_again',
  'invitation.reminded': 'reminded',
  'invitation.renewed': 'renewed',
  'invitation.new_link_sent': 'new_link_sent',
  'invitation.address_changed': 'address_changed',
  'invitation.link_copied': 'link_copied',
  'invitation.revoked': 'revoked',
  'invitation.refused': 'refused',
  'invitation.redeemed': 'redeemed',
  'invitation.accepted': 'redeemed',
};

const maxShownEvents = 200;

type EventRow = {
  kind: EventKind;
  about: string;
  at: Date;
  last_at: Date;
  times: number;
  note: string | null;
};
type ChangeRow = Pick<AuditRow, 'action' | 'actor_id' | 'actor_label' | 'at' | 'detail'>;

/** Returns the newest events, oldest first. */
export async function readTimeline(database: Queryable, invitationId: string): Promise<InvitationEvent[]> {
  const [changes, events] = await Promise.all([
    database.query<ChangeRow>({
      name: 'read-changes-of-invitation',
      text: `select action, actor_id, actor_label, at, detail from audit_log
             where target_type = 'invitation' and target_id = $1 order by id desc limit ${maxShownEvents}`,
      values: [invitationId],
    }),
    database.query<EventRow>({
      name: 'read-events-of-invitation',
      text: `select kind, about, at, last_at, times, note from invitation_events
             where invitation_id = $1 order by at desc limit ${maxShownEvents}`,
      values: [invitationId],
    }),
  ]);
  const named = await findPeopleByEmail(database, valuesOf(changes.rows, 'actor_label'));
  return [
    ...changes.rows
      .filter(({ action }) => action in shownActions)
      .map((change) => fromChange(change, named(change.actor_label))),
    ...events.rows.map(fromEvent),
  ]
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .slice(-maxShownEvents);
}

function fromChange(
  { action, actor_id, actor_label, at, detail }: ChangeRow,
  actor: NamedPerson | null,
): InvitationEvent {
  const note = detail['from'] ?? detail['reason'];
  return {
    kind: shownActions[action] as InvitationEvent['kind'],
    at: at.toISOString(),
    lastAt: at.toISOString(),
    times: 1,
    by: actor_id === null ? null : actor_label,
    byName: actor_id === null ? null : (actor?.displayName ?? null),
    agent: null,
    ...describeNote(typeof note === 'string' ? note : null),
  };
}

const fromEvent = ({ kind, about, at, last_at, times, note }: EventRow): InvitationEvent => ({
  kind,
  at: at.toISOString(),
  lastAt: last_at.toISOString(),
  times,
  by: null,
  byName: null,
  agent: kind === 'opened' ? (about as 'person' | 'scanner') : null,
  ...describeNote(kind === 'refused' ? about : note, kind),
});

/** Adds a translatable text for refusals, and for mail failures that are not SMTP replies. */
function describeNote(note: string | null, kind?: EventKind): Pick<InvitationEvent, 'note' | 'noteText'> {
  if (kind === 'mail_failed' && note !== null && !isSmtpReply(note))
    return { note, noteText: adviseOnMail(note) };
  const refusal = Object.values(refusals).find(({ message }) => message === note);
  return { note, noteText: refusal ? createMessage(refusal) : null };
}
