/**
 * Pending authorization requests, e-mail verifications and passkey challenges. The database has only the hash of a state (256 random
 * bits); nonce and PKCE verifier are derived from the state. One cookie per request binds it to the browser that started it.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import { signInMinutes, type SignInOutcome, type SignInPurpose } from '@vestibule/contract/sign-in';
import {
  execute,
  jsonParameter,
  rawSql,
  rowOf,
  rowsOf,
  scalarOf,
  type DatabaseDeps,
  type Queryable,
} from '../../../platform/database/database.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import { valuesOf } from '../../../platform/values-of.ts';
import type { AuthorizationTimes } from './oidc-client.ts';
import { createRequestSecrets } from './request-secrets.ts';

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
  outcome: Outcome | null;
  sealed: Buffer | null;
  /** Canonical address that awaits a code, in requests without a provider. */
  address: string | null;
  proof_mails: number;
  proof_mailed_at: Date | null;
};

/** Columns that a request without a provider has from the start. */
type InitialOutcome = { outcome: Outcome; sealed: Buffer; address?: string };
const columns =
  'state_hash, way, return_to, invitation_id, purpose, person_id, move_id, created_at, outcome, sealed, proof_mails, proof_mailed_at, address';

/** Provider account that awaits an e-mailed code. Stored encrypted. */
export type PendingVerification = {
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
  idToken: string | null;
  refreshToken: string | null;
  sid: string | null;
  /** Language of the page, for the mail with the code. */
  language?: MailLanguage | null;
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

export const authorizationRequestMs = signInMinutes * 60_000;
const cookiePrefix = '__Host-vestibule-in-';
const maximumPerBrowser = 5;
const attemptPattern = /^[\w-]{43}$/;

export type AuthorizationRequests = ReturnType<typeof createAuthorizationRequests>;

export function createAuthorizationRequests({ database, secret, now }: DatabaseDeps & { secret: Buffer }) {
  const secrets = createRequestSecrets(secret);
  const since = () => new Date(now() - authorizationRequestMs);

  const claim = createBatchLoader(
    (claims: RequestClaim[]) => claimRequests(database, claims, new Date(now()), since()),
    1,
    ({ hash }) => [hash.toString('base64')],
  );
  const remove = createBatchLoader(
    (hashes: Buffer[]) => deleteRequests(database, hashes),
    1,
    (hash) => [hash.toString('base64')],
  );
  const readBinder = (cookies: Cookies, hash: Buffer): Buffer | null => {
    const binder = cookies.get(cookieOf(hash));
    return binder === null ? null : secrets.binderHashOf(binder);
  };

  async function insert(
    hash: Buffer,
    request: NewAuthorizationRequest & Partial<InitialOutcome>,
    cookies: Cookies,
    queryable: Queryable = database,
  ): Promise<void> {
    const binder = randomBytes(32).toString('base64url');
    await clearOldest(queryable, cookies, since());
    const binderHash = secrets.binderHashOf(binder);
    await insertRequest(queryable, { ...request, hash, binderHash, at: new Date(now()) });
    cookies.set(cookieOf(hash), binder, authorizationRequestMs / 1000);
  }

  return {
    ...secrets,

    async create(
      request: NewAuthorizationRequest,
      cookies: Cookies,
    ): Promise<{ state: string; nonce: string; verifier: string }> {
      const state = randomBytes(32).toString('base64url');
      await insert(hashOf(state), request, cookies);
      return { state, ...secrets.secretsOf(state) };
    },

    /** Creates a request that involves no provider, such as a passkey challenge. Returns its hash. */
    async createLocal(
      request: NewAuthorizationRequest & InitialOutcome,
      cookies: Cookies,
      queryable?: Queryable,
    ): Promise<Buffer> {
      const hash = randomBytes(32);
      await insert(hash, request, cookies, queryable);
      return hash;
    },

    /**
     * Claims the request of a callback before its code is exchanged. Works once, because a provider that sees a code twice also revokes
     * the first session. Returns null if the request is unknown, expired, claimed, or of another provider or browser.
     */
    async claim(state: string, method: string, cookies: Cookies): Promise<AuthorizationRequest | null> {
      const hash = hashOf(state);
      const binder = readBinder(cookies, hash);
      return binder && claim({ hash, binder, way: method });
    },

    /** Returns this browser's request with the given `attempt`; null for missing and expired ones. */
    async find(attempt: string | undefined, cookies: Cookies): Promise<AuthorizationRequest | null> {
      if (attempt === undefined || !attemptPattern.test(attempt)) return null;
      const hash = Buffer.from(attempt, 'base64url');
      const binder = readBinder(cookies, hash);
      return (
        binder &&
        rowOf<AuthorizationRequest>(database)`
          select ${rawSql(columns)} from sign_in_transactions where state_hash = ${hash} and created_at > ${since()}
            and binder_hash = ${binder}`
      );
    },

    /**
     * Stores a problem in this browser's newest sign-in at the provider, for an error response without a state. The sign-in stays pending,
     * because any page can cause such a response. Returns the sign-in's `attempt`; null if this browser has no such sign-in.
     */
    async failNewest(method: string, problem: StoredProblem, cookies: Cookies): Promise<string | null> {
      const candidates = hashesOf(cookies).flatMap((hash) => {
        const binder = readBinder(cookies, hash);
        return binder ? [{ hash, binder }] : [];
      });
      const hash = await failNewestRequest(database, candidates, { method, problem, since: since() });
      return hash && hash.toString('base64url');
    },

    /** Reads a request of any browser, for mails. */
    read: (hash: Buffer) =>
      rowOf<AuthorizationRequest>(database, { name: 'read-sign-in' })`
        select ${rawSql(columns)} from sign_in_transactions where state_hash = ${hash} and created_at > ${since()}`,

    attemptOf: (state: string) => hashOf(state).toString('base64url'),

    /** Deletes and returns a passkey challenge, which can be answered once. */
    async claimPasskey(attempt: string, cookies: Cookies): Promise<AuthorizationRequest | null> {
      const found = await this.find(attempt, cookies);
      if (found?.outcome?.kind !== 'passkey') return null;
      const taken = await takeRequest(database, found.state_hash);
      cookies.clear(cookiePrefix + attempt);
      return taken;
    },

    /** Deletes a completed request. Returns false if a concurrent call deleted it. */
    remove(hash: Buffer, cookies: Cookies): Promise<boolean> {
      cookies.clear(cookieOf(hash));
      return remove(hash);
    },
  };
}

/** Inserts a request. A request with an address replaces the earlier request with that address. */
async function insertRequest(database: Queryable, request: PreparedRequest): Promise<void> {
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

type RequestClaim = { hash: Buffer; binder: Buffer; way: string };

/** Marks requests as used. Returns them in the order of `claims`; null for those that are missing, expired or used. */
async function claimRequests(
  database: Queryable,
  claims: RequestClaim[],
  at: Date,
  since: Date,
): Promise<(AuthorizationRequest | null)[]> {
  const rows = await rowsOf<AuthorizationRequest>(database, { name: 'take-sign-ins' })`
    update sign_in_transactions set used_at = ${at}
    from unnest(${valuesOf(claims, 'hash')}::bytea[], ${valuesOf(claims, 'binder')}::bytea[],
      ${valuesOf(claims, 'way')}::text[]) as given (of_state, of_browser, of_way)
    where state_hash = of_state and binder_hash = of_browser and way = of_way and created_at > ${since}
      and used_at is null
    returning ${rawSql(columns)}`;
  return claims.map(({ hash }) => rows.find((row) => row.state_hash.equals(hash)) ?? null);
}

/** Stores a problem in the newest unused request of the candidates. Returns the request's hash; null if there is none. */
const failNewestRequest = (
  database: Queryable,
  candidates: { hash: Buffer; binder: Buffer }[],
  { method, problem, since }: { method: string; problem: StoredProblem; since: Date },
) =>
  scalarOf<Buffer>(database)`
    update sign_in_transactions set outcome = ${jsonParameter(problem)}
    where used_at is null and state_hash = (
      select state_hash from sign_in_transactions
      join unnest(${valuesOf(candidates, 'hash')}::bytea[],
        ${valuesOf(candidates, 'binder')}::bytea[]) as given (of_state, of_browser)
        on state_hash = of_state and binder_hash = of_browser
      where way = ${method} and created_at > ${since} and used_at is null order by created_at desc limit 1)
    returning state_hash as hash`;

export async function storeRequestOutcome(
  database: Queryable,
  hash: Buffer,
  outcome: StoredProblem | { kind: 'proof' },
  encrypted: Buffer | null,
): Promise<void> {
  await execute(database)`
    update sign_in_transactions set outcome = ${jsonParameter(outcome)}, sealed = ${encrypted}
      where state_hash = ${hash}`;
}

/** Returns, for each hash, whether this call deleted the request. */
async function deleteRequests(database: Queryable, hashes: Buffer[]): Promise<boolean[]> {
  const rows = await rowsOf<{ hash: Buffer }>(database, { name: 'end-sign-ins' })`
    delete from sign_in_transactions where state_hash = any(${hashes}) returning state_hash as hash`;
  return hashes.map((hash) => rows.some((row) => row.hash.equals(hash)));
}

/** Stores that the code was entered, restarts the lifetime, and frees the address for another request. */
export async function storeVerified(
  { database, now }: DatabaseDeps,
  hash: Buffer,
  cookies: Cookies,
): Promise<void> {
  await execute(database)`
    update sign_in_transactions set outcome = '{"kind": "proven"}', address = null, created_at = ${new Date(now())}
    where state_hash = ${hash} and outcome->>'kind' = 'proof'`;
  extendRequestCookie(hash, cookies);
}

/** Restarts the lifetime of a request's cookie. */
export function extendRequestCookie(hash: Buffer, cookies: Cookies): void {
  const name = cookieOf(hash);
  const binder = cookies.get(name);
  if (binder !== null) cookies.set(name, binder, authorizationRequestMs / 1000);
}

const hashOf = (state: string) => createHash('sha256').update(state).digest();

const cookieOf = (hash: Buffer) => cookiePrefix + hash.toString('base64url');

/** Returns the hashes of the requests that a browser has cookies of. */
const hashesOf = (cookies: Cookies): Buffer[] =>
  cookies
    .names(cookiePrefix)
    .map((name) => name.slice(cookiePrefix.length))
    .filter((attempt) => attemptPattern.test(attempt))
    .map((attempt) => Buffer.from(attempt, 'base64url'));

/** Clears cookies past the maximum per browser: passkey challenges first, then the oldest requests. */
async function clearOldest(database: Queryable, cookies: Cookies, since: Date): Promise<void> {
  const names = cookies.names(cookiePrefix);
  if (names.length < maximumPerBrowser) return;
  const rows = await rowsOf<{ hash: Buffer }>(database)`
    select state_hash as hash from sign_in_transactions where state_hash = any(${hashesOf(cookies)})
      and created_at > ${since}
    order by (outcome->>'kind' = 'passkey') is true, created_at desc limit ${rawSql(maximumPerBrowser - 1)}`;
  const retained = new Set(rows.map(({ hash }) => cookieOf(hash)));
  for (const name of names) if (!retained.has(name)) cookies.clear(name);
}

const takeRequest = (database: Queryable, hash: Buffer) =>
  rowOf<AuthorizationRequest>(database, { name: 'take-passkey-challenge' })`
    delete from sign_in_transactions where state_hash = ${hash} returning ${rawSql(columns)}`;
