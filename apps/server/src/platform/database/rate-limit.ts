/**
 * Rate limits, counted in fixed windows in the database, so that all server processes share one limit. Counting takes
 * one statement; keys over the limit are cached until their window ends. Not for authorization.
 */
import { BoundedMap } from '../bounded-map.ts';
import { execute, rawSql, rowsOf, scalarOf, type DatabaseDeps, type Queryable } from './database.ts';

/** Cached keys over their limit; the oldest are evicted. */
const maxCachedKeys = 10_000;

/** Limit of `maximum` units per `windowSeconds` for each key, such as a person or a network. */
export type RateLimitOptions = {
  /** Unique name, the same in every process. */
  name: string;
  maximum: number;
  windowSeconds: number;
  /** The count may be refunded or reset, also by other processes, so keys over the limit are not cached. */
  isNotCached?: true;
};

/** `waitSeconds` is 0 if the unit was counted. */
type Counted = { waitSeconds: number; isLast: boolean };

export const perHour = (name: string, maximum: number): RateLimitOptions => ({
  name,
  maximum,
  windowSeconds: 3_600,
});

export function createRateLimit(deps: DatabaseDeps, limit: RateLimitOptions) {
  const { database, now } = deps;
  const fullUntil = new BoundedMap<string, number>(limit.isNotCached ? 0 : maxCachedKeys);
  const storedKey = (key: string) => `${limit.name}:${key}`;

  const secondsUntil = (time: number) => Math.max(0, Math.ceil((time - now()) / 1000));

  function readCachedWait(key: string): number {
    const until = fullUntil.get(key);
    if (until === undefined) return 0;
    if (until <= now()) fullUntil.delete(key);
    return secondsUntil(until);
  }

  /** Counts keys that the cache does not report as over the limit. */
  async function count(keys: string[], units: number, queryable: Queryable): Promise<Counted[]> {
    const at = now();
    const rows = await rowsOf<{ key: string; taken: boolean; endsAt: Date; used: number }>(queryable, {
      name: 'take-rate-limits',
      // Ordered by key to prevent deadlocks. The last `select` reads the unchanged rows of refused keys, whose `ends_at`
      // is the end of the full window.
      text: `with taken as (
               insert into rate_limits as known (key, used, ends_at)
               select key, $2::integer, $3::timestamptz from unnest($1::text[]) key order by key
               on conflict (key) do update set
                 used = excluded.used + case when known.ends_at > $4 then known.used else 0 end,
                 ends_at = case when known.ends_at > $4 then known.ends_at else excluded.ends_at end
               where known.ends_at <= $4 or known.used + excluded.used <= $5
               returning key, used, ends_at)
             select key, true as taken, ends_at as "endsAt", used from taken
             union all
             select key, false, ends_at, used from rate_limits where key = any($1) and key not in (select key from taken)`,
      values: [
        keys.map(storedKey),
        units,
        new Date(at + limit.windowSeconds * 1000),
        new Date(at),
        limit.maximum,
      ],
    });
    const found = new Map(rows.map((row) => [row.key, row]));
    return keys.map((key) => {
      const row = found.get(storedKey(key));
      if (row?.taken) return { waitSeconds: 0, isLast: row.used >= limit.maximum };
      // No row: another caller started and filled the window during this statement.
      const until = row?.endsAt.getTime() ?? at + limit.windowSeconds * 1000;
      if (row && row.used >= limit.maximum) fullUntil.set(key, until);
      return { waitSeconds: Math.max(1, secondsUntil(until)), isLast: false };
    });
  }

  return {
    /** Same as `waitSeconds`, but reads only the cache of this process. */
    cachedWaitSeconds: readCachedWait,

    /**
     * Counts `units` in advance, so that concurrent calls cannot exceed the limit together. Returns 0 if allowed, otherwise the seconds to
     * wait. A rollback of `queryable` undoes the count.
     */
    async take(key: string, units = 1, queryable: Queryable = database): Promise<number> {
      const known = readCachedWait(key);
      if (known > 0) return known;
      const [counted] = await count([key], units, queryable);
      return counted?.waitSeconds ?? 0;
    },

    /** Counts one unit, and returns whether it was the last one of the window. */
    async takeCounted(key: string): Promise<Counted> {
      const [counted] = await count([key], 1, database);
      return counted as Counted;
    },

    /** Counts one unit for each of several distinct keys. */
    async takeEach(keys: string[], queryable: Queryable = database): Promise<number[]> {
      const waits = new Map(keys.map((key) => [key, readCachedWait(key)]));
      const counted = keys.filter((key) => waits.get(key) === 0);
      if (counted.length > 0)
        (await count(counted, 1, queryable)).forEach(({ waitSeconds }, index) =>
          waits.set(counted[index] as string, waitSeconds),
        );
      return keys.map((key) => waits.get(key) as number);
    },

    /** Takes one unit back. For actions of which only failures count, but where concurrent calls must not exceed the limit. */
    async refund(key: string): Promise<void> {
      await execute(database, { name: 'give-back-rate-limit' })`
        update rate_limits set used = used - 1 where key = ${storedKey(key)} and ends_at > ${new Date(now())}
          and used > 0`;
    },

    async reset(keys: string[], queryable: Queryable): Promise<void> {
      await execute(queryable)`delete from rate_limits where key = any(${keys.map(storedKey)})`;
    },

    /** Returns the seconds to wait, without counting. For actions of which only failures count. */
    async waitSeconds(key: string): Promise<number> {
      const known = readCachedWait(key);
      if (known > 0) return known;
      const endsAt = await scalarOf<Date>(database, { name: 'wait-rate-limit' })`
        select ends_at from rate_limits where key = ${storedKey(key)} and ends_at > ${new Date(now())}
          and used >= ${limit.maximum}`;
      if (!endsAt) return 0;
      fullUntil.set(key, endsAt.getTime());
      return secondsUntil(endsAt.getTime());
    },
  };
}

const deleteBatchSize = 1_000;

/** Deletes ended windows in small steps, so that counting is not blocked. Safe to run concurrently. */
export async function deleteExpiredLimits({ database, now }: DatabaseDeps): Promise<void> {
  for (;;) {
    const rowCount = await execute(database)`
      delete from rate_limits where key = any(array(
      select key from rate_limits where ends_at <= ${new Date(now())} order by ends_at limit ${rawSql(deleteBatchSize)}
      for update skip locked))`;
    if ((rowCount ?? 0) < deleteBatchSize) return;
  }
}
