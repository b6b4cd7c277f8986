/**
 * Sign-ins that are under way. The state that travels is 256 random bits; the server keeps its hash, and derives nonce and verifier from
 * it. A cookie of its own binds each to the browser that began it, so that several tabs do not disturb each other.
 */
import { createHash, randomBytes } from 'node:crypto';
import { signInMinutes } from '@vestibule/contract/sign-in';
import {
  execute,
  jsonParameter,
  rowOf,
  rowsOf,
  type Queryable,
  type Timed,
} from '../../../../platform/database/database.ts';
import { createBatchLoader } from '../../../../platform/database/batch-loader.ts';
import type { Cookies } from '../../../../platform/http/cookies.ts';
import {
  endTransactions,
  failNewestTransaction,
  finishTransactions,
  insertTransactions,
  readTransactions,
  takeTransactions,
  transactionColumns as columns,
  type BegunTransaction,
  type FinishedTransaction,
  type NewTransaction,
  type Problem,
  type TakenTransaction,
  type Transaction,
  type Waited,
} from './request-row.ts';
import { createOutcomeWaiter } from './outcome-waiter.ts';
import { createTransactionSecrets } from './request-secrets.ts';

export const transactionMs = signInMinutes * 60_000;
const cookiePrefix = '__Host-vestibule-in-';
/** Of one browser. The oldest gives way. */
const atOnce = 5;
const attemptPattern = /^[\w-]{43}$/;
/** Still within its time, and this browser's. */
const ofBrowser = 'created_at > $2 and binder_hash = $3';

export type Transactions = ReturnType<typeof createTransactions>;

type Deps = Timed;

export function createTransactions({ secret, ...deps }: Deps & { secret: Buffer }) {
  const { database, now } = deps;
  const secrets = createTransactionSecrets(secret);
  const prepare = preparerOf(deps, secrets.binderHashOf);

  const since = () => new Date(now() - transactionMs);
  const findOf = finderOf(database, since);

  // Who signs in at the same moment shares statements.
  const take = createBatchLoader(
    (asked: TakenTransaction[]) => takeTransactions(database, asked, new Date(now()), since()),
    1,
    ({ hash }) => [hash.toString('base64')],
  );
  const end = createBatchLoader(
    (hashes: Buffer[]) => endTransactions(database, hashes),
    1,
    (hash) => [hash.toString('base64')],
  );
  function binderOf(cookies: Cookies, hash: Buffer): Buffer | null {
    const binder = cookies.get(cookiePrefix + hash.toString('base64url'));
    return binder === null ? null : secrets.binderHashOf(binder);
  }

  return {
    ...secrets,

    /** Begins one; gives what the authorization request says. */
    async begin(
      transaction: NewTransaction,
      cookies: Cookies,
    ): Promise<{ state: string; nonce: string; verifier: string }> {
      const state = randomBytes(32).toString('base64url');
      const { begun, remember } = await prepare(hashOf(state), transaction, cookies);
      await insertTransactions(database, [begun]);
      remember();
      return { state, ...secrets.secretsOf(state) };
    },

    /** Begins one that leads to no provider; gives its hash. */
    async beginHere(transaction: NewTransaction & Waited, cookies: Cookies): Promise<Buffer> {
      const { begun, remember } = await prepare(newHash(), transaction, cookies);
      await insertTransactions(database, [begun]);
      remember();
      return begun.hash;
    },

    prepare,

    /**
     * Takes the one that a callback answers, once: before its code is exchanged, since a provider that sees a code twice also ends
     * what the first one began. Null when it is unknown, over, taken, of another provider or of another browser.
     */
    async take(state: string, way: string, cookies: Cookies): Promise<Transaction | null> {
      const hash = hashOf(state);
      const binder = binderOf(cookies, hash);
      if (!binder) return null;
      return take({ hash, binder, way });
    },

    /** The one of an `attempt`, if it is this browser's. With `attempt` left out, there is none. */
    async find(attempt: string | undefined, cookies: Cookies): Promise<Transaction | null> {
      if (attempt === undefined || !attemptPattern.test(attempt)) return null;
      const hash = Buffer.from(attempt, 'base64url');
      const binder = binderOf(cookies, hash);
      return binder && findOf(hash, binder);
    },

    failNewest: newestFailer(database, since, binderOf),

    ...repeatedCallbacks({ ...deps, ...secrets, binderOf, findOf }),

    /** The one of a mail, whose browser is somewhere else. */
    read: createBatchLoader((hashes: Buffer[]) => readTransactions(database, hashes, since())),

    attemptOf: (state: string) => hashOf(state).toString('base64url'),

    /** Takes the one whose passkey was made, once, whether it turns out to be right or not. */
    async takePasskey(attempt: string, cookies: Cookies): Promise<Transaction | null> {
      const found = await this.find(attempt, cookies);
      if (found?.outcome?.kind !== 'passkey') return null;
      const rows = await rowsOf<Transaction>(database, {
        name: 'take-passkey-challenge',
        text: `delete from sign_in_transactions where state_hash = $1 returning ${columns}`,
        values: [found.state_hash],
      });
      cookies.clear(cookiePrefix + attempt);
      return rows[0] ?? null;
    },

    async keepOutcome(
      hash: Buffer,
      outcome: Problem | { kind: 'proof' },
      sealed: Buffer | null,
    ): Promise<void> {
      await database.query({
        text: 'update sign_in_transactions set outcome = $2, sealed = $3 where state_hash = $1',
        values: [hash, jsonParameter(outcome), sealed],
      });
    },

    /** Ends one that led to a session. False when somebody else was quicker. */
    end(hash: Buffer, cookies: Cookies): Promise<boolean> {
      cookies.clear(cookiePrefix + hash.toString('base64url'));
      return end(hash);
    },

    /** Notes that the code was entered: time begins anew, and the address is free for another one. False when somebody else was quicker. */
    async keepProven(hash: Buffer, cookies: Cookies): Promise<boolean> {
      const rowCount = await execute(database, {
        text: `update sign_in_transactions set outcome = '{"kind": "proven"}', address = null, created_at = $2
               where state_hash = $1 and outcome->>'kind' = 'proof'`,
        values: [hash, new Date(now())],
      });
      prolong(hash, cookies);
      return rowCount === 1;
    },
  };
}

