/** Loads the pages of a list for AG Grid. Tracks filters, failed pages and the total number of rows. */
import type { GridColumn } from './grid-column.ts';
import type { GridListState } from './grid-address.ts';
import {
  conditionsOf,
  filterStateOf,
  type GridCondition,
  type GridPageRequest,
  type GridFilterState,
  type GridSort,
} from './grid-query.ts';

/** A row of a grid. `id` is unique and stable. */
export type GridRow = { id: string | number };

/**
 * Rows of a page. `total` is the number of matching rows; `count` fetches it if counting takes longer. `estimate` fetches an
 * approximate number, or null if there is none.
 */
export type GridPage<Row> = {
  rows: Row[];
  total?: number;
  count?: () => Promise<number>;
  estimate?: () => Promise<number | null>;
};

/** Fetches a page. Throws on failure. */
export type FetchPage<Row> = (request: GridPageRequest, signal: AbortSignal) => Promise<GridPage<Row>>;

/** State after a page was loaded. */
export type PagesState = {
  /** Number of matching rows; undefined if not counted yet. */
  total?: number | undefined;
  /** Approximate number of matching rows while they are counted. */
  estimate?: number | undefined;
  /** Error of the last failed page; undefined if no page is missing. */
  failure?: unknown;
  /** The total, if it was counted separately from a page. */
  counted?: number;
};

/** A page requested by AG Grid. */
type PageLoad<Row> = {
  offset: number;
  limit: number;
  sort: GridSort | undefined;
  /** `total` is the number of rows, once known. */
  succeed: (rows: Row[], total: number | undefined) => void;
  fail: () => void;
};

/** The server's maximum for `limit`. */
const pageMaximum = 500;
/** Duration of counting after which an estimate is requested. */
const estimateAfterMs = 300;

type RowFilter = Pick<GridListState, 'tab' | 'search' | 'filters'>;

export class GridPages<Row> {
  #filter: RowFilter;
  readonly #within: readonly GridCondition[];
  readonly #columns: readonly GridColumn<Row>[];
  readonly #fetchPage: FetchPage<Row>;
  readonly #onState: (state: PagesState) => void;
  readonly #failed = new Set<number>();
  #requests = new AbortController();
  #sort: GridSort | undefined;
  #total: number | undefined;
  #estimate: number | undefined;
  #counted = Promise.withResolvers<number | undefined>();
  #failure: unknown;

  /** `within` has conditions that are added to every request. */
  constructor(
    fetchPage: FetchPage<Row>,
    onState: (state: PagesState) => void,
    filter: RowFilter = { tab: undefined, search: '', filters: [] },
    within: readonly GridCondition[] = [],
    columns: readonly GridColumn<Row>[] = [],
  ) {
    this.#fetchPage = fetchPage;
    this.#onState = onState;
    this.#filter = filter;
    this.#within = within;
    this.#columns = columns;
  }

  /** Number of rows that match the current filters; undefined until counted. */
  get total(): number | undefined {
    return this.#total;
  }

  /** Resolves with `total` when it is counted, or with undefined if the filters change before that. */
  get counted(): Promise<number | undefined> {
    return this.#total === undefined ? this.#counted.promise : Promise.resolve(this.#total);
  }

  /** The current filters. Relative days depend on the current date. */
  get filterState(): GridFilterState {
    return this.#filterStateOf(this.#filter);
  }

  #filterStateOf({ tab, search, filters }: RowFilter): GridFilterState {
    const tabConditions: GridCondition[] =
      tab === undefined ? [] : [{ column: 'group', is: 'oneOf', values: [tab] }];
    return filterStateOf(search, [
      ...this.#within,
      ...tabConditions,
      ...conditionsOf(filters, this.#columns),
    ]);
  }

