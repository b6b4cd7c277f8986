/** Reads and writes invitations. Every change of state is one statement that names the state it starts from. */
import type {
  Invitation,
  InvitationLanguage,
  InvitationStatus,
  MailState,
} from '@vestibule/contract/invitations';
import type { Role } from '@vestibule/contract/people';
import { jsonParameter, type Queryable } from '../../platform/database/database.ts';

export type InvitationRow = {
  id: string;
  email: string;
  email_canonical: string;
  name: string;
  role: Role;
  message: string;
  language: InvitationLanguage;
  lifetime_days: number | null;
  status: 'pending' | 'redeemed' | 'revoked' | 'expired';
  mail_state: MailState;
  mail_error: string | null;
  created_at: Date;
  created_by: string | null;
  expires_at: Date;
  opened_at: Date | null;
  redeemed_at: Date | null;
  revoked_at: Date | null;
  batch_id: string | null;
  code_version: number;
  mail_number: number;
  mailed_at: Date | null;
};

const columns = [
  ...['id', 'email', 'email_canonical', 'name', 'role', 'message', 'language', 'lifetime_days', 'status'],
  ...['mail_state', 'mail_error', 'created_at', 'created_by', 'expires_at', 'opened_at', 'redeemed_at'],
  ...['revoked_at', 'batch_id', 'code_version', 'mail_number', 'mailed_at'],
].join(', ');

