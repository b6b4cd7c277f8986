/**
 * Reads and writes what follows the first mail of an invitation: another mail, a reminder, a renewal, another address, a
 * new link. Not for: its beginning and its end (invitation-store.ts). Whoever changes several holds them in the order of
 * their addresses, as inviting does, so that the two never wait for each other in a circle.
 */
import type { MailState } from '@vestibule/contract/invitations';
import { resendsMaximumPerHour } from '@vestibule/contract/rules/limits';
import {
  execute,
  jsonParameter,
  onlyRowOf,
  rowOf,
  rowsOf,
  type Queryable,
} from '../../../platform/database/database.ts';
import { expiredAt, invitationColumns, openAt, type InvitationRow } from '../invitation-store.ts';

/**
 * Makes another mail of those invitations that are open, whose mail is not on its way, and that were not sent again
 * `perHour` times in the last hour; gives them.
 */
export async function markSentAgain(
  transaction: Queryable,
  ids: string[],
  { perHour, at }: { perHour: number; at: Date },
): Promise<InvitationRow[]> {
  return rowsOf<InvitationRow>(transaction, {
    name: 'mark-invitations-sent-again',
    text: `update invitations set mail_state = 'queued', mail_error = null, mail_number = mail_number + 1,
             sent_again_at = (sent_again_at || $2::timestamptz)[greatest(1, cardinality(sent_again_at) - ${resendsMaximumPerHour - 2}):]
           where ${openAt('$2')} and mail_state <> 'queued'
             and ${timeWithin('sent_again_at', '$3')} is distinct from true
             and id in (select id from invitations where id = any($1) and ${openAt('$2')}
                        order by email_canonical for update)
           returning ${invitationColumns}`,
    values: [ids, at, perHour],
  });
}

/** Seconds until an invitation may be sent again; 0 when it may be now. */
export async function secondsUntilSentAgain(
  database: Queryable,
  id: string,
  { perHour, at }: { perHour: number; at: Date },
): Promise<number> {
  const found = await rowOf<{ seconds: number }>(database, {
    text: `select ceil(extract(epoch from sent_again_at[cardinality(sent_again_at) - $3 + 1] + interval '1 hour' - $2::timestamptz))::int
             as seconds
           from invitations where id = $1 and ${timeWithin('sent_again_at', '$3')}`,
    values: [id, at, perHour],
  });
  return found?.seconds ?? 0;
}

/** Whether the so-manieth newest time of a list is less than an hour before $2; null when there are fewer. */
const timeWithin = (list: string, count: string) =>
  `${list}[cardinality(${list}) - ${count} + 1] > $2::timestamptz - interval '1 hour'`;

/** A new code for an invitation, and with it a new mail. */
type NewCode = { id: string; codeVersion: number; codeHash: Buffer };

/** The expired ones of some invitations, locked, but for those whose address is a member's. */
export function lockRenewable(transaction: Queryable, ids: string[], at: Date) {
  return rowsOf<InvitationRow>(transaction, {
    name: 'lock-renewable-invitations',
    text: `select ${invitationColumns} from invitations asked
           where id = any($1) and ${expiredAt('$2')}
             and not exists (select from people where people.email_canonical = asked.email_canonical)
           order by email_canonical for update`,
    values: [ids, at],
  });
}