  /** Sets the filters for the next pages. Returns whether they differ from the previous filters. */
  setFilter(filter: RowFilter): boolean {
    const previous = JSON.stringify(this.filterState);
    this.#filter = filter;
    if (JSON.stringify(this.filterState) === previous) return false;
    this.#total = undefined;
    this.#estimate = undefined;
    this.#counted.resolve(undefined);
    this.#counted = Promise.withResolvers();
    this.restart();
    return true;
  }

  /** Aborts pending requests. */
  restart(): void {
    this.#requests.abort();
    this.#requests = new AbortController();
    this.#failed.clear();
  }

  /** Calls either `succeed` or `fail`, once. */
  async load({ offset, limit, sort, succeed, fail }: PageLoad<Row>): Promise<void> {
    const { signal } = this.#requests;
    this.#sort = sort;
    try {
      const { rows, total, count, estimate } = await this.#fetchPage(this.#requestOf(offset, limit), signal);
      if (signal.aborted) return fail();
      this.#failed.delete(offset);
      if (count && total === undefined) void this.#countBy(count, signal, estimate);
      // Without a total, a page that is not full is the last one.
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

  /** Fetches rows independently of the pages in the grid. */
  async rows(offset: number, count: number): Promise<Row[]> {
    const { signal } = this.#requests;
    const parts: Promise<GridPage<Row>>[] = [];
    for (let start = offset; start < offset + count; start += pageMaximum) {
      parts.push(
        this.#fetchPage(this.#requestOf(start, Math.min(pageMaximum, offset + count - start)), signal),
      );
    }
    return (await Promise.all(parts)).flatMap((part) => part.rows);
  }

  /** Counts the rows per value of a column, given the search, tab and filters of other columns. */
  async countValues(
    column: string,
    values: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const otherFilters = this.#filter.filters.filter((filter) => filter.column !== column);
    const counted = values.map(async (value) => {
      const filters = [...otherFilters, { column, is: 'oneOf' as const, values: [value] }];
      const filterState = this.#filterStateOf({ ...this.#filter, filters });
      const { total, count } = await this.#fetchPage({ offset: 0, limit: 0, ...filterState }, signal);
      return [value, total ?? (await count?.()) ?? 0] as const;
    });
    return new Map(await Promise.all(counted));
  }

  /** Counts the rows again. Needed after a refresh that does not request the first page, which includes the total. */
  async count(): Promise<void> {
    const { signal } = this.#requests;
    try {
      const { total, count } = await this.#fetchPage(this.#requestOf(0, 1), signal);
      await this.#countBy(async () => total ?? count?.(), signal);
    } catch {
      // The rows remain usable without a total.
    }
  }

  /** Failures are ignored: the grid finds the end of the list even without a total. */
  async #countBy(
    count: () => Promise<number | undefined>,
    signal: AbortSignal,
    estimate?: GridPage<Row>['estimate'],
  ): Promise<void> {
    const timer = setTimeout(() => void (estimate && this.#estimateBy(estimate, signal)), estimateAfterMs);
    const total = await count().catch(() => undefined);
    clearTimeout(timer);
    if (total === undefined || signal.aborted) return;
    this.#total = total;
    this.#report(total);
  }

  /** Failures are ignored, like those of the exact count. */
  async #estimateBy(estimate: () => Promise<number | null>, signal: AbortSignal): Promise<void> {
    if (this.#total !== undefined) return;
    const estimated = await estimate().catch(() => null);
    if (estimated === null || signal.aborted) return;
    this.#estimate = estimated;
    this.#report();
  }

  #requestOf(offset: number, limit: number): GridPageRequest {
    return { offset, limit, ...(this.#sort && { sort: this.#sort }), ...this.filterState };
  }

  #report(counted?: number): void {
    if (this.#total !== undefined) this.#counted.resolve(this.#total);
    this.#onState({
      total: this.#total,
      estimate: this.#total === undefined ? this.#estimate : undefined,
      failure: this.#failed.size > 0 ? this.#failure : undefined,
      ...(counted !== undefined && { counted }),
    });
  }
}
