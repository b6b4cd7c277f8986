/**
 * The bridge between a grid that wants parts of a list and a function that fetches one page; it keeps account of what is
 * asked, of what failed, and of how many rows there are. AG Grid's own words for it are in grid-community.ts and
 * grid-enterprise.ts.
 */
import type { GridAsked } from './grid-address.ts';
import {
  conditionsOf,
  filterStateOf,
  type GridCondition,
  type GridQuery,
  type GridQuestion,
  type GridSort,
} from './grid-query.ts';

/** A row of a grid; its id is its own for as long as it exists. */
export type GridRow = { id: string | number };

/** The rows of a page; `total` counts all that match, where the server knows; `count` asks for it, where that takes longer. */
export type GridPage<Row> = {
  rows: Row[];
  total?: number;
  count?: () => Promise<number>;
};

/** Fetches a page. Throws when it could not; stops early when the signal says so. */
export type FetchPage<Row> = (query: GridQuery, signal: AbortSignal) => Promise<GridPage<Row>>;

/** What became of the pages asked for, told after every answer. */
export type PagesState = {
  /** All rows that match, or undefined while that is unknown. */
  total?: number | undefined;
  /** Why some of the pages asked for are missing; undefined when none is. */
  failure?: unknown;
  /** The total where it came by itself: no page of rows has told it. */
  counted?: number;
};

/** A part of the list that the grid wants. */
type PageRequest<Row> = {
  offset: number;
  limit: number;
  sort: GridSort | undefined;
  /** `total`: where the list ends, once that is known. */
  succeed: (rows: Row[], total: number | undefined) => void;
  fail: () => void;
};

/** The most rows that one request brings. */
const pageMaximum = 500;

/** Which rows are asked for. */
type Wanted = Pick<GridAsked, 'tab' | 'search' | 'filters'>;

/** The pages of one list. */
export class GridPages<Row> {
  #wanted: Wanted;
  readonly #within: readonly GridCondition[];
  readonly #fetchPage: FetchPage<Row>;
  readonly #tell: (state: PagesState) => void;
  readonly #failed = new Set<number>();
  #asked = new AbortController();
  #sort: GridSort | undefined;
  #total: number | undefined;
  #counted = Promise.withResolvers<number | undefined>();
  #failure: unknown;

  /** `within`: no other rows than these, whatever is asked. */
  constructor(
    fetchPage: FetchPage<Row>,
    tell: (state: PagesState) => void,
    wanted: Wanted = { tab: undefined, search: '', filters: [] },
    within: readonly GridCondition[] = [],
  ) {
    this.#fetchPage = fetchPage;
    this.#tell = tell;
    this.#wanted = wanted;
    this.#within = within;
  }

  /** How many rows match what is asked for now, once that is known. */
  get total(): number | undefined {
    return this.#total;
  }

  /** The same, once it is known; undefined where other rows are asked for before that. */
  get counted(): Promise<number | undefined> {
    return this.#total === undefined ? this.#counted.promise : Promise.resolve(this.#total);
  }

  /** What the pages are asked for, today. */
  get question(): GridQuestion {
    return this.#questionOf(this.#wanted);
  }

  #questionOf({ tab, search, filters }: Wanted): GridQuestion {
    const ofTab: GridCondition[] = tab === undefined ? [] : [{ column: 'group', is: 'oneOf', values: [tab] }];
    return filterStateOf(search, [...this.#within, ...ofTab, ...conditionsOf(filters)]);
  }

  /** Asks for other rows from the next page on; answers whether they are others. */
  ask(wanted: Wanted): boolean {
    const before = JSON.stringify(this.question);
    this.#wanted = wanted;
    if (JSON.stringify(this.question) === before) return false;
    this.#total = undefined;
    this.#counted.resolve(undefined);
    this.#counted = Promise.withResolvers();
    this.restart();
    return true;
  }

  /** Gives up what is under way: the question has changed, so its answers are of no use. */
  restart(): void {
    this.#asked.abort();
    this.#asked = new AbortController();
    this.#failed.clear();
  }

  /** Answers by `succeed` or `fail`, one of them, once. */
  async load({ offset, limit, sort, succeed, fail }: PageRequest<Row>): Promise<void> {
    const { signal } = this.#asked;
    this.#sort = sort;
    try {
      const { rows, total, count } = await this.#fetchPage(this.#query(offset, limit), signal);
      if (signal.aborted) return fail();
      this.#failed.delete(offset);
      if (count && total === undefined) void this.#countBy(count, signal);
      // Without a total the end is known once a page comes back short.
      this.#total = total ?? (rows.length < limit && rows.length > 0 ? offset + rows.length : this.#total);
      if (total === undefined && offset === 0 && rows.length === 0) this.#total = 0;
      succeed(rows, this.#total);
    } catch (error) {
      fail();
      if (signal.aborted) return;
      this.#failed.add(offset);
      this.#failure = error;
    }
    this.#report();
  }

  /** Rows from the server, whatever the grid shows of them. */
  async rows(offset: number, count: number): Promise<Row[]> {
    const { signal } = this.#asked;
    const parts: Promise<GridPage<Row>>[] = [];
    for (let start = offset; start < offset + count; start += pageMaximum) {
      parts.push(this.#fetchPage(this.#query(start, Math.min(pageMaximum, offset + count - start)), signal));
    }
    return (await Promise.all(parts)).flatMap((part) => part.rows);
  }

  /** How many rows there are with each of these values in a column, of those that are asked for whatever that column has. */
  async countValues(
    column: string,
    values: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const others = this.#wanted.filters.filter((filter) => filter.column !== column);
    const counted = values.map(async (value) => {
      const filters = [...others, { column, is: 'oneOf' as const, values: [value] }];
      const question = this.#questionOf({ ...this.#wanted, filters });
      const { total, count } = await this.#fetchPage({ offset: 0, limit: 0, ...question }, signal);
      return [value, total ?? (await count?.()) ?? 0] as const;
    });
    return new Map(await Promise.all(counted));
  }

  /** Counts again, where the first page is not asked for anyway. */
  async count(): Promise<void> {
    const { signal } = this.#asked;
    try {
      const { total, count } = await this.#fetchPage(this.#query(0, 1), signal);
      await this.#countBy(async () => total ?? count?.(), signal);
    } catch {
      // The rows are there, and say so when they are not.
    }
  }

  /** What takes long is counted beside the rows; where that fails, the list has an end all the same. */
  async #countBy(count: () => Promise<number | undefined>, signal: AbortSignal): Promise<void> {
    const total = await count().catch(() => undefined);
    if (total === undefined || signal.aborted) return;
    this.#total = total;
    this.#report(total);
  }

  #query(offset: number, limit: number): GridQuery {
    return { offset, limit, ...(this.#sort && { sort: this.#sort }), ...this.question };
  }

  #report(counted?: number): void {
    if (this.#total !== undefined) this.#counted.resolve(this.#total);
    this.#tell({
      total: this.#total,
      failure: this.#failed.size > 0 ? this.#failure : undefined,
      ...(counted !== undefined && { counted }),
    });
  }
}
