/**
 * How often somebody may do something: counted in fixed windows in the database, so that any number of server processes
 * keep one limit. Counting takes one statement; who is over the limit is remembered here until the window ends, and costs
 * no further statement. Not for rights: a limit protects from too much, whoever it is.
 */
import { BoundedMap } from '../bounded-map.ts';
import { execute, rowOf, rowsOf, type Queryable, type Timed } from './database.ts';

type RateLimit = {
  /**
   * Counts `units` (1) before they are done, so that many at once cannot pass together. Gives 0 when they may be done, and
   * else the seconds until `who` may try again. Within a transaction what is rolled back is not counted.
   */
  take(who: string, units?: number, within?: Queryable): Promise<number>;
  /** The same for several at once, of whom none is named twice: one unit each. */
  takeEach(those: string[], within?: Queryable): Promise<number[]>;
  /** Gives one unit back. For what counts only when it fails, where many at once must not pass together. */
  giveBack(who: string): Promise<void>;
  /** Counts anew from now on. */
  forget(those: string[], within: Queryable): Promise<void>;
  /** Counts nothing: the seconds that `who` has to wait, 0 for none. For what counts only when it fails. */
  wait(who: string): Promise<number>;
  /** The same as far as this process has been told already. Costs no statement. */
  known(who: string): number;
};

/** Of those over a limit, how many a process remembers; the oldest go first. */
const remembered = 10_000;

/** What a limit is: `maximum` units per `windowSeconds` and person, network or whatever `who` is. */
export type LimitOf = {
  /** The limit's own, on every process. */
  name: string;
  maximum: number;
  windowSeconds: number;
  /** Units are given back or forgotten, by other processes too: nobody is remembered here as over the limit. */
  shrinks?: true;
};

export const perHour = (name: string, maximum: number): LimitOf => ({ name, maximum, windowSeconds: 3_600 });

export function createRateLimit(deps: Timed, limit: LimitOf): RateLimit {
  const { database, now } = deps;
  const full = new BoundedMap<string, number>(limit.shrinks ? 0 : remembered);
  const keyOf = (who: string) => `${limit.name}:${who}`;

  const secondsUntil = (time: number) => Math.max(0, Math.ceil((time - now()) / 1000));

  function knownWait(who: string): number {
    const until = full.get(who);
    if (until === undefined) return 0;
    if (until <= now()) full.delete(who);
    return secondsUntil(until);
  }

  /** None of them is over the limit as far as is known here. */
  async function count(those: string[], units: number, within: Queryable): Promise<number[]> {
    const at = now();
    const rows = await rowsOf<{ key: string; taken: boolean; endsAt: Date; used: number }>(within, {
      name: 'take-rate-limits',
      // In one order, so that nobody waits for each other in a circle. The last part reads what was there before: whoever was
      // refused is told of the window that is full.
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
        those.map(keyOf),
        units,
        new Date(at + limit.windowSeconds * 1000),
        new Date(at),
        limit.maximum,
      ],
    });
    const found = new Map(rows.map((row) => [row.key, row]));
    return those.map((who) => {
      const row = found.get(keyOf(who));
      if (row?.taken) return 0;
      // Without a row, somebody else has begun and filled the window during this very statement.
      const until = row?.endsAt.getTime() ?? at + limit.windowSeconds * 1000;
      if (row && row.used >= limit.maximum) full.set(who, until);
      return Math.max(1, secondsUntil(until));
    });
  }

  return {
    known: knownWait,

    async take(who, units = 1, within = database) {
      const known = knownWait(who);
      if (known > 0) return known;
      const [wait = 0] = await count([who], units, within);
      return wait;
    },

    async takeEach(those, within = database) {
      const waits = new Map(those.map((who) => [who, knownWait(who)]));
      const counted = those.filter((who) => waits.get(who) === 0);
      if (counted.length > 0)
        (await count(counted, 1, within)).forEach((wait, index) => waits.set(counted[index] as string, wait));
      return those.map((who) => waits.get(who) as number);
    },

    async giveBack(who) {
      await database.query({
        name: 'give-back-rate-limit',
        text: 'update rate_limits set used = used - 1 where key = $1 and ends_at > $2 and used > 0',
        values: [keyOf(who), new Date(now())],
      });
    },

    async forget(those, within) {
      await execute(within, 'delete from rate_limits where key = any($1)', [those.map(keyOf)]);
    },

    async wait(who) {
      const known = knownWait(who);
      if (known > 0) return known;
      const limitReached = await rowOf<{ endsAt: Date }>(database, {
        name: 'wait-rate-limit',
        text: `select ends_at as "endsAt" from rate_limits where key = $1 and ends_at > $2 and used >= $3`,
        values: [keyOf(who), new Date(now()), limit.maximum],
      });
      if (!limitReached) return 0;
      full.set(who, limitReached.endsAt.getTime());
      return secondsUntil(limitReached.endsAt.getTime());
    },
  };
}

const removedAtOnce = 1_000;

/** Removes what ended, in small steps, so that nobody who counts waits for it. Several processes may do it at once. */
export async function forgetEndedLimits({ database, now }: Timed): Promise<void> {
  for (;;) {
    const rowCount = await execute(database, {
      text: `delete from rate_limits where key = any(array(
               select key from rate_limits where ends_at <= $1 order by ends_at limit ${removedAtOnce}
               for update skip locked))`,
      values: [new Date(now())],
    });
    if ((rowCount ?? 0) < removedAtOnce) return;
  }
}
