/**
 * Sign-ins that are under way. The state that travels is 256 random bits; the server keeps its hash, and derives nonce and verifier from
 * it. A cookie of its own binds each to the browser that began it, so that several tabs do not disturb each other.
 */
import { createHash, createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { signInMinutes, type SignInOutcome, type SignInPurpose } from '@vestibule/contract/sign-in';
import { jsonParameter, type Database } from '../../../platform/database/database.ts';
import type { Cookies } from '../../../platform/http/cookies.ts';

export const transactionMs = signInMinutes * 60_000;
const cookiePrefix = '__Host-vestibule-in-';
/** Of one browser. The oldest gives way. */
const atOnce = 5;
const attemptPattern = /^[\w-]{43}$/;

/** What is kept of a problem; the rest is the transaction's. */
export type Problem = Omit<Extract<SignInOutcome, { kind: 'problem' }>, 'way' | 'purpose' | 'returnTo'>;

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
  outcome: Problem | { kind: 'proof' } | null;
  sealed: Buffer | null;
  proof_mails: number;
  proof_mailed_at: Date | null;
  proof_tries: number;
};
const columns =
  'state_hash, way, return_to, invitation_id, purpose, person_id, move_id, created_at, used_at, outcome, sealed, proof_mails, proof_mailed_at, proof_tries';

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

export type Transactions = ReturnType<typeof createTransactions>;

export function createTransactions(deps: { database: Database; secret: Buffer; now: () => number }) {
  const { database, now } = deps;
  const keyFor = (purpose: string) =>
    createSecretKey(createHmac('sha256', deps.secret).update(purpose).digest());
  const nonceKey = keyFor('vestibule sign-in nonce');
  const verifierKey = keyFor('vestibule sign-in verifier');
  const binderKey = keyFor('vestibule sign-in binder');
  const codeKey = keyFor('vestibule proof of an address');
  const derive = (key: ReturnType<typeof keyFor>, text: string | Buffer) =>
    createHmac('sha256', key).update(text).digest();

  /** Still within its time, and this browser's. */
  const ofBrowser = `created_at > $2 and binder_hash = $3`;
  const since = () => new Date(now() - transactionMs);

  function binderOf(cookies: Cookies, hash: Buffer): Buffer | null {
    const binder = cookies.get(cookiePrefix + hash.toString('base64url'));
    return binder === null ? null : derive(binderKey, binder);
  }

  return {
    /** Begins one; gives what the authorization request says. */
    async begin(
      transaction: NewTransaction,
      cookies: Cookies,
    ): Promise<{ state: string; nonce: string; verifier: string }> {
      const state = randomBytes(32).toString('base64url');
      const binder = randomBytes(32).toString('base64url');
      const hash = hashOf(state);
      await forgetOldest(cookies);
      await database.query({
        name: 'begin-sign-in',
        text: `insert into sign_in_transactions (state_hash, way, binder_hash, return_to, created_at, invitation_id, purpose, person_id,
                 session_id, move_id)
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        values: [
          hash,
          transaction.way,
          derive(binderKey, binder),
          transaction.returnTo,
          new Date(now()),
          transaction.invitationId ?? null,
          transaction.purpose ?? 'sign-in',
          transaction.personId ?? null,
          transaction.sessionId ?? null,
          transaction.moveId ?? null,
        ],
      });
      cookies.set(cookiePrefix + hash.toString('base64url'), binder, transactionMs / 1000);
      return { state, ...this.secretsOf(state) };
    },

    secretsOf: (state: string) => ({
      nonce: derive(nonceKey, state).toString('base64url'),
      verifier: derive(verifierKey, state).toString('base64url'),
    }),

    /**
     * Takes the one that a callback answers, once: before its code is exchanged, since a provider that sees a code twice also ends
     * what the first one began. Null when it is unknown, over, taken, of another provider or of another browser.
     */
    async take(state: string, way: string, cookies: Cookies): Promise<Transaction | null> {
      const hash = hashOf(state);
      const binder = binderOf(cookies, hash);
      if (!binder) return null;
      const { rows } = await database.query<Transaction>({
        name: 'take-sign-in',
        text: `update sign_in_transactions set used_at = $5
               where state_hash = $1 and ${ofBrowser} and way = $4 and used_at is null returning ${columns}`,
        values: [hash, since(), binder, way, new Date(now())],
      });
      return rows[0] ?? null;
    },

    /** The one of an `attempt`, if it is this browser's. With `attempt` left out, there is none. */
    async find(attempt: string | undefined, cookies: Cookies): Promise<Transaction | null> {
      if (attempt === undefined || !attemptPattern.test(attempt)) return null;
      const hash = Buffer.from(attempt, 'base64url');
      const binder = binderOf(cookies, hash);
      if (!binder) return null;
      const { rows } = await database.query<Transaction>({
        text: `select ${columns} from sign_in_transactions where state_hash = $1 and ${ofBrowser}`,
        values: [hash, since(), binder],
      });
      return rows[0] ?? null;
    },

    attemptOf: (state: string) => hashOf(state).toString('base64url'),

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
    async end(hash: Buffer, cookies: Cookies): Promise<boolean> {
      cookies.clear(cookiePrefix + hash.toString('base64url'));
      const { rowCount } = await database.query({
        name: 'end-sign-in',
        text: 'delete from sign_in_transactions where state_hash = $1',
        values: [hash],
      });
      return rowCount === 1;
    },

    /** The code that proves an address: of the newest mail of this sign-in. It is derived, and nowhere stored. */
    codeOf: (hash: Buffer, mails: number): string =>
      String(
        derive(codeKey, Buffer.concat([hash, Buffer.from([mails])])).readUIntBE(0, 6) % 1_000_000,
      ).padStart(6, '0'),

    isCode(hash: Buffer, mails: number, code: string): boolean {
      return timingSafeEqual(Buffer.from(this.codeOf(hash, mails)), Buffer.from(code));
    },
  };

  /** Of more than a few, those that began first are forgotten: each is a cookie that travels with every request. */
  async function forgetOldest(cookies: Cookies): Promise<void> {
    const names = cookies.names(cookiePrefix);
    if (names.length < atOnce) return;
    const hashes = names
      .map((name) => name.slice(cookiePrefix.length))
      .filter((attempt) => attemptPattern.test(attempt))
      .map((attempt) => Buffer.from(attempt, 'base64url'));
    const { rows } = await database.query<{ hash: Buffer }>({
      text: `select state_hash as hash from sign_in_transactions where state_hash = any($1) and created_at > $2
             order by created_at desc limit ${atOnce - 1}`,
      values: [hashes, since()],
    });
    const kept = new Set(rows.map(({ hash }) => cookiePrefix + hash.toString('base64url')));
    for (const name of names) if (!kept.has(name)) cookies.clear(name);
  }
}

/** A state that is no text of ours has a hash too, and no transaction. */
const hashOf = (state: string) => createHash('sha256').update(state).digest();
