/**
 * Pending authorization requests, e-mail verifications and passkey challenges. The database has only the hash of a state (256 random
 * bits); nonce and PKCE verifier are derived from the state. One cookie per request binds it to the browser that started it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { signInMinutes } from '@vestibule/contract/sign-in';
import {
  execute,
  jsonParameter,
  rowOf,
  rowsOf,
  type Queryable,
  type DatabaseDeps,
} from '../../../../platform/database/database.ts';
import { createBatchLoader } from '../../../../platform/database/batch-loader.ts';
import type { Cookies } from '../../../../platform/http/cookies.ts';
import {
  claimRequests,
  deleteRequests,
  failNewestRequest,
  finishRequests,
  insertRequests,
  readRequests,
  requestColumns as columns,
  type AuthorizationRequest,
  type FinishedRequest,
  type InitialOutcome,
  type NewAuthorizationRequest,
  type PreparedRequest,
  type StoredProblem,
  type RequestClaim,
} from './request-row.ts';
import { createOutcomeWaiter } from './outcome-waiter.ts';
import { createRequestSecrets } from './request-secrets.ts';

export const authorizationRequestMs = signInMinutes * 60_000;
const cookiePrefix = '__Host-vestibule-in-';
const maximumPerBrowser = 5;
const attemptPattern = /^[\w-]{43}$/;
const pendingInBrowser = 'created_at > $2 and binder_hash = $3';

export type AuthorizationRequests = ReturnType<typeof createAuthorizationRequests>;

type ReadBinder = (cookies: Cookies, hash: Buffer) => Buffer | null;
type FindRequest = (hash: Buffer, binder: Buffer) => Promise<AuthorizationRequest | null>;

export function createAuthorizationRequests({ secret, ...deps }: DatabaseDeps & { secret: Buffer }) {
  const { database, now } = deps;
  const secrets = createRequestSecrets(secret);
  const prepare = createPrepare(deps, secrets.binderHashOf);

  const since = () => new Date(now() - authorizationRequestMs);
  const findRequest = createFind(database, since);

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
  const readBinder: ReadBinder = (cookies, hash) => {
    const binder = cookies.get(cookieOf(hash));
    return binder === null ? null : secrets.binderHashOf(binder);
  };

  return {
    ...secrets,

    async create(
      request: NewAuthorizationRequest,
      cookies: Cookies,
    ): Promise<{ state: string; nonce: string; verifier: string }> {
      const state = randomBytes(32).toString('base64url');
      const { prepared, setCookie } = await prepare(hashOf(state), request, cookies);
      await insertRequests(database, [prepared]);
      setCookie();
      return { state, ...secrets.secretsOf(state) };
    },

    /** Creates a request that involves no provider, such as a passkey challenge. Returns its hash. */
    async createLocal(request: NewAuthorizationRequest & InitialOutcome, cookies: Cookies): Promise<Buffer> {
      const { prepared, setCookie } = await prepare(newRequestHash(), request, cookies);
      await insertRequests(database, [prepared]);
      setCookie();
      return prepared.hash;
    },

    prepare,

    /**
     * Claims the request of a callback before its code is exchanged. Works once, because a provider that sees a code twice also revokes
     * the first session. Returns null if the request is unknown, expired, claimed, or of another provider or browser.
     */
    async claim(state: string, method: string, cookies: Cookies): Promise<AuthorizationRequest | null> {
      const hash = hashOf(state);
      const binder = readBinder(cookies, hash);
      if (!binder) return null;
      return claim({ hash, binder, way: method });
    },

    /** Returns this browser's request with the given `attempt`. */
    async find(attempt: string | undefined, cookies: Cookies): Promise<AuthorizationRequest | null> {
      if (attempt === undefined || !attemptPattern.test(attempt)) return null;
      const hash = Buffer.from(attempt, 'base64url');
      const binder = readBinder(cookies, hash);
      return binder && findRequest(hash, binder);
    },

    failNewest: createFailNewest(database, since, readBinder),

    ...createCallbackSteps({ ...deps, ...secrets, readBinder, findRequest }),

    /** Reads requests of any browser, for mails. */
    read: createBatchLoader((hashes: Buffer[]) => readRequests(database, hashes, since())),

    attemptOf: (state: string) => hashOf(state).toString('base64url'),

    /** Deletes and returns a passkey challenge, which can be answered once. */
    async claimPasskey(attempt: string, cookies: Cookies): Promise<AuthorizationRequest | null> {
      const found = await this.find(attempt, cookies);
      if (found?.outcome?.kind !== 'passkey') return null;
      const rows = await rowsOf<AuthorizationRequest>(database, {
        name: 'take-passkey-challenge',
        text: `delete from sign_in_transactions where state_hash = $1 returning ${columns}`,
        values: [found.state_hash],
      });
      cookies.clear(cookiePrefix + attempt);
      return rows[0] ?? null;
    },

    async storeOutcome(
      hash: Buffer,
      outcome: StoredProblem | { kind: 'proof' },
      encrypted: Buffer | null,
    ): Promise<void> {
      await database.query({
        text: 'update sign_in_transactions set outcome = $2, sealed = $3 where state_hash = $1',
        values: [hash, jsonParameter(outcome), encrypted],
      });
    },

    /** Deletes a completed request. Returns false if a concurrent call deleted it. */
    remove(hash: Buffer, cookies: Cookies): Promise<boolean> {
      cookies.clear(cookieOf(hash));
      return remove(hash);
    },

    /**
     * Stores that the code was entered, restarts the lifetime, and frees the address for another request. Returns false if a concurrent
     * call did so.
     */
    async storeVerified(hash: Buffer, cookies: Cookies): Promise<boolean> {
      const rowCount = await execute(database, {
        text: `update sign_in_transactions set outcome = '{"kind": "proven"}', address = null, created_at = $2
               where state_hash = $1 and outcome->>'kind' = 'proof'`,
        values: [hash, new Date(now())],
      });
      extendRequestCookie(hash, cookies);
      return rowCount === 1;
    },
  };
}

