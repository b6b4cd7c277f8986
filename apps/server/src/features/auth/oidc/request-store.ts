/**
 * Pending authorization requests, e-mail verifications and passkey challenges. The database has only the hash of a state (256 random
 * bits); nonce and PKCE verifier are derived from the state. One cookie per request binds it to the browser that started it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { signInMinutes } from '@vestibule/contract/sign-in';
import { rowsOf, type Queryable, type DatabaseDeps } from '../../../platform/database/database.ts';
import { createBatchLoader } from '../../../platform/database/batch-loader.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';
import {
  claimRequests,
  deleteRequests,
  failNewestRequest,
  insertRequest,
  readRequest,
  findRequest,
  storeVerifiedRequest,
  takeRequest,
  type AuthorizationRequest,
  type InitialOutcome,
  type NewAuthorizationRequest,
  type StoredProblem,
  type RequestClaim,
} from './request-row.ts';
import { createRequestSecrets } from './request-secrets.ts';

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
      if (!binder) return null;
      return claim({ hash, binder, way: method });
    },

    /** Returns this browser's request with the given `attempt`. */
    async find(attempt: string | undefined, cookies: Cookies): Promise<AuthorizationRequest | null> {
      if (attempt === undefined || !attemptPattern.test(attempt)) return null;
      const hash = Buffer.from(attempt, 'base64url');
      const binder = readBinder(cookies, hash);
      if (!binder) return null;
      return findRequest(database, hash, binder, since());
    },

    /**
     * Stores a problem in this browser's newest sign-in at the provider, for an error response without a state. The
     * sign-in stays pending, because any page can cause such a response. Returns the sign-in's `attempt`; null if this
     * browser has no such sign-in.
     */
    async failNewest(method: string, problem: StoredProblem, cookies: Cookies): Promise<string | null> {
      const candidates = hashesOf(cookies).flatMap((hash) => {
        const binder = readBinder(cookies, hash);
        return binder ? [{ hash, binder }] : [];
      });
      const hash = await failNewestRequest(database, candidates, { method, problem, since: since() });
      return hash && hash.toString('base64url');
    },

    /** Reads requests of any browser, for mails. */
    read: (hash: Buffer) => readRequest(database, hash, since()),

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

    async storeVerified(hash: Buffer, cookies: Cookies): Promise<void> {
      await storeVerifiedRequest(database, hash, new Date(now()));
      extendRequestCookie(hash, cookies);
    },
  };
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
  const rows = await rowsOf<{ hash: Buffer }>(database, {
    text: `select state_hash as hash from sign_in_transactions where state_hash = any($1) and created_at > $2
           order by (outcome->>'kind' = 'passkey') is true, created_at desc limit ${maximumPerBrowser - 1}`,
    values: [hashesOf(cookies), since],
  });
  const retained = new Set(rows.map(({ hash }) => cookieOf(hash)));
  for (const name of names) if (!retained.has(name)) cookies.clear(name);
}
