/** Rows of pending authorization requests. */
import type { SignInOutcome, SignInPurpose } from '@vestibule/contract/sign-in';
import { jsonParameter, rowOf, rowsOf, type Queryable } from '../../../platform/database/database.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { AuthorizationTimes } from './oidc-client.ts';

/** Problem as stored; method, purpose and return address are columns of the row. */
export type StoredProblem = Omit<Extract<SignInOutcome, { kind: 'problem' }>, 'way' | 'purpose' | 'returnTo'>;

/** `proof`: a code is pending. `proven`: it was entered, and a passkey must follow. `passkey`: a passkey is pending. */
type Outcome = StoredProblem | { kind: 'proof' } | { kind: 'proven' } | { kind: 'passkey' };

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
const columns =
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

type PreparedRequest = NewAuthorizationRequest &
  Partial<InitialOutcome> & { hash: Buffer; binderHash: Buffer; at: Date };

/** Inserts a request. A request with an address replaces the earlier request with that address. */
export async function insertRequest(database: Queryable, request: PreparedRequest): Promise<void> {
  const { address = null, at, outcome } = request;
  await database.query({
    name: 'begin-sign-in',
    text: `insert into sign_in_transactions (state_hash, way, binder_hash, return_to, created_at, invitation_id, purpose, person_id,
             session_id, move_id, outcome, sealed, address, proof_mails, proof_mailed_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
           on conflict (address) where address is not null do update set state_hash = excluded.state_hash,
             way = excluded.way, binder_hash = excluded.binder_hash, return_to = excluded.return_to,
             created_at = excluded.created_at, invitation_id = excluded.invitation_id, purpose = excluded.purpose,
             person_id = excluded.person_id, session_id = excluded.session_id, outcome = excluded.outcome,
             sealed = excluded.sealed, proof_mails = 1, proof_mailed_at = excluded.proof_mailed_at, proof_tries = 0`,
    values: [
      request.hash,
      request.way,
      request.binderHash,
      request.returnTo,
      at,
      request.invitationId ?? null,
      request.purpose ?? 'sign-in',
      request.personId ?? null,
      request.sessionId ?? null,
      request.migrationId ?? null,
      outcome ? jsonParameter(outcome) : null,
      request.sealed ?? null,
      address,
      // A code for an address counts as mailed: its mail is queued in the same transaction.
      ...(address === null ? [0, null] : [1, at]),
    ],
  });
}

/** Returns a request that the browser with this `binder` started; null for missing and expired ones. */
export const findRequest = (database: Queryable, hash: Buffer, binder: Buffer, since: Date) =>
  rowOf<AuthorizationRequest>(database, {
    text: `select ${columns} from sign_in_transactions where state_hash = $1 and created_at > $2 and binder_hash = $3`,
    values: [hash, since, binder],
  });

/** Returns a request of any browser; null for missing and expired ones. */
export const readRequest = (database: Queryable, hash: Buffer, since: Date) =>
  rowOf<AuthorizationRequest>(database, {
    name: 'read-sign-in',
    text: `select ${columns} from sign_in_transactions where state_hash = $1 and created_at > $2`,
    values: [hash, since],
  });

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
           returning ${columns}`,
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

/** Deletes and returns a request. */
export const takeRequest = (database: Queryable, hash: Buffer) =>
  rowOf<AuthorizationRequest>(database, {
    name: 'take-passkey-challenge',
    text: `delete from sign_in_transactions where state_hash = $1 returning ${columns}`,
    values: [hash],
  });

export async function storeRequestOutcome(
  database: Queryable,
  hash: Buffer,
  outcome: StoredProblem | { kind: 'proof' },
  encrypted: Buffer | null,
): Promise<void> {
  await database.query({
    text: 'update sign_in_transactions set outcome = $2, sealed = $3 where state_hash = $1',
    values: [hash, jsonParameter(outcome), encrypted],
  });
}

/** Stores that the code was entered, restarts the lifetime, and frees the address for another request. */
export async function storeVerifiedRequest(database: Queryable, hash: Buffer, at: Date): Promise<void> {
  await database.query({
    text: `update sign_in_transactions set outcome = '{"kind": "proven"}', address = null, created_at = $2
           where state_hash = $1 and outcome->>'kind' = 'proof'`,
    values: [hash, at],
  });
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
