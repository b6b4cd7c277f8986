/** In-memory state of users between an authorize request and its response. */
import { randomUUID } from 'node:crypto';
import type { Invitation } from '../authorize/id-token-hint.ts';
import type { Client, Policy } from '../emulator-config.ts';
import { hashSecret, newSecret, type Account } from './store.ts';

/** `response_mode` values (OAuth 2.0 Multiple Response Types, OAuth 2.0 Form Post Response Mode). */
export const responseModes = ['query', 'fragment', 'form_post'] as const;

export type ResponseTarget = {
  redirectUri: string;
  responseMode: (typeof responseModes)[number];
  state: string | undefined;
};

/** Parameters of the response to the application, without `state`. */
export type ResponseParameters = Record<string, string>;

/** An authorize request that passed all checks. */
export type AuthorizationRequest = ResponseTarget & {
  nonce: string | undefined;
  scopes: string[];
  codeChallenge: string;
  prompts: Set<string>;
  maxAgeSeconds: number | undefined;
  loginHint: string | undefined;
};

/** Current step of a transaction. */
export type Step =
  | { name: 'select-account' }
  | { name: 'sign-in'; email?: string | undefined }
  | { name: 'sign-up'; invitation: Invitation }
  | { name: 'reset-email' }
  | {
      name: 'reset-code';
      email: string;
      /** Undefined for an address without an account: the page is the same, but no code is valid. */
      account: Account | undefined;
      codeHash: string;
      expiresAt: number;
      triesLeft: number;
    }
  | { name: 'reset-password'; account: Account };

export type Start = { policy: Policy; client: Client; request: AuthorizationRequest; step: Step };

/** An authorize request that needs pages. */
export type Transaction = Start & {
  id: string;
  /** Included in every form of the transaction. */
  csrfToken: string;
  /** Hash of the cookie that binds the transaction to its browser. */
  browserHash: string;
  expiresAt: number;
  /** The final response, kept for a double click on the last button. */
  finished?: { response: ResponseParameters; code?: string; sessionCookie?: string | undefined };
  /** Serializes the form submissions of a transaction, so that a double click acts once. */
  queue: Promise<unknown>;
};

const lifetimeMilliseconds = 3_600_000;
const maxTransactions = 5_000;

/** Transactions are lost on restart; their pages then say that they have expired. */
export function createTransactions(now: () => number) {
  const transactions = new Map<string, Transaction>();

  return {
    /** The cookie is sent to the browser and not stored. */
    start(start: Start): { transaction: Transaction; cookie: string } {
      const cookie = newSecret();
      const transaction: Transaction = {
        ...start,
        id: randomUUID(),
        csrfToken: newSecret(),
        browserHash: hashSecret(cookie),
        expiresAt: now() + lifetimeMilliseconds,
        queue: Promise.resolve(),
      };
      for (const [id, { expiresAt }] of transactions) {
        if (expiresAt > now() && transactions.size < maxTransactions) break;
        transactions.delete(id);
      }
      transactions.set(transaction.id, transaction);
      return { transaction, cookie };
    },

    /** Returns undefined for an expired transaction, another policy or another browser. */
    find(id: string, policy: Policy, cookie: string | undefined): Transaction | undefined {
      const transaction = transactions.get(id);
      if (!transaction || transaction.expiresAt <= now() || transaction.policy !== policy) return undefined;
      return cookie && hashSecret(cookie) === transaction.browserHash ? transaction : undefined;
    },
  };
}
