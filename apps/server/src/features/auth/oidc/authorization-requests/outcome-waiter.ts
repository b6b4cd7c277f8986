/** Waits for the outcome of a sign-in whose code another HTTP request, in any process, is exchanging. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthorizationRequest } from './request-row.ts';

const pollEveryMs = 200;
/** Longest exchange: the token, the keys and the user info take up to ten seconds each. */
const longestExchangeMs = 40_000;

export function createOutcomeWaiter(
  find: (hash: Buffer, binder: Buffer) => Promise<AuthorizationRequest | null>,
  now: () => number,
) {
  const pending = new Map<string, Promise<AuthorizationRequest | null>>();

  async function wait(hash: Buffer, binder: Buffer): Promise<AuthorizationRequest | null> {
    let wasFound = true;
    for (;;) {
      const found = await find(hash, binder);
      const isExchanging =
        found?.used_at && !found.outcome && now() - found.used_at.getTime() < longestExchangeMs;
      // The row is missing for a moment while the sign-in redeems an invitation or replaces a session.
      if (found ? !isExchanging : !wasFound) return found;
      wasFound = found !== null;
      await sleep(pollEveryMs);
    }
  }

  return function waitForOutcome(hash: Buffer, binder: Buffer): Promise<AuthorizationRequest | null> {
    const key = Buffer.concat([hash, binder]).toString('base64');
    const shared = pending.get(key);
    if (shared) return shared;
    const outcome = wait(hash, binder).finally(() => pending.delete(key));
    pending.set(key, outcome);
    return outcome;
  };
}