export async function findInvitation(database: Queryable, id: string): Promise<InvitationRow | null> {
  const { rows } = await database.query<InvitationRow>({
    name: 'find-invitation',
    text: `select ${columns} from invitations where id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}

export async function findInvitationByCodeHash(
  database: Queryable,
  codeHash: Buffer,
): Promise<InvitationRow | null> {
  const { rows } = await database.query<InvitationRow>({
    name: 'find-invitation-by-code-hash',
    text: `select ${columns} from invitations where code_hash = $1`,
    values: [codeHash],
  });
  return rows[0] ?? null;
}

export async function findLatestInvitation(
  database: Queryable,
  emailCanonical: string,
): Promise<InvitationRow | null> {
  const { rows } = await database.query<InvitationRow>({
    text: `select ${columns} from invitations where email_canonical = $1 order by created_at desc limit 1`,
    values: [emailCanonical],
  });
  return rows[0] ?? null;
}

export type NewInvitationRow = {
  id: string;
  codeHash: Buffer;
  email: string;
  emailCanonical: string;
  name: string;
  role: Role;
  message: string;
  mailState: MailState;
  createdBy: string | null;
  expiresAt: Date;
};

/**
 * Inserts pending invitations and gives those that were, in the order of their addresses. Left out is an address that
 * belongs to a person or has an open invitation, however many ask at once; an expired one makes room.
 */
export async function insertInvitations(
  transaction: Queryable,
  invitations: NewInvitationRow[],
  at: Date,
): Promise<InvitationRow[]> {
  // Both statements travel together; rows are locked in one order, so that two inserts never wait for each other.
  const [, { rows }] = await Promise.all([
    transaction.query({
      name: 'expire-old-invitations',
      text: `update invitations set status = 'expired'
             where email_canonical = any($1) and status = 'pending' and expires_at <= $2`,
      values: [invitations.map(({ emailCanonical }) => emailCanonical), at],
    }),
    transaction.query<InvitationRow>({
      name: 'insert-invitations',
      text: `insert into invitations (id, code_hash, email, email_canonical, name, role, message, mail_state, created_at, created_by, expires_at)
             select id, decode("codeHash", 'hex'), email, "emailCanonical", name, role, message, "mailState", $2, "createdBy", "expiresAt"
             from jsonb_to_recordset($1) as asked (id uuid, "codeHash" text, email text, "emailCanonical" text,
               name text, role text, message text, "mailState" text, "createdBy" text, "expiresAt" timestamptz)
             where not exists (select from people where email_canonical = "emailCanonical")
             order by "emailCanonical"
             on conflict (email_canonical) where status = 'pending' do nothing
             returning ${columns}`,
      values: [
        jsonParameter(
          invitations.map((invitation) => ({ ...invitation, codeHash: invitation.codeHash.toString('hex') })),
        ),
        at,
      ],
    }),
  ]);
  return rows;
}

/** Whether an address belongs to somebody who is inside. */
export async function isMember(database: Queryable, emailCanonical: string): Promise<boolean> {
  const { rows } = await database.query({
    text: 'select from people where email_canonical = $1',
    values: [emailCanonical],
  });
  return rows.length > 0;
}

/** Remembers the first opening of a link. Opening consumes nothing (statement D12). */
export async function markOpened(database: Queryable, id: string, at: Date): Promise<void> {
  await database.query({
    name: 'mark-invitation-opened',
    text: 'update invitations set opened_at = $2 where id = $1 and opened_at is null',
    values: [id, at],
  });
}

/** Revokes an open invitation; null when it is not open any more. */
export async function revoke(transaction: Queryable, id: string, at: Date): Promise<InvitationRow | null> {
  const { rows } = await transaction.query<InvitationRow>({
    name: 'revoke-invitation',
    text: `update invitations set status = 'revoked', revoked_at = $2
           where id = $1 and status = 'pending' and expires_at > $2 returning ${columns}`,
    values: [id, at],
  });
  return rows[0] ?? null;
}

/**
 * Redeems the open invitation of an address; null when there is none. `claimed` is the invitation the provider
 * carried through: where it is still open, no other one is taken, and it must have gone to this address.
 */
export async function redeemInvitation(
  transaction: Queryable,
  redemption: { claimed: string | null; emailCanonical: string; personId: string; at: Date },
): Promise<InvitationRow | null> {
  const { rows } = await transaction.query<InvitationRow>({
    name: 'redeem-invitation',
    text: `update invitations set status = 'redeemed', redeemed_at = $1, redeemed_by = $2
           where email_canonical = $3 and status = 'pending' and expires_at > $1
             and (id = $4 or not exists (
               select from invitations named where named.id = $4 and named.status = 'pending' and named.expires_at > $1))
           returning ${columns}`,
    values: [redemption.at, redemption.personId, redemption.emailCanonical, redemption.claimed],
  });
  return rows[0] ?? null;
}

export async function setMailState(
  database: Queryable,
  id: string,
  state: MailState,
  error: string | null,
): Promise<void> {
  await database.query({
    name: 'set-invitation-mail-state',
    text: 'update invitations set mail_state = $2, mail_error = $3 where id = $1',
    values: [id, state, error],
  });
}

/** The status people see: opened and expired follow from the times. */
export function shownStatus(row: InvitationRow, now: number): InvitationStatus {
  if (row.status !== 'pending') return row.status;
  if (row.expires_at.getTime() <= now) return 'expired';
  return row.opened_at ? 'opened' : 'pending';
}

/** The same in SQL, a condition for each status; `$now` is the moment. */
export const shownStatusConditions: Record<InvitationStatus, string> = {
  pending: `status = 'pending' and expires_at > $now and opened_at is null`,
  opened: `status = 'pending' and expires_at > $now and opened_at is not null`,
  expired: `status = 'expired' or (status = 'pending' and expires_at <= $now)`,
  redeemed: `status = 'redeemed'`,
  revoked: `status = 'revoked'`,
};

export function toInvitation(row: InvitationRow, now: number): Invitation {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    message: row.message,
    language: row.language,
    status: shownStatus(row, now),
    mailState: row.mail_state,
    mailError: row.mail_error,
    mailAdvice: null,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    expiresAt: row.expires_at.toISOString(),
    openedAt: row.opened_at?.toISOString() ?? null,
    redeemedAt: row.redeemed_at?.toISOString() ?? null,
    batchId: row.batch_id,
  };
}
