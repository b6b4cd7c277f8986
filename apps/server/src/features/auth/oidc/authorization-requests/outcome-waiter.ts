/** Waits for the outcome of a sign-in whose code another request, perhaps in another process, is exchanging. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from './request-row.ts';

const lookEveryMs = 200;
/** Longest exchange: the token, the keys and the user info take up to ten seconds each. */
const longestExchangeMs = 40_000;

export function createOutcomeWaiter(
  find: (hash: Buffer, binder: Buffer) => Promise<Transaction | null>,
  now: () => number,
) {
  /** Requests of one browser for one sign-in share the queries. */
  const waiting = new Map<string, Promise<Transaction | null>>();

  async function wait(hash: Buffer, binder: Buffer): Promise<Transaction | null> {
    let wasFound = true;
    for (;;) {
      const found = await find(hash, binder);
      const isExchanging =
        found?.used_at && !found.outcome && now() - found.used_at.getTime() < longestExchangeMs;
      // The row is missing for a moment while the sign-in redeems an invitation or replaces a session.
      if (found ? !isExchanging : !wasFound) return found;
      wasFound = found !== null;
      await sleep(lookEveryMs);
    }
  }

  return function waitForOutcome(hash: Buffer, binder: Buffer): Promise<Transaction | null> {
    const key = Buffer.concat([hash, binder]).toString('base64');
    const known = waiting.get(key);
    if (known) return known;
    const answer = wait(hash, binder).finally(() => waiting.delete(key));
    waiting.set(key, answer);
    return answer;
  };
}
