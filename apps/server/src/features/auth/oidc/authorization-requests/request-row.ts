/** Rows of pending authorization requests. */
import type { SignInOutcome, SignInPurpose } from '@vestibule/contract/sign-in';
import { jsonParameter, rowOf, rowsOf, type Queryable } from '../../../../platform/database/database.ts';
import { valuesOf } from '../../../../platform/values-of.ts';
import type { AuthorizationTimes } from '../ended-provider-sessions.ts';

/** Problem as stored; method, purpose and return address are columns of the row. */
export type StoredProblem = Omit<Extract<SignInOutcome, { kind: 'problem' }>, 'way' | 'purpose' | 'returnTo'>;

/**
 * `session` is the hash of the session's cookie. `isReceived` is whether a browser received that cookie; it is absent
 * unless a response of the callback was aborted or repeated.
 */
type SignedIn = { kind: 'signed-in'; session: string; isReceived?: boolean };

/** `proof`: a code is pending. `proven`: it was entered, and a passkey must follow. `passkey`: a passkey is pending. */
type Outcome = StoredProblem | SignedIn | { kind: 'proof' } | { kind: 'proven' } | { kind: 'passkey' };

export type AuthorizationRequest = {
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
  /** Canonical address that awaits a code, in requests without a provider. */
  address: string | null;
  proof_mails: number;
  proof_mailed_at: Date | null;
  proof_tries: number;
};

/** Columns that a request without a provider has from the start. */
export type InitialOutcome = { outcome: Outcome; sealed: Buffer; address?: string };
export const requestColumns =
  'state_hash, way, return_to, invitation_id, purpose, person_id, move_id, created_at, used_at, outcome, sealed, proof_mails, proof_mailed_at, proof_tries, address';

/** Provider account that awaits an e-mailed code. Stored encrypted. */
export type PendingVerification = {
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
  idToken: string | null;
  refreshToken: string | null;
  sid: string | null;
} & AuthorizationTimes;

export type NewAuthorizationRequest = {
  way: string;
  returnTo: string;
  invitationId?: string | null;
  purpose?: SignInPurpose;
  personId?: string;
  /** The request is deleted with this session. */
  sessionId?: string | undefined;
  migrationId?: string;
};

export type PreparedRequest = NewAuthorizationRequest &
  Partial<InitialOutcome> & { hash: Buffer; binderHash: Buffer; at: Date };

/**
 * Inserts requests. A request with an address replaces the earlier request with that address; no two of `requests` may
 * have the same address.
 */
export async function insertRequests(database: Queryable, requests: PreparedRequest[]): Promise<void> {
  await database.query({
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
      valuesOf(requests, 'hash'),
      valuesOf(requests, 'way'),
      valuesOf(requests, 'binderHash'),
      valuesOf(requests, 'returnTo'),
      valuesOf(requests, 'at'),
      requests.map(({ invitationId }) => invitationId ?? null),
      requests.map(({ purpose }) => purpose ?? 'sign-in'),
      requests.map(({ personId }) => personId ?? null),
      requests.map(({ sessionId }) => sessionId ?? null),
      requests.map(({ migrationId }) => migrationId ?? null),
      requests.map(({ outcome }) => (outcome ? jsonParameter(outcome) : null)),
      requests.map(({ sealed }) => sealed ?? null),
      requests.map(({ address }) => address ?? null),
    ],
  });
}

/** Returns the requests in the order of `hashes`; null for missing and expired ones. */
export async function readRequests(
  database: Queryable,
  hashes: Buffer[],
  since: Date,
): Promise<(AuthorizationRequest | null)[]> {
  const rows = await rowsOf<AuthorizationRequest>(database, {
    name: 'read-sign-ins',
    text: `select ${requestColumns} from sign_in_transactions where state_hash = any($1) and created_at > $2`,
    values: [hashes, since],
  });
  return hashes.map((hash) => rows.find((row) => row.state_hash.equals(hash)) ?? null);
}

export type RequestClaim = { hash: Buffer; binder: Buffer; way: string };

/** Marks requests as used. Returns them in the order of `claims`; null for those that are missing, expired or used. */
export async function claimRequests(
  database: Queryable,
  claims: RequestClaim[],
  at: Date,
  since: Date,
): Promise<(AuthorizationRequest | null)[]> {
  const rows = await rowsOf<AuthorizationRequest>(database, {
    name: 'take-sign-ins',
    text: `update sign_in_transactions set used_at = $2
           from unnest($1::bytea[], $3::bytea[], $4::text[]) as asked (of_state, of_browser, of_way)
           where state_hash = of_state and binder_hash = of_browser and way = of_way and created_at > $5 and used_at is null
           returning ${requestColumns}`,
    values: [valuesOf(claims, 'hash'), at, valuesOf(claims, 'binder'), valuesOf(claims, 'way'), since],
  });
  return claims.map(({ hash }) => rows.find((row) => row.state_hash.equals(hash)) ?? null);
}

/**
 * Stores a problem in the newest unused request of the candidates. Returns the request's hash; null if there is none.
 */
export async function failNewestRequest(
  database: Queryable,
  candidates: { hash: Buffer; binder: Buffer }[],
  { method, problem, since }: { method: string; problem: StoredProblem; since: Date },
): Promise<Buffer | null> {
  const row = await rowOf<{ hash: Buffer }>(database, {
    text: `update sign_in_transactions set outcome = $5
           where used_at is null and state_hash = (
             select state_hash from sign_in_transactions
             join unnest($1::bytea[], $2::bytea[]) as asked (of_state, of_browser)
               on state_hash = of_state and binder_hash = of_browser
             where way = $3 and created_at > $4 and used_at is null order by created_at desc limit 1)
           returning state_hash as hash`,
    values: [
      valuesOf(candidates, 'hash'),
      valuesOf(candidates, 'binder'),
      method,
      since,
      jsonParameter(problem),
    ],
  });
  return row?.hash ?? null;
}

export type FinishedRequest = {
  hash: Buffer;
  binderHash: Buffer;
  request: AuthorizationRequest;
  /** Hash of the session's cookie. */
  session: Buffer;
};

/**
 * Stores that sign-ins have finished, for further requests of the same callback. A row may be gone already: it is deleted with the
 * invitation that was redeemed, and with the session that was replaced.
 */
export async function finishRequests(database: Queryable, finished: FinishedRequest[]): Promise<true[]> {
  const outcomeOf = ({ session }: FinishedRequest): SignedIn => ({
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
      finished.map(({ request }) => request.way),
      finished.map(({ request }) => request.return_to),
      finished.map(({ request }) => request.purpose),
      finished.map(({ request }) => request.created_at),
      finished.map(({ request }) => request.used_at),
      finished.map((row) => jsonParameter(outcomeOf(row))),
    ],
  });
  return finished.map(() => true);
}

/** Returns, for each hash, whether this call deleted the request. */
export async function deleteRequests(database: Queryable, hashes: Buffer[]): Promise<boolean[]> {
  const rows = await rowsOf<{ hash: Buffer }>(database, {
    name: 'end-sign-ins',
    text: 'delete from sign_in_transactions where state_hash = any($1) returning state_hash as hash',
    values: [hashes],
  });
  return hashes.map((hash) => rows.some((row) => row.hash.equals(hash)));
}
