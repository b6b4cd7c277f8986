/** Waits for database work that continues after a response. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../platform/database/database.ts';

export function createIdleWaiter() {
  const pending = new Set<object>();
  function track<Result>(work: Promise<Result>): Promise<Result> {
    const key = {};
    pending.add(key);
    return work.finally(() => pending.delete(key));
  }
  return {
    wrapDatabase: (database: Database): Database => ({
      ...database,
      query: (...call) => track(database.query(...call)),
      transaction: (...call) => track(database.transaction(...call)),
    }),
    waitUntilIdle: async (): Promise<void> => {
      do await delay(10);
      while (pending.size > 0);
    },
  };
}
