/**
 * A transaction: one person on the way from an authorize request to its answer, kept on the server.
 * Not for: what a step shows or does (sign-in.ts and its neighbours).
 */
import { randomUUID } from 'node:crypto';
import type { AuthorizationRequest, AuthorizationResponse } from '../authorize/authorization-response.ts';
import { hashSecret, newSecret } from './database.ts';
import type { Invitation } from '../authorize/id-token-hint.ts';
import type { Client, Policy } from './client-and-policy.ts';

/** Where in its policy a transaction stands. */
export type Step =
  | { name: 'select-account' }
  | { name: 'sign-in'; email?: string }
  | { name: 'check-hint'; hint: string }
  | { name: 'sign-up'; invitation: Invitation }
  | { name: 'reset-email' }
  | {
      name: 'reset-code';
      email: string;
      /** Undefined for an address without an account: the page is the same, no code will ever be right. */
      accountId: string | undefined;
      codeHash: string;
      expiresAt: number;
      triesLeft: number;
    }
  | { name: 'reset-password'; accountId: string }
  | { name: 'edit-profile'; accountId: string; authTime: number };

/** One authorize request that needs the person. */
export type Transaction = {
  id: string;
  /** Stands in every form of this transaction. */
  csrfToken: string;
  /** Hash of the cookie that binds the transaction to the browser which began it. */
  browserHash: string;
  policy: Policy;
  client: Client;
  request: AuthorizationRequest;
  step: Step;
  expiresAt: number;
  /** How it ended; a second click on the last button gets the same answer. */
  finished?: { response: AuthorizationResponse; code: string | undefined; sessionCookie: string | undefined };
  /** Forms of one transaction are worked on one after the other, so that a double click does nothing twice. */
  queue: Promise<unknown>;
};

const lifetimeMilliseconds = 3_600_000;
const maxTransactions = 5_000;

/** The transactions under way. Kept in memory: after a restart a page says that it is out of date, and what to do. */
export function createTransactions(now: () => number) {
  const transactions = new Map<string, Transaction>();

  return {
    /** The cookie goes to the browser and nowhere else. */
    begin(start: Pick<Transaction, 'policy' | 'client' | 'request' | 'step'>): {
      transaction: Transaction;
      cookie: string;
    } {
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

    /** The transaction, if it is alive, belongs to this policy and was begun in this browser. */
    find(id: string, policy: Policy, cookie: string | undefined): Transaction | undefined {
      const transaction = transactions.get(id);
      if (!transaction || transaction.expiresAt <= now() || transaction.policy !== policy) return undefined;
      return cookie && hashSecret(cookie) === transaction.browserHash ? transaction : undefined;
    },
  };
}
