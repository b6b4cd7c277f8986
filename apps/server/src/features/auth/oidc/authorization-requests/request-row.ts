/** A sign-in that is under way, as it is kept. */
import type { SignInOutcome, SignInPurpose } from '@vestibule/contract/sign-in';
import { jsonParameter, rowOf, rowsOf, type Queryable } from '../../../../platform/database/database.ts';
import { valuesOf } from '../../../../platform/values-of.ts';
import type { AuthorizationPurpose } from '../ended-provider-sessions.ts';

/** What is kept of a problem; the rest is the transaction's. */
export type Problem = Omit<Extract<SignInOutcome, { kind: 'problem' }>, 'way' | 'purpose' | 'returnTo'>;

/** Session of a finished sign-in by the hash of its cookie, and whether a browser received that cookie; absent where nothing is known. */
type SignedIn = { kind: 'signed-in'; session: string; isReceived?: boolean };

/** A code is waited for, or was entered and a passkey has to follow; or a passkey is waited for. */
type Outcome = Problem | SignedIn | { kind: 'proof' } | { kind: 'proven' } | { kind: 'passkey' };

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
} & AuthorizationPurpose;

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

/** One with what is kept of it from its start. */
export type BegunTransaction = NewTransaction &
  Partial<Waited> & { hash: Buffer; binderHash: Buffer; at: Date };

/** Writes some down. One for an address takes the place of the one before; of these, no two are for the same. */
export async function insertTransactions(within: Queryable, begun: BegunTransaction[]): Promise<void> {
  await within.query({
    name: 'begin-sign-ins',
    // A code for an address counts as mailed: its mail is queued in the same transaction.
    text: `insert into sign_in_transactions (state_hash, way, binder_hash, return_to, created_at, invitation_id, purpose, person_id,
               session_id, move_id, outcome, sealed, address, proof_mails, proof_mailed_at)
             select hash, way, binder_hash, return_to, at, invitation_id, purpose, person_id, session_id, move_id, outcome, sealed,
               address, case when address is null then 0 else 1 end, case when address is null then null else at end
             from unnest($1::bytea[], $2::text[], $3::bytea[], $4::text[], $5::timestamptz[], $6::uuid[], $7::text[], $8::uuid[],
               $9::uuid[], $10::uuid[], $11::jsonb[], $12::bytea[], $13::text[]) as begun (hash, way, binder_hash, return_to, at,
               invitation_id, purpose, person_id, session_id, move_id, outcome, sealed, address)
             order by address
             on conflict (address) where address is not null do update set state_hash = excluded.state_hash,
               way = excluded.way, binder_hash = excluded.binder_hash, return_to = excluded.return_to,
               created_at = excluded.created_at, invitation_id = excluded.invitation_id, purpose = excluded.purpose,
               person_id = excluded.person_id, session_id = excluded.session_id, outcome = excluded.outcome,
               sealed = excluded.sealed, proof_mails = 1, proof_mailed_at = excluded.proof_mailed_at, proof_tries = 0`,
    values: [
      valuesOf(begun, 'hash'),
      valuesOf(begun, 'way'),
      valuesOf(begun, 'binderHash'),
      valuesOf(begun, 'returnTo'),
      valuesOf(begun, 'at'),
      begun.map(({ invitationId }) => invitationId ?? null),
      begun.map(({ purpose }) => purpose ?? 'sign-in'),
      begun.map(({ personId }) => personId ?? null),
      begun.map(({ sessionId }) => sessionId ?? null),
      begun.map(({ moveId }) => moveId ?? null),
      begun.map(({ outcome }) => (outcome ? jsonParameter(outcome) : null)),
      begun.map(({ sealed }) => sealed ?? null),
      begun.map(({ address }) => address ?? null),
    ],
  });
}

/** In their order; null where there is none any more. */
export async function readTransactions(
  database: Queryable,
  hashes: Buffer[],
  since: Date,
): Promise<(Transaction | null)[]> {
  const rows = await rowsOf<Transaction>(database, {
    name: 'read-sign-ins',
    text: `select ${transactionColumns} from sign_in_transactions where state_hash = any($1) and created_at > $2`,
    values: [hashes, since],
  });
  return hashes.map((hash) => rows.find((row) => row.state_hash.equals(hash)) ?? null);
}

