/** Reads and writes invitations. Each status change is one statement that checks the previous status. */
import {
  Invitation,
  type InvitationColumn,
  type InvitationGroup,
  type InvitationStatus,
  type MailState,
} from '@vestibule/contract/invitations';
import { NewInvitation, type InvitationLanguage } from '@vestibule/contract/invitations/new-invitation';
import { soonDays } from '@vestibule/contract/rules/limits';
import type { Role } from '@vestibule/contract/rules/role';
import { execute, jsonParameter, rowOf, rowsOf, type Queryable } from '../../platform/database/database.ts';
import {
  bytes,
  defineTable,
  integer,
  timestamptz,
  text,
  uuid,
} from '../../platform/database/define-table.ts';
import type { ExportedColumn, ListSource } from '../../platform/lists/list-source.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { adviseOnMail } from '../mail/mail-advice.ts';
import type { CurrentSettings } from '../settings/settings-store.ts';

/** Stored columns. A new field needs a line here and a migration; the compiler reports the other places. */
export const invitationTable = defineTable('invitations', {
  inserted: {
    id: uuid(),
    email: text(),
    emailCanonical: text(),
    name: text(),
    role: text<Role>(),
    message: text(),
    language: text<InvitationLanguage>(),
    lifetimeDays: integer<number | null>(),
    mailState: text<MailState>(),
    createdAt: timestamptz(),
    createdBy: text<string | null>(),
    expiresAt: timestamptz(),
    batchId: uuid<string | null>(),
  },
  unread: { codeHash: bytes() },
  defaulted: {
    /**
     * `replaced`: a later invitation replaced this one. All statuses but `pending` are final, which the database
     * enforces.
     */
    status: text<'pending' | 'redeemed' | 'revoked' | 'replaced'>(),
    mailError: text<string | null>(),
    openedAt: timestamptz<Date | null>(),
    redeemedAt: timestamptz<Date | null>(),
    revokedAt: timestamptz<Date | null>(),
    codeVersion: integer(),
    mailNumber: integer(),
    mailedAt: timestamptz<Date | null>(),
  },
  otherColumns: ['redeemedBy', 'mailFailedAt', 'sentAgainAt', 'newLinkAt', 'remindedAt'],
});

export type InvitationRow = typeof invitationTable.types.row;
type NewInvitationRow = typeof invitationTable.types.newRow;

/** Defaults of an invitation without a mail. */
export const defaultInvitation = {
  ...NewInvitation.parse({ email: 'invitee@example.com' }),
  language: 'en' as const,
  lifetimeDays: null,
  mailState: 'none' as const,
  createdBy: null,
  batchId: null,
};

export const invitationColumns = invitationTable.columns;

export async function findInvitation(database: Queryable, id: string): Promise<InvitationRow | null> {
  return rowOf<InvitationRow>(database, {
    name: 'find-invitation',
    text: `select ${invitationColumns} from invitations where id = $1`,
    values: [id],
  });
}

/** Returns the id of the person who redeemed the invitation; null if it is not redeemed or the person was removed. */
export async function findRedeemer(database: Queryable, id: string): Promise<string | null> {
  const found = await rowOf<{ id: string }>(database, {
    name: 'find-redeemer',
    text: `select people.id from invitations join people on people.id = redeemed_by where invitations.id = $1`,
    values: [id],
  });
  return found?.id ?? null;
}

/** Returns rows in no particular order and skips unknown ids. */
export async function findInvitations(database: Queryable, ids: string[]): Promise<InvitationRow[]> {
  return rowsOf<InvitationRow>(database, {
    name: 'find-invitations',
    text: `select ${invitationColumns} from invitations where id = any($1)`,
    values: [ids],
  });
}

/** `isReplaced` means that a renewal has replaced this code. */
export async function findInvitationByCodeHash(
  database: Queryable,
  codeHash: Buffer,
): Promise<(InvitationRow & { isReplaced: boolean }) | null> {
  return rowOf<InvitationRow & { isReplaced: boolean }>(database, {
    name: 'find-invitation-by-code-hash',
    text: `select ${invitationColumns}, code_hash <> $1 as "isReplaced" from invitations
           where code_hash = $1 or id = (select invitation_id from replaced_codes where code_hash = $1)`,
    values: [codeHash],
  });
}

/** Returns the pending invitation to an address, otherwise the newest invitation to it. Each subquery has an index. */
export function findLatestInvitation(
  database: Queryable,
  emailCanonical: string,
): Promise<InvitationRow | null> {
  const ofAddress = `select ${invitationColumns} from invitations where email_canonical = $1`;
  return rowOf<InvitationRow>(database, {
    name: 'find-latest-invitation',
    text: `select * from ((${ofAddress} and status = 'pending') union all
             (${ofAddress} and status <> 'pending' order by created_at desc limit 1)) as invitation
           order by status = 'pending' desc limit 1`,
    values: [emailCanonical],
  });
}

