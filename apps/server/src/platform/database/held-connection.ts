/** Detects code that asks the pool for a second connection while it holds one. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

export type ReportSecondConnection = (error: Error) => void;

/**
 * The connection that the running code holds. A request that waits for a second connection while it holds one can block
 * the whole site: with as many such requests as the pool has connections, each waits for the others.
 */
type HeldConnection = { pool: pg.Pool; isHeld: boolean; report: ReportSecondConnection };

const heldConnection = new AsyncLocalStorage<HeldConnection>();

/**
 * Reports a second connection if the caller holds a transaction (of `pool`, if given). Code that may read from the pool calls this first.
 */
export function requireNoTransaction(pool?: pg.Pool): void {
  const held = heldConnection.getStore();
  if (held?.isHeld && held.pool === (pool ?? held.pool))
    held.report(
      new Error('Code inside a transaction asked the pool for a second connection. Pass the transaction on.'),
    );
}

/** Runs `work` as if it started outside the transaction of the caller, for tests that hold a lock during a request. */
export const outsideTransaction = <Result>(work: () => Result): Result => heldConnection.exit(work);

/** Runs `work` with the connection marked as held. The mark ends with `work`, also for code that it left running. */
export async function runHoldingConnection<Result>(
  pool: pg.Pool,
  report: ReportSecondConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  const held = { pool, isHeld: true, report };
  try {
    return await heldConnection.run(held, work);
  } finally {
    held.isHeld = false;
  }
}
