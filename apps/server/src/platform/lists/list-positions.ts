/**
 * Samples the keys of every 10,000th row of an order, so that a distant page of a large list is read from the nearest key instead of
 * skipping millions of index entries (decision 042).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { rowOf, rowsOf, type Queryable } from '../database/database.ts';
import { orderByTerms, type ListSource } from './list-source.ts';
import { hourMs } from '../time-units.ts';

/** Sort value and id of a row as texts, and the number of rows up to it in ascending order. */
export type Position = { rank: number; value: string | null; id: string };
type Positions = { list: Position[]; total: number };

type Sampled = Positions & { renewFrom: number; usableUntil: number; renewal: NodeJS.Timeout };

/** Rows between two positions. PostgreSQL skips as many index entries in about 3 ms. */
const defaultStep = 10_000;
/** Lists with fewer steps have no positions. */
const minListSteps = 10;
/** Pages nearer than this number of steps to an end of the list are read without positions. */
const minSteps = 2;
/** Minimum age of positions before a page renews them. Sampling takes at most a tenth of the time. */
const renewAfterMs = 30_000;
const pausePerSampling = 10;
/** While no pages are read, positions are renewed less often, for an hour: the first distant page after a pause has positions. */
const renewUnusedAfterMs = 300_000;
const pausePerUnusedSampling = 50;
const renewUnusedForMs = hourMs;

/** Creates the positions of the orders of a list. They are sampled in the background, on the first use of a large list. */
export function createListPositions(
  database: Queryable,
  source: ListSource,
  now: () => number,
  step = defaultStep,
) {
  const sampledOrders = new Map<string, Sampled>();
  const isSampling = new Set<string>();
  const usedAt = new Map<string, number>();
  // Sampling belongs to no request: not to its trace, nor to its share of connections.
  const runOutsideRequest = AsyncLocalStorage.snapshot();

  async function sample(column: string): Promise<void> {
    const sampledAt = now();
    const positions = await samplePositions(database, source, column, step);
    const tookMs = now() - sampledAt;
    const pauseMs = Math.max(renewAfterMs, pausePerSampling * tookMs);
    const unusedPauseMs = Math.max(renewUnusedAfterMs, pausePerUnusedSampling * tookMs);
    const renewal = setTimeout(() => {
      if (now() - (usedAt.get(column) ?? 0) < renewUnusedForMs) startSampling(column);
    }, unusedPauseMs).unref();
    clearTimeout(sampledOrders.get(column)?.renewal);
    sampledOrders.set(column, {
      ...positions,
      renewFrom: sampledAt + pauseMs,
      usableUntil: now() + unusedPauseMs + pauseMs,
      renewal,
    });
  }

  function startSampling(column: string): void {
    if (isSampling.has(column)) return;
    isSampling.add(column);
    // Pages are read without positions after a failure, and the next one starts sampling again.
    void runOutsideRequest(() => sample(column))
      .catch(() => {})
      .finally(() => isSampling.delete(column));
  }

  return {
    /** Returns the current positions of an order; null if there are none yet. Starts sampling if they are missing or old. */
    of(
      column: string,
      { query, total }: { query: { offset: number }; total: number | null },
    ): Positions | null {
      const sampled = sampledOrders.get(column);
      if (Math.max(query.offset, total ?? sampled?.total ?? 0) < minListSteps * step) return null;
      usedAt.set(column, now());
      if ((sampled?.renewFrom ?? 0) <= now()) startSampling(column);
      return sampled && now() < sampled.usableUntil ? sampled : null;
    },

    /** Returns the last position before the ascending rows `from` to `to`; undefined if they are near an end of the list. */
    findStart({ list, total }: Positions, from: number, to: number): Position | undefined {
      if (from < minSteps * step || to > total - minSteps * step) return undefined;
      return list.findLast(({ rank }) => rank <= from);
    },
  };
}

export type ListPositions = ReturnType<typeof createListPositions>;

/** Reads the order in statements of `step` rows, which are far below the time limit and of the same cost for a list of any size. */
async function samplePositions(
  database: Queryable,
  source: ListSource,
  column: string,
  step: number,
): Promise<Positions> {
  const list: Position[] = [];
  for (;;) {
    const last = list.at(-1);
    const values: unknown[] = [1, step - 1];
    const rows = `from ${rowsAfter(source, column, last, values)} as rest`;
    const next = await rowOf<Omit<Position, 'rank'>>(database, {
      text: `select list_value::text as value, id::text as id ${rows} order by ${orderByTerms('list_value', 'asc')} limit $1 offset $2`,
      values,
    });
    if (next) {
      list.push({ rank: (last?.rank ?? 0) + step, ...next });
      continue;
    }
    const [rest] = await rowsOf<{ count: number }>(database, {
      text: `select count(*) as count ${rows}`,
      values,
    });
    return { list, total: (last?.rank ?? 0) + (rest?.count ?? 0) };
  }
}

/**
 * Returns a subquery with the columns `id` and `list_value` of the rows after a position, in ascending order, at least as many as the
 * limit $1 and the offset $2 need. Adds parameters to `values`. Rows without a value come last: a comparison of (value, id) excludes
 * them, and `or` would prevent a scan of the index from the position on.
 */
export function rowsAfter(
  { table }: ListSource,
  column: string,
  after: Position | undefined,
  values: unknown[],
): string {
  const read = (condition: string) =>
    `(select id, ${column} as list_value from ${table} ${condition} order by ${orderByTerms(column, 'asc')} limit $1::int8 + $2::int8)`;
  if (!after) return read('');
  const id = () => `$${values.push(after.id)}`;
  if (after.value === null) return read(`where ${column} is null and id > ${id()}`);
  const value = `$${values.push(after.value)}`;
  return `(${read(`where (${column}, id) > (${value}, ${id()})`)} union all ${read(`where ${column} is null`)})`;
}
