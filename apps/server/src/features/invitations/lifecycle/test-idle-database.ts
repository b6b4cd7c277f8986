/** Waits for database work that continues after a response. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../platform/database/database.ts';

export function createQuietDatabase() {
  const underWay = new Set<object>();
  function watched<Result>(work: Promise<Result>): Promise<Result> {
    const mark = {};
    underWay.add(mark);
    return work.finally(() => underWay.delete(mark));
  }
  return {
    wrapDatabase: (database: Database): Database => ({
      ...database,
      query: (...call) => watched(database.query(...call)),
      transaction: (...call) => watched(database.transaction(...call)),
    }),
    quiet: async (): Promise<void> => {
      do await delay(10);
      while (underWay.size > 0);
    },
  };
}