/** Returns a function that reads a browser's sign-in; null if it has none. */
function finderOf(database: Queryable, since: () => Date) {
  return function findOf(hash: Buffer, binder: Buffer): Promise<Transaction | null> {
    return rowOf<Transaction>(database, {
      text: `select ${columns} from sign_in_transactions where state_hash = $1 and ${ofBrowser}`,
      values: [hash, since(), binder],
    });
  };
}

function newestFailer(
  database: Queryable,
  since: () => Date,
  binderOf: (cookies: Cookies, hash: Buffer) => Buffer | null,
) {
  /**
   * Stores the problem of this browser's newest sign-in with a provider, which answered without a state. The sign-in stays open:
   * such an answer can come from any page. Returns its `attempt`; null if there is none.
   */
  return async function failNewest(way: string, problem: Problem, cookies: Cookies): Promise<string | null> {
    const asked = attemptsOf(cookies).flatMap((hash) => {
      const binder = binderOf(cookies, hash);
      return binder ? [{ hash, binder }] : [];
    });
    const hash = await failNewestTransaction(database, asked, { way, problem, since: since() });
    return hash && hash.toString('base64url');
  };
}

/** Steps that several requests of one callback share, in any process. */
function repeatedCallbacks({
  database,
  now,
  sessionValueOf,
  binderOf,
  findOf,
}: Deps &
  Pick<ReturnType<typeof createTransactionSecrets>, 'sessionValueOf'> & {
    binderOf: (cookies: Cookies, hash: Buffer) => Buffer | null;
    findOf: (hash: Buffer, binder: Buffer) => Promise<Transaction | null>;
  }) {
  const waitForOutcome = createOutcomeWaiter(findOf, now);
  const finish = createBatchLoader(
    (finished: FinishedTransaction[]) => finishTransactions(database, finished),
    1,
    ({ hash }) => [hash.toString('base64')],
  );

  return {
    /** Returns this browser's sign-in once no other request is exchanging its code; null if this browser has no such sign-in. */
    async waitFor(state: string, cookies: Cookies): Promise<Transaction | null> {
      const hash = hashOf(state);
      const binder = binderOf(cookies, hash);
      return binder && waitForOutcome(hash, binder);
    },

    /** Value of the session cookie that this browser's sign-in ends with; null if this browser has no such sign-in. */
    sessionOf(state: string, cookies: Cookies): string | null {
      const binder = cookies.get(cookiePrefix + hashOf(state).toString('base64url'));
      return binder === null ? null : sessionValueOf(state, binder);
    },

    /** Removes what binds a sign-in to this browser. */
    release: (hash: Buffer, cookies: Cookies) => cookies.clear(cookiePrefix + hash.toString('base64url')),

    /** Stores that a callback has finished a sign-in, with the hash of its session's cookie. */
    async finish(transaction: Transaction, session: Buffer, cookies: Cookies): Promise<void> {
      const hash = transaction.state_hash;
      const binderHash = binderOf(cookies, hash);
      cookies.clear(cookiePrefix + hash.toString('base64url'));
      if (binderHash) await finish({ hash, binderHash, transaction, session });
    },

    /** Stores whether a browser received the session's cookie; that one did is final. */
    async setReceived(hash: Buffer, isReceived: boolean): Promise<void> {
      await database.query({
        text: `update sign_in_transactions set outcome = outcome || jsonb_build_object('isReceived', $2::boolean)
               where state_hash = $1 and outcome->>'kind' = 'signed-in' and ($2 or not outcome ? 'isReceived')`,
        values: [hash, isReceived],
      });
    },
  };
}