export function replaceExpired(
  transaction: Queryable,
  addresses: readonly string[],
  at: Date,
): Promise<unknown> {
  return transaction.query({
    name: 'replace-expired-invitations',
    text: `update invitations set status = 'replaced'
           where id in (select id from invitations
                        where email_canonical = any($1) and ${isExpiredSql('$2')}
                        order by email_canonical for update)`,
    values: [addresses, at],
  });
}

/**
 * Inserts pending invitations and returns the inserted rows. Skips addresses of people and addresses with an open invitation,
 * also in concurrent transactions. Replaces expired invitations.
 */
export async function insertInvitations(
  transaction: Queryable,
  invitations: NewInvitationRow[],
  at: Date,
): Promise<InvitationRow[]> {
  // Rows are locked in the order of addresses, which avoids deadlocks between two inserts.
  const [, { rows }, members] = await Promise.all([
    replaceExpired(transaction, valuesOf(invitations, 'emailCanonical'), at),
    transaction.query<InvitationRow>({
      name: 'insert-invitations',
      text: `${invitationTable.insert}
             where not exists (select from people where people.email_canonical = fresh.email_canonical)
             order by fresh.email_canonical
             on conflict (email_canonical) where status = 'pending' do nothing
             returning ${invitationColumns}`,
      values: [invitationTable.parameter(invitations)],
    }),
    // The insert may have waited for a redemption, which has created a person.
    rowsOf<{ id: string }>(transaction, {
      name: 'remove-invitations-of-members',
      text: `delete from invitations using people
             where invitations.id = any($1) and people.email_canonical = invitations.email_canonical
             returning invitations.id`,
      values: [valuesOf(invitations, 'id')],
    }),
  ]);
  const ofMembers = new Set(valuesOf(members, 'id'));
  return rows.filter(({ id }) => !ofMembers.has(id));
}

/**
 * Reserves an address until the transaction ends, for a person who joins without an invitation: an insert of an
 * invitation to the address waits, and then finds the person. Returns false if an invitation to the address is pending.
 */
export async function reserveAddress(
  transaction: Queryable,
  emailCanonical: string,
  { id, at }: { id: string; at: Date },
): Promise<boolean> {
  const reservation = {
    ...defaultInvitation,
    id,
    codeHash: Buffer.from(id),
    email: emailCanonical,
    emailCanonical,
    createdAt: at,
    expiresAt: at,
  };
  // The unique index of pending invitations serves as the lock. A deleted row, too, locks the address until the
  // transaction ends.
  const [reserved] = await Promise.all([
    execute(transaction, {
      name: 'reserve-address',
      text: `${invitationTable.insert} on conflict (email_canonical) where status = 'pending' do nothing`,
      values: [invitationTable.parameter([reservation])],
    }),
    execute(transaction, {
      name: 'delete-reservation',
      text: 'delete from invitations where id = $1',
      values: [id],
    }),
  ]);
  return reserved === 1;
}

export async function isMember(database: Queryable, emailCanonical: string): Promise<boolean> {
  const rows = await rowsOf(database, 'select from people where email_canonical = $1', [emailCanonical]);
  return rows.length > 0;
}

/** Revokes pending invitations, also expired ones, and cancels their queued mails. Returns the revoked rows. */
export async function revokeInvitations(
  transaction: Queryable,
  selection: { ids: string[] } | { batchId: string },
  at: Date,
): Promise<InvitationRow[]> {
  const [condition, value] =
    'ids' in selection ? ['id = any($1)', selection.ids] : ['batch_id = $1', selection.batchId];
  return rowsOf<InvitationRow>(transaction, {
    name: 'ids' in selection ? 'revoke-invitations' : 'revoke-batch',
    text: `update invitations set status = 'revoked', revoked_at = $2,
             mail_state = case mail_state when 'queued' then 'none' else mail_state end
           where status = 'pending' and id in (
             select id from invitations where ${condition} and status = 'pending' order by email_canonical for update)
           returning ${invitationColumns}`,
    values: [value, at],
  });
}

/**
 * Redeems the open invitations to the addresses and returns them, keyed by person id. `claimed` is the invitation
 * reported by the provider. If it is open, only it can be redeemed, and only for its address. An invitation with the
 * role `admin` must be claimed, or the address verified.
 */
