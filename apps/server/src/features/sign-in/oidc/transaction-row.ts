/** A sign-in that is under way, as it is kept. */
import type { SignInOutcome, SignInPurpose } from '@vestibule/contract/sign-in';
import { jsonParameter, type Queryable } from '../../../platform/database/database.ts';

/** What is kept of a problem; the rest is the transaction's. */
export type Problem = Omit<Extract<SignInOutcome, { kind: 'problem' }>, 'way' | 'purpose' | 'returnTo'>;

/** A code is waited for, or was entered and a passkey has to follow; or a passkey is waited for. */
export type Outcome = Problem | { kind: 'proof' } | { kind: 'proven' } | { kind: 'passkey' };

export type Transaction = {
  state_hash: Buffer;
  way: string;
  return_to: string;
  invitation_id: string | null;
  purpose: SignInPurpose;
  person_id: string | null;
  move_id: string | null;
  created_at: Date;
  used_at: Date | null;
  outcome: Outcome | null;
  sealed: Buffer | null;
  /** Of a code for whoever owns this address, in its canonical form. */
  address: string | null;
  proof_mails: number;
  proof_mailed_at: Date | null;
  proof_tries: number;
};
/** What is kept from the start of one that leads to no provider. */
export type Waited = { outcome: Outcome; sealed: Buffer; address?: string };
export const transactionColumns =
  'state_hash, way, return_to, invitation_id, purpose, person_id, move_id, created_at, used_at, outcome, sealed, proof_mails, proof_mailed_at, proof_tries, address';

/** Who waits for the code that proves an address; kept encrypted. */
export type Waiting = {
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
  idToken: string | null;
  refreshToken: string | null;
  sid: string | null;
};

/** What a sign-in begins with. */
export type NewTransaction = {
  way: string;
  returnTo: string;
  invitationId?: string | null;
  purpose?: SignInPurpose;
  personId?: string;
  /** It ends with this session. */
  sessionId?: string | undefined;
  moveId?: string;
};

/** Writes one down. One for an address takes the place of the one before. */
export async function insertTransaction(
  within: Queryable,
  {
    hash,
    binderHash,
    at,
    outcome,
    sealed,
    address,
    ...transaction
  }: NewTransaction & Partial<Waited> & { hash: Buffer; binderHash: Buffer; at: Date },
): Promise<void> {
  await within.query({
    name: 'begin-sign-in',
    // A code for an address counts as mailed: its mail is queued in the same transaction.
    text: `insert into sign_in_transactions (state_hash, way, binder_hash, return_to, created_at, invitation_id, purpose, person_id,
               session_id, move_id, outcome, sealed, address, proof_mails, proof_mailed_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
             on conflict (address) where address is not null do update set state_hash = excluded.state_hash,
               way = excluded.way, binder_hash = excluded.binder_hash, return_to = excluded.return_to,
               created_at = excluded.created_at, invitation_id = excluded.invitation_id, purpose = excluded.purpose,
               person_id = excluded.person_id, session_id = excluded.session_id, outcome = excluded.outcome,
               sealed = excluded.sealed, proof_mails = 1, proof_mailed_at = excluded.proof_mailed_at, proof_tries = 0`,
    values: [
      hash,
      transaction.way,
      binderHash,
      transaction.returnTo,
      at,
      transaction.invitationId ?? null,
      transaction.purpose ?? 'sign-in',
      transaction.personId ?? null,
      transaction.sessionId ?? null,
      transaction.moveId ?? null,
      outcome ? jsonParameter(outcome) : null,
      sealed ?? null,
      address ?? null,
      address === undefined ? 0 : 1,
      address === undefined ? null : at,
    ],
  });
}