/** The time of one that goes on begins anew in this browser too. */
export function prolong(hash: Buffer, cookies: Cookies): void {
  const name = cookiePrefix + hash.toString('base64url');
  const binder = cookies.get(name);
  if (binder !== null) cookies.set(name, binder, transactionMs / 1000);
}

/** Gives what is to be written of a new one, and once that is done, what binds it to this browser. */
function preparerOf({ database, now }: Deps, binderHashOf: (binder: string) => Buffer) {
  return async function prepare(
    hash: Buffer,
    transaction: NewTransaction & Partial<Waited>,
    cookies: Cookies,
  ): Promise<{ begun: BegunTransaction; remember: () => void }> {
    const binder = randomBytes(32).toString('base64url');
    await forgetOldest(database, cookies, new Date(now() - transactionMs));
    return {
      begun: { ...transaction, hash, binderHash: binderHashOf(binder), at: new Date(now()) },
      remember: () => cookies.set(cookiePrefix + hash.toString('base64url'), binder, transactionMs / 1000),
    };
  };
}

/** What one that leads to no provider is known by. */
export const newHash = (): Buffer => randomBytes(32);

/** A state that is no text of ours has a hash too, and no transaction. */
const hashOf = (state: string) => createHash('sha256').update(state).digest();

/** Hashes of the sign-ins that a browser has cookies of. */
const attemptsOf = (cookies: Cookies): Buffer[] =>
  cookies
    .names(cookiePrefix)
    .map((name) => name.slice(cookiePrefix.length))
    .filter((attempt) => attemptPattern.test(attempt))
    .map((attempt) => Buffer.from(attempt, 'base64url'));

/**
 * Of more than a few, those that began first are forgotten: each is a cookie that travels with every request. Passkeys that are asked
 * for go before all others, but the newest, which the device may be asking for, stays longest, as does a code that was entered: whoever
 * cancels and tries again asks for another passkey by it.
 */
async function forgetOldest(database: Queryable, cookies: Cookies, since: Date): Promise<void> {
  const names = cookies.names(cookiePrefix);
  if (names.length < atOnce) return;
  const rows = await rowsOf<{ hash: Buffer }>(database, {
    text: `select state_hash as hash from sign_in_transactions where state_hash = any($1) and created_at > $2
           order by (outcome->>'kind' = 'passkey') is true
               and row_number() over (partition by outcome->>'kind' order by created_at desc) > 1,
             (outcome->>'kind' in ('proven', 'passkey')) is not true, created_at desc limit ${atOnce - 1}`,
    values: [attemptsOf(cookies), since],
  });
  const kept = new Set(rows.map(({ hash }) => cookiePrefix + hash.toString('base64url')));
  for (const name of names) if (!kept.has(name)) cookies.clear(name);
}