function createFind(database: Queryable, since: () => Date): FindRequest {
  return (hash, binder) =>
    rowOf<AuthorizationRequest>(database, {
      text: `select ${columns} from sign_in_transactions where state_hash = $1 and ${pendingInBrowser}`,
      values: [hash, since(), binder],
    });
}

function createFailNewest(database: Queryable, since: () => Date, readBinder: ReadBinder) {
  /**
   * Stores a problem in this browser's newest sign-in at the provider, for an error response without a state. The
   * sign-in stays pending, because any page can cause such a response. Returns the sign-in's `attempt`; null if this
   * browser has no such sign-in.
   */
  return async function failNewest(
    method: string,
    problem: StoredProblem,
    cookies: Cookies,
  ): Promise<string | null> {
    const candidates = hashesOf(cookies).flatMap((hash) => {
      const binder = readBinder(cookies, hash);
      return binder ? [{ hash, binder }] : [];
    });
    const hash = await failNewestRequest(database, candidates, { method, problem, since: since() });
    return hash && hash.toString('base64url');
  };
}

/** Steps that several requests of one callback share, in any process. */
function createCallbackSteps({
  database,
  now,
  sessionValueOf,
  readBinder,
  findRequest,
}: DatabaseDeps &
  Pick<ReturnType<typeof createRequestSecrets>, 'sessionValueOf'> & {
    readBinder: ReadBinder;
    findRequest: FindRequest;
  }) {
  const waitForOutcome = createOutcomeWaiter(findRequest, now);
  const finish = createBatchLoader(
    (finished: FinishedRequest[]) => finishRequests(database, finished),
    1,
    ({ hash }) => [hash.toString('base64')],
  );

  return {
    /** Returns this browser's sign-in once no other request is exchanging its code; null if this browser has no such sign-in. */
    async waitFor(state: string, cookies: Cookies): Promise<AuthorizationRequest | null> {
      const hash = hashOf(state);
      const binder = readBinder(cookies, hash);
      return binder && waitForOutcome(hash, binder);
    },

    /** Returns null if this browser has no such sign-in. */
    sessionCookieValueOf(state: string, cookies: Cookies): string | null {
      const binder = cookies.get(cookieOf(hashOf(state)));
      return binder === null ? null : sessionValueOf(state, binder);
    },

    clearCookie: (hash: Buffer, cookies: Cookies) => cookies.clear(cookieOf(hash)),

    /** Stores that a callback has finished a sign-in, with the hash of its session's cookie. */
    async finish(request: AuthorizationRequest, session: Buffer, cookies: Cookies): Promise<void> {
      const hash = request.state_hash;
      const binderHash = readBinder(cookies, hash);
      cookies.clear(cookieOf(hash));
      if (binderHash) await finish({ hash, binderHash, request, session });
    },

    /** Stores whether a browser received the session's cookie. Once true, it stays true. */
    async setReceived(hash: Buffer, isReceived: boolean): Promise<void> {
      await database.query({
        text: `update sign_in_transactions set outcome = outcome || jsonb_build_object('isReceived', $2::boolean)
               where state_hash = $1 and outcome->>'kind' = 'signed-in' and ($2 or not outcome ? 'isReceived')`,
        values: [hash, isReceived],
      });
    },
  };
}

