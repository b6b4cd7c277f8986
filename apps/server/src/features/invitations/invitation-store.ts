/** Reads and writes invitations. Every change of state is one statement that names the state it starts from. */
import type { Invitation, InvitationStatus, MailState } from '@vestibule/contract/invitations';
import type { Role } from '@vestibule/contract/people';
import type { Queryable } from '../../platform/database/database.ts';

export type InvitationRow = {
  id: string;
  email: string;
  email_canonical: string;
  name: string;
  role: Role;
  message: string;
  status: 'pending' | 'redeemed' | 'revoked' | 'expired';
  mail_state: MailState;
  mail_error: string | null;
  created_at: Date;
  created_by: string | null;
  expires_at: Date;
  opened_at: Date | null;
  redeemed_at: Date | null;
};

const columns = `id, email, email_canonical, name, role, message, status, mail_state, mail_error,
  created_at, created_by, expires_at, opened_at, redeemed_at`;

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
  at: Date;
  expiresAt: Date;
};

/**
 * Inserts a pending invitation. An expired one to the same address makes room. Null when the address belongs to
 * a person or has an open invitation.
 */
export async function insertInvitation(
  transaction: Queryable,
  invitation: NewInvitationRow,
): Promise<InvitationRow | null> {
  const inserted = await insertUnlessTaken(transaction, invitation);
  if (inserted || !(await expireOld(transaction, invitation.emailCanonical, invitation.at))) return inserted;
  return insertUnlessTaken(transaction, invitation);
}

/** Waits for other inserts to the same address, so that however many there are at once, one succeeds. */
async function insertUnlessTaken(transaction: Queryable, invitation: NewInvitationRow) {
  const { rows } = await transaction.query<InvitationRow>({
    name: 'insert-invitation',
    text: `insert into invitations (id, code_hash, email, email_canonical, name, role, message, mail_state, created_at, created_by, expires_at)
           select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
           where not exists (select from people where email_canonical = $4)
           on conflict (email_canonical) where status = 'pending' do nothing
           returning ${columns}`,
    values: [
      invitation.id,
      invitation.codeHash,
      invitation.email,
      invitation.emailCanonical,
      invitation.name,
      invitation.role,
      invitation.message,
      invitation.mailState,
      invitation.at,
      invitation.createdBy,
      invitation.expiresAt,
    ],
  });
  return rows[0] ?? null;
}

async function expireOld(transaction: Queryable, emailCanonical: string, at: Date): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: 'expire-old-invitation',
    text: `update invitations set status = 'expired'
           where email_canonical = $1 and status = 'pending' and expires_at <= $2`,
    values: [emailCanonical, at],
  });
  return rowCount === 1;
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

export function toInvitation(row: InvitationRow, now: number): Invitation {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    message: row.message,
    status: shownStatus(row, now),
    mailState: row.mail_state,
    mailError: row.mail_error,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    expiresAt: row.expires_at.toISOString(),
    redeemedAt: row.redeemed_at?.toISOString() ?? null,
  };
}