export async function redeemInvitations(
  transaction: Queryable,
  redemptions: { personId: string; emailCanonical: string; claimed: string | null; isVerified: boolean }[],
  at: Date,
): Promise<Map<string, InvitationRow>> {
  const rows = await rowsOf<InvitationRow & { redeemed_by: string }>(transaction, {
    name: 'redeem-invitations',
    text: `update invitations set status = 'redeemed', redeemed_at = $2, redeemed_by = "personId",
             mail_state = case mail_state when 'queued' then 'none' else mail_state end
           from jsonb_to_recordset($1) as asked ("personId" uuid, "emailCanonical" text, claimed uuid, "isVerified" boolean)
           where email_canonical = "emailCanonical" and ${isOpenSql('$2')}
             and (role <> 'admin' or id = claimed or "isVerified")
             and (id = claimed or not exists (
               select from invitations named where named.id = claimed and named.status = 'pending' and named.expires_at > $2))
           returning redeemed_by, ${invitationColumns}`,
    values: [
      jsonParameter(
        redemptions.map(({ personId, emailCanonical, claimed, isVerified }) => ({
          personId,
          emailCanonical,
          claimed,
          isVerified,
        })),
      ),
      at,
    ],
  });
  return new Map(rows.map((row) => [row.redeemed_by, row]));
}

/** Returns the status shown to users: "opened" and "expired" are derived from timestamps. */
export function shownStatus(row: InvitationRow, now: number): InvitationStatus {
  if (row.status !== 'pending') return row.status;
  if (row.expires_at.getTime() <= now) return 'expired';
  return row.opened_at ? 'opened' : 'pending';
}

/** Returns whether an invitee must enter a mailed code before creating a passkey, because a link can be forwarded. */
export const needsCodeFirst = (
  role: Role,
  { codeBeforePasskey }: Pick<CurrentSettings, 'codeBeforePasskey'>,
): boolean => role === 'admin' || codeBeforePasskey;

export function isOpen(row: InvitationRow, now: number): boolean {
  return row.status === 'pending' && row.expires_at.getTime() > now;
}

/** SQL of `isOpen`; `at` is a parameter. */
export const isOpenSql = (at: string) => `status = 'pending' and expires_at > ${at}`;
export const isExpiredSql = (at: string) => `status = 'pending' and expires_at <= ${at}`;

const isPendingAt = isOpenSql('$now');

/** SQL of `shownStatus`; `$now` is a placeholder for the current time. */
const shownStatusConditions: Record<InvitationStatus, string> = {
  pending: `${isPendingAt} and opened_at is null`,
  opened: `${isPendingAt} and opened_at is not null`,
  expired: isExpiredSql('$now'),
  redeemed: `status = 'redeemed'`,
  revoked: `status = 'revoked'`,
  replaced: `status = 'replaced'`,
};

export const invitationList: ListSource<InvitationColumn, ExportedColumn, InvitationGroup> = {
  table: 'invitations',
  columns: {
    email: { kind: 'text', searched: true, folded: true, label: 'E-mail' },
    name: { kind: 'text', searched: true, folded: true, label: 'Name' },
    role: { kind: 'set', label: 'Role', words: { admin: 'Administrator', member: 'Member' } },
    status: {
      kind: 'set',
      values: shownStatusConditions,
      label: 'Status',
      words: {
        pending: 'Pending',
        opened: 'Opened',
        redeemed: 'Redeemed',
        expired: 'Expired',
        revoked: 'Revoked',
        replaced: 'Replaced',
      } satisfies Record<InvitationStatus, string>,
    },
    mailState: {
      kind: 'set',
      label: 'Delivery',
      words: { none: 'No e-mail', queued: 'Queued', sent: 'Sent', failed: 'Failed' } satisfies Record<
        MailState,
        string
      >,
    },
    language: { kind: 'set', label: 'Language', words: { en: 'English', de: 'German' } },
    createdAt: { kind: 'date', label: 'Invited' },
    createdBy: { kind: 'text', label: 'Invited by' },
    expiresAt: { kind: 'date', label: 'Expires' },
    mailedAt: { kind: 'date', label: 'E-mailed' },
    openedAt: { kind: 'date', label: 'Opened' },
    redeemedAt: { kind: 'date', label: 'Redeemed' },
    batchId: { kind: 'id', label: 'Batch' },
  },
  groups: {
    waiting: isPendingAt,
    // Rounded to a quarter of an hour, like the counts of the dashboard.
    expiring: `${isPendingAt} and expires_at < quarter_of($now + interval '${soonDays} days')`,
    failed: `${isPendingAt} and mail_state = 'failed'`,
    expired: shownStatusConditions.expired,
    joined: shownStatusConditions.redeemed,
  },
  newestFirst: 'created_at',
};

const stored = invitationTable.toContract(Invitation);

export function toInvitation(row: InvitationRow, now: number): Invitation {
  const mailAdviceText = row.mail_error === null ? null : adviseOnMail(row.mail_error);
  return {
    ...stored(row),
    status: shownStatus(row, now),
    mailAdvice: mailAdviceText?.message ?? null,
    mailAdviceText,
  };
}
