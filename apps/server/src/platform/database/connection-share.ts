/**
 * Limits how many pool connections one kind of work may hold, so that a burst of requests to one route, which mostly
 * wait for the same lock, leaves connections to the rest of the site.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Message of pg's error when all connections are in use. */
export const poolTimeoutMessage = 'timeout exceeded when trying to connect';

type Share = { held: number; queued: (() => void)[] };

const currentWorkKind = new AsyncLocalStorage<string | undefined>();

/** Runs `work` as work of this kind, such as a route. Kinds are never removed, so there may only be few. */
export const runAsWorkKind = <Result>(kind: string | undefined, work: () => Result): Result =>
  currentWorkKind.run(kind, work);

/**
 * Returns a function that runs `work` when fewer than `maximum` of its kind run. Work without a kind runs at once. Throws the pool's
 * own error after `timeoutMs` of waiting.
 */
export function createConnectionShares(
  maximum: number,
  timeoutMs: number,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const shares = new Map<string, Share>();

  return async (work) => {
    const kind = currentWorkKind.getStore();
    if (kind === undefined) return work();
    const share = shares.get(kind) ?? { held: 0, queued: [] };
    shares.set(kind, share);
    if (share.held < maximum) share.held += 1;
    else await waitForConnection(share, timeoutMs);
    try {
      return await work();
    } finally {
      const next = share.queued.shift();
      if (next) next();
      else share.held -= 1;
    }
  };
}

const waitForConnection = (share: Share, timeoutMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const start = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      share.queued.splice(share.queued.indexOf(start), 1);
      // Same message as pg's error, so that isDatabaseUnavailable recognizes it.
      reject(new Error(poolTimeoutMessage));
    }, timeoutMs);
    share.queued.push(start);
  });