/** Restarts the lifetime of a request's cookie. */
export function extendRequestCookie(hash: Buffer, cookies: Cookies): void {
  const name = cookieOf(hash);
  const binder = cookies.get(name);
  if (binder !== null) cookies.set(name, binder, authorizationRequestMs / 1000);
}

function createPrepare({ database, now }: DatabaseDeps, binderHashOf: (binder: string) => Buffer) {
  /** Returns the row to insert, and a function that sets the cookie, to be called after the insert. */
  return async function prepare(
    hash: Buffer,
    request: NewAuthorizationRequest & Partial<InitialOutcome>,
    cookies: Cookies,
  ): Promise<{ prepared: PreparedRequest; setCookie: () => void }> {
    const binder = randomBytes(32).toString('base64url');
    await clearOldest(database, cookies, new Date(now() - authorizationRequestMs));
    return {
      prepared: { ...request, hash, binderHash: binderHashOf(binder), at: new Date(now()) },
      setCookie: () => cookies.set(cookieOf(hash), binder, authorizationRequestMs / 1000),
    };
  };
}

/** Returns a random hash for a request without a state. */
export const newRequestHash = (): Buffer => randomBytes(32);

const hashOf = (state: string) => createHash('sha256').update(state).digest();

const cookieOf = (hash: Buffer) => cookiePrefix + hash.toString('base64url');

/** Returns the hashes of the requests that a browser has cookies of. */
const hashesOf = (cookies: Cookies): Buffer[] =>
  cookies
    .names(cookiePrefix)
    .map((name) => name.slice(cookiePrefix.length))
    .filter((attempt) => attemptPattern.test(attempt))
    .map((attempt) => Buffer.from(attempt, 'base64url'));

/**
 * Clears the oldest cookies past the maximum per browser, passkey challenges first. The newest passkey challenge, which
 * the device may be showing, and requests whose code was entered are cleared last.
 */
async function clearOldest(database: Queryable, cookies: Cookies, since: Date): Promise<void> {
  const names = cookies.names(cookiePrefix);
  if (names.length < maximumPerBrowser) return;
  const rows = await rowsOf<{ hash: Buffer }>(database, {
    text: `select state_hash as hash from sign_in_transactions where state_hash = any($1) and created_at > $2
           order by (outcome->>'kind' = 'passkey') is true
               and row_number() over (partition by outcome->>'kind' order by created_at desc) > 1,
             (outcome->>'kind' in ('proven', 'passkey')) is not true, created_at desc limit ${maximumPerBrowser - 1}`,
    values: [hashesOf(cookies), since],
  });
  const retained = new Set(rows.map(({ hash }) => cookieOf(hash)));
  for (const name of names) if (!retained.has(name)) cookies.clear(name);
}