/** What a callback shows: that it is of this sign-in, of this browser, and from where it was sent to. */
export type TakenTransaction = { hash: Buffer; binder: Buffer; way: string };

/** Takes some, each once. In their order; null where there is none to be taken. */
export async function takeTransactions(
  database: Queryable,
  asked: TakenTransaction[],
  at: Date,
  since: Date,
): Promise<(Transaction | null)[]> {
  const rows = await rowsOf<Transaction>(database, {
    name: 'take-sign-ins',
    text: `update sign_in_transactions set used_at = $2
           from unnest($1::bytea[], $3::bytea[], $4::text[]) as asked (of_state, of_browser, of_way)
           where state_hash = of_state and binder_hash = of_browser and way = of_way and created_at > $5 and used_at is null
           returning ${transactionColumns}`,
    values: [valuesOf(asked, 'hash'), at, valuesOf(asked, 'binder'), valuesOf(asked, 'way'), since],
  });
  return asked.map(({ hash }) => rows.find((row) => row.state_hash.equals(hash)) ?? null);
}

/** Stores the problem of the newest of these sign-ins whose callback is still expected. Returns its hash; null if there is none. */
export async function failNewestTransaction(
  database: Queryable,
  asked: { hash: Buffer; binder: Buffer }[],
  { way, problem, since }: { way: string; problem: Problem; since: Date },
): Promise<Buffer | null> {
  const row = await rowOf<{ hash: Buffer }>(database, {
    text: `update sign_in_transactions set outcome = $5
           where used_at is null and state_hash = (
             select state_hash from sign_in_transactions
             join unnest($1::bytea[], $2::bytea[]) as asked (of_state, of_browser)
               on state_hash = of_state and binder_hash = of_browser
             where way = $3 and created_at > $4 and used_at is null order by created_at desc limit 1)
           returning state_hash as hash`,
    values: [valuesOf(asked, 'hash'), valuesOf(asked, 'binder'), way, since, jsonParameter(problem)],
  });
  return row?.hash ?? null;
}

/** Sign-in that a callback finished. */
export type FinishedTransaction = {
  hash: Buffer;
  binderHash: Buffer;
  transaction: Transaction;
  /** Hash of the session's cookie. */
  session: Buffer;
};

/**
 * Stores that sign-ins have finished, for further requests of the same callback. A row may be gone already: it is deleted with the
 * invitation that was redeemed, and with the session that was replaced.
 */
export async function finishTransactions(
  database: Queryable,
  finished: FinishedTransaction[],
): Promise<true[]> {
  const outcomeOf = ({ session }: FinishedTransaction): SignedIn => ({
    kind: 'signed-in',
    session: session.toString('base64'),
  });
  await database.query({
    name: 'finish-sign-ins',
    text: `insert into sign_in_transactions (state_hash, binder_hash, way, return_to, purpose, created_at, used_at, outcome)
           select * from unnest($1::bytea[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
             $8::jsonb[])
           on conflict (state_hash) do update set outcome = excluded.outcome, sealed = null, invitation_id = null, person_id = null,
             session_id = null, move_id = null`,
    values: [
      valuesOf(finished, 'hash'),
      valuesOf(finished, 'binderHash'),
      finished.map(({ transaction }) => transaction.way),
      finished.map(({ transaction }) => transaction.return_to),
      finished.map(({ transaction }) => transaction.purpose),
      finished.map(({ transaction }) => transaction.created_at),
      finished.map(({ transaction }) => transaction.used_at),
      finished.map((one) => jsonParameter(outcomeOf(one))),
    ],
  });
  return finished.map(() => true);
}

/** Ends some that led to a session. False where somebody else was quicker. */
export async function endTransactions(database: Queryable, hashes: Buffer[]): Promise<boolean[]> {
  const rows = await rowsOf<{ hash: Buffer }>(database, {
    name: 'end-sign-ins',
    text: 'delete from sign_in_transactions where state_hash = any($1) returning state_hash as hash',
    values: [hashes],
  });
  return hashes.map((hash) => rows.some((row) => row.hash.equals(hash)));
}
