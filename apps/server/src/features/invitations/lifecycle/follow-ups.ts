/**
 * Changes after the first mail: resend, reminder, renewal, address change, new link. Several rows are locked in
 * the order of addresses, like inserts, which avoids deadlocks; reminders skip locked rows.
 */
import type { MailState } from '@vestibule/contract/invitations';
import { resendsMaximumPerHour } from '@vestibule/contract/rules/limits';
import { invitationAudit, recordEach, serverOrigin } from '../../../platform/audit/audit-log.ts';
import {
  execute,
  jsonParameter,
  onlyRowOf,
  rawSql,
  rowOf,
  rowsOf,
  type DatabaseDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import type { ScopedActor } from '../../../platform/http/implement.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import type { CurrentSettings } from '../../settings/settings-store.ts';
import { invitationMailJob } from '../invitation-mail.ts';
import { isExpiredSql, invitationColumns, isOpenSql, type InvitationRow } from '../invitation-store.ts';
import { isOrganizationOpenSql, isRedeemableSql } from '../redemption-store.ts';

/**
 * Queues another mail for open invitations, unless one is queued, `perHour` were sent in the last hour, or the organization is suspended.
 * Returns the rows.
 */
const markSentAgain = (
  transaction: Queryable,
  ids: string[],
  { perHour, at }: { perHour: number; at: Date },
) =>
  rowsOf<InvitationRow>(transaction, { name: 'mark-invitations-sent-again' })`
    update invitations set mail_state = 'queued', mail_error = null, mail_number = mail_number + 1,
      sent_again_at = (sent_again_at || ${at}::timestamptz)[greatest(1,
        cardinality(sent_again_at) - ${rawSql(resendsMaximumPerHour - 2)}):]
    where ${rawSql(isOpenSql, at)} and mail_state <> 'queued'
      and ${rawSql(isAtHourlyLimit, perHour, at)} is distinct from true
      and id in (select id from invitations where id = any(${ids}) and ${rawSql(isOpenSql, at)}
        and ${rawSql(isOrganizationOpenSql, at)}
                 order by email_canonical for update)
    returning ${rawSql(invitationColumns)}`;

/** Sends the mail of open invitations again, with the same link. Skips invitations at the limit. */
export async function resendInvitationMail(
  deps: { mail: MailQueue; now: () => number },
  transaction: Queryable,
  { ids, perHour, ...actor }: { ids: string[]; perHour: number } & ScopedActor,
): Promise<InvitationRow[]> {
  if (!deps.mail.sends) return [];
  const rows = await markSentAgain(transaction, ids, { perHour, at: new Date(deps.now()) });
  if (rows.length > 0)
    await Promise.all([
      recordEach(transaction, rows, (row) => invitationAudit.entry(row, 'invitation.sent_again', actor)),
      deps.mail.queue(
        transaction,
        rows.map((row) => invitationMailJob('invitation', row)),
      ),
    ]);
  return rows;
}

/** Returns the seconds until an invitation may be sent again, or 0. */
export async function secondsUntilResend(
  database: Queryable,
  id: string,
  { perHour, at }: { perHour: number; at: Date },
): Promise<number> {
  const found = await rowOf<{ seconds: number }>(database)`
    select ceil(extract(epoch
      from sent_again_at[cardinality(sent_again_at) - ${perHour} + 1] + interval '1 hour' - ${at}::timestamptz))::int
      as seconds
    from invitations where id = ${id} and ${rawSql(isAtHourlyLimit, perHour, at)}`;
  return found?.seconds ?? 0;
}

/** SQL: whether an invitation was sent again `perHour` times within an hour; null if it was sent fewer times in all. */
const isAtHourlyLimit = (perHour: string, at: string) =>
  `sent_again_at[cardinality(sent_again_at) - ${perHour} + 1] > ${at}::timestamptz - interval '1 hour'`;

type NewCode = { id: string; codeVersion: number; codeHash: Buffer };

/**
 * Locks and returns expired invitations, except those to suspended organizations and those to addresses of members of the site or of the
 * organization.
 */
export const lockRenewable = (transaction: Queryable, ids: string[], at: Date) =>
  rowsOf<InvitationRow>(transaction, { name: 'lock-renewable-invitations' })`
    select ${rawSql(invitationColumns)} from invitations expired
    where id = any(${ids}) and ${rawSql(isExpiredSql, at)} and ${rawSql(isOrganizationOpenSql, at)}
      and not exists (select from people where people.email_canonical = expired.email_canonical
        and (expired.organization_id is null or exists (
          select from memberships where person_id = people.id and organization_id = expired.organization_id)))
    order by email_canonical for update`;

/** Renews locked expired invitations with new codes. The previous codes are reported as expired. */
export const renewInvitations = (
  transaction: Queryable,
  renewals: (NewCode & { lifetimeDays: number; expiresAt: Date })[],
  mailState: MailState,
) =>
  rowsOf<InvitationRow>(transaction, {
    name: 'renew-invitations',
    text: `with given as (
             select id as given_id, decode("codeHash", 'hex') as new_hash, "codeVersion", "lifetimeDays", "expiresAt"
             from jsonb_to_recordset($1) as given (id uuid, "codeHash" text, "codeVersion" integer,
               "lifetimeDays" integer, "expiresAt" timestamptz)),
           replaced as (
             insert into replaced_codes (code_hash, invitation_id)
             select code_hash, id from given join invitations on id = given_id)
           update invitations set expires_at = "expiresAt", lifetime_days = "lifetimeDays",
             code_version = "codeVersion", code_hash = new_hash, mail_state = $2, mail_error = null,
             mail_number = mail_number + 1, opened_at = null, reminded_at = null
           from given where id = given_id returning ${invitationColumns}`,
    values: [
      jsonParameter(renewals.map((renewal) => ({ ...renewal, codeHash: renewal.codeHash.toString('hex') }))),
      mailState,
    ],
  });

export const lockOpenInvitation = (transaction: Queryable, id: string, at: Date) =>
  rowOf<InvitationRow>(transaction)`
    select ${rawSql(invitationColumns)} from invitations where id = ${id} and ${rawSql(isOpenSql, at)} for update`;

/** Changes the address of a locked invitation. Codes sent to the old address become invalid. */
export async function changeAddress(
  transaction: Queryable,
  change: NewCode & { email: string; emailCanonical: string; mailState: MailState },
): Promise<InvitationRow> {
  await execute(transaction)`delete from replaced_codes where invitation_id = ${change.id}`;
  return onlyRowOf<InvitationRow>(transaction)`
    update invitations set email = ${change.email}, email_canonical = ${change.emailCanonical},
      code_version = ${change.codeVersion}, code_hash = ${change.codeHash},
      mail_state = ${change.mailState}, mail_error = null, mail_number = mail_number + 1, opened_at = null
    where id = ${change.id} returning ${rawSql(invitationColumns)}`;
}

/** Records a new link if the limits allow it: once in 10 minutes, 3 times a day. Returns the locked invitation or null. */
export const recordNewLink = (transaction: Queryable, id: string, at: Date) =>
  rowOf<InvitationRow>(transaction)`
    update invitations set new_link_at = (new_link_at || ${at}::timestamptz)[greatest(1, cardinality(new_link_at) - 1):]
    where id = ${id} and status = 'pending'
      and new_link_at[cardinality(new_link_at)] > ${at}::timestamptz - interval '10 minutes' is distinct from true
      and new_link_at[cardinality(new_link_at) - 2] > ${at}::timestamptz - interval '1 day' is distinct from true
    returning ${rawSql(invitationColumns)}`;

/** Queues another mail of a locked invitation, regardless of the state of the last one. */
export const markMailQueued = (transaction: Queryable, id: string) =>
  onlyRowOf<InvitationRow>(transaction)`
    update invitations set mail_state = 'queued', mail_error = null, mail_number = mail_number + 1
    where id = ${id} returning ${rawSql(invitationColumns)}`;

/** Queues one reminder per redeemable invitation that expires within `days`, was mailed and has passed half of its lifetime. */
const markReminded = (
  transaction: Queryable,
  { days, at, limit }: { days: number; at: Date; limit: number },
) =>
  rowsOf<InvitationRow>(transaction)`
    update invitations set reminded_at = ${at}, mail_state = 'queued', mail_error = null,
      mail_number = mail_number + 1
    where id in (
      select id from invitations
      where ${rawSql(isRedeemableSql, at)} and expires_at <= ${at}::timestamptz + make_interval(days => ${days})
        and reminded_at is null and mail_state = 'sent'
        and ${at} >= expires_at - make_interval(secs => coalesce(lifetime_days, 0) * 43200)
      order by id limit ${limit} for update skip locked)
    returning ${rawSql(invitationColumns)}`;

/** Reminders per transaction. */
const chunkSize = 500;
const reminderActor = { caller: null, origin: serverOrigin('reminder') };

/** Sends one reminder before each invitation expires. */
export async function remindBeforeExpiry(
  deps: DatabaseDeps & {
    mail: MailQueue;
    settings: { current(): Promise<Pick<CurrentSettings, 'reminderDays'>> };
  },
): Promise<number> {
  const { reminderDays } = await deps.settings.current();
  if (reminderDays === 0 || !deps.mail.sends) return 0;
  let reminded = 0;
  for (;;) {
    const chunk = await remindChunk(deps, reminderDays);
    reminded += chunk;
    if (chunk < chunkSize) return reminded;
  }
}

const remindChunk = (deps: DatabaseDeps & { mail: MailQueue }, days: number): Promise<number> =>
  deps.database.transaction(async (transaction) => {
    const rows = await markReminded(transaction, { days, at: new Date(deps.now()), limit: chunkSize });
    if (rows.length > 0)
      await Promise.all([
        recordEach(transaction, rows, (row) =>
          invitationAudit.entry(row, 'invitation.reminded', reminderActor, { expiresAt: row.expires_at }),
        ),
        deps.mail.queue(
          transaction,
          rows.map((row) => invitationMailJob('invitation-reminder', row)),
        ),
      ]);
    return rows.length;
  });