/** Opens locked expired invitations again with new codes; the old ones answer "expired" from now on. */
export async function renewInvitations(
  transaction: Queryable,
  renewals: (NewCode & { lifetimeDays: number; expiresAt: Date })[],
  mailState: MailState,
): Promise<InvitationRow[]> {
  return rowsOf<InvitationRow>(transaction, {
    name: 'renew-invitations',
    text: `with asked as (
             select id as asked_id, decode("codeHash", 'hex') as new_hash, "codeVersion", "lifetimeDays", "expiresAt"
             from jsonb_to_recordset($1) as asked (id uuid, "codeHash" text, "codeVersion" integer,
               "lifetimeDays" integer, "expiresAt" timestamptz)),
           replaced as (
             insert into replaced_codes (code_hash, invitation_id)
             select code_hash, id from asked join invitations on id = asked_id)
           update invitations set expires_at = "expiresAt", lifetime_days = "lifetimeDays",
             code_version = "codeVersion", code_hash = new_hash, mail_state = $2, mail_error = null,
             mail_number = mail_number + 1, opened_at = null, reminded_at = null
           from asked where id = asked_id returning ${invitationColumns}`,
    values: [
      jsonParameter(renewals.map((renewal) => ({ ...renewal, codeHash: renewal.codeHash.toString('hex') }))),
      mailState,
    ],
  });
}

export function lockOpenInvitation(transaction: Queryable, id: string, at: Date) {
  return rowOf<InvitationRow>(transaction, {
    text: `select ${invitationColumns} from invitations where id = $1 and ${openAt('$2')} for update`,
    values: [id, at],
  });
}

/** Sends a locked invitation to another address. Codes that went to the old one are forgotten: they are invalid. */
export async function changeAddress(
  transaction: Queryable,
  change: NewCode & { email: string; emailCanonical: string; mailState: MailState },
): Promise<InvitationRow> {
  await execute(transaction, 'delete from replaced_codes where invitation_id = $1', [change.id]);
  return onlyRowOf<InvitationRow>(transaction, {
    text: `update invitations set email = $2, email_canonical = $3, code_version = $4, code_hash = $5,
             mail_state = $6, mail_error = null, mail_number = mail_number + 1, opened_at = null
           where id = $1 returning ${invitationColumns}`,
    values: [
      change.id,
      change.email,
      change.emailCanonical,
      change.codeVersion,
      change.codeHash,
      change.mailState,
    ],
  });
}

/**
 * Notes that somebody asked for a new link of a pending invitation, and gives it, locked, where that is granted: once in ten
 * minutes and three times a day.
 */
export function takeNewLink(transaction: Queryable, id: string, at: Date) {
  return rowOf<InvitationRow>(transaction, {
    text: `update invitations set new_link_at = (new_link_at || $2::timestamptz)[greatest(1, cardinality(new_link_at) - 1):]
           where id = $1 and status = 'pending'
             and new_link_at[cardinality(new_link_at)] > $2::timestamptz - interval '10 minutes' is distinct from true
             and new_link_at[cardinality(new_link_at) - 2] > $2::timestamptz - interval '1 day' is distinct from true
           returning ${invitationColumns}`,
    values: [id, at],
  });
}

/** Makes another mail of a locked invitation, whatever became of the last one. */
export async function markMailQueued(transaction: Queryable, id: string): Promise<InvitationRow> {
  return onlyRowOf<InvitationRow>(transaction, {
    text: `update invitations set mail_state = 'queued', mail_error = null, mail_number = mail_number + 1
           where id = $1 returning ${invitationColumns}`,
    values: [id],
  });
}

/**
 * Makes a reminder of open invitations that end within so many days, once each, and gives them: those whose mail
 * arrived, nobody has reminded, and half of whose lifetime is over.
 */
export async function markReminded(
  transaction: Queryable,
  { days, at, limit }: { days: number; at: Date; limit: number },
): Promise<InvitationRow[]> {
  return rowsOf<InvitationRow>(transaction, {
    text: `update invitations set reminded_at = $1, mail_state = 'queued', mail_error = null,
             mail_number = mail_number + 1
           where id in (
             select id from invitations
             where ${openAt('$1')} and expires_at <= $1 + make_interval(days => $2)
               and reminded_at is null and mail_state = 'sent'
               and $1 >= expires_at - make_interval(secs => coalesce(lifetime_days, 0) * 43200)
             order by id limit $3 for update skip locked)
           returning ${invitationColumns}`,
    values: [at, days, limit],
  });
}
