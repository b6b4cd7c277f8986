// The bridge between AG Grid's infinite row model and a function that fetches one page. Not for how a grid looks.
import type { IDatasource, IGetRowsParams } from 'ag-grid-community';
import type { GridQuery } from './grid-query.ts';

/** The rows of a page; `total` counts all that match, where the server knows. */
export interface GridPage<Row> {
  rows: Row[];
  total?: number;
}

/** Fetches a page. Throws when it could not; stops early when the signal says so. */
export type FetchPage<Row> = (query: GridQuery, signal: AbortSignal) => Promise<GridPage<Row>>;

/** What became of the pages asked for, told after every answer. */
export interface PagesState {
  /** All rows that match, or undefined while that is unknown. */
  total?: number | undefined;
  /** Why some of the pages asked for are missing; undefined when none is. */
  failure?: unknown;
}

/** Turns `fetchPage` into AG Grid's data source and keeps account of what failed. */
export class GridPages<Row> implements IDatasource {
  #search: string;
  readonly #fetchPage: FetchPage<Row>;
  readonly #tell: (state: PagesState) => void;
  readonly #failed = new Set<number>();
  #asked = new AbortController();
  #total: number | undefined;
  #failure: unknown;

  constructor(fetchPage: FetchPage<Row>, tell: (state: PagesState) => void, search: string) {
    this.#fetchPage = fetchPage;
    this.#tell = tell;
    this.#search = search.trim();
  }

  /** The words that the pages are searched for, trimmed. */
  get search(): string {
    return this.#search;
  }

  /** Searches for other words from the next page on; answers whether they are others. */
  searchFor(words: string): boolean {
    if (words.trim() === this.#search) return false;
    this.#search = words.trim();
    this.restart();
    return true;
  }

  /** Gives up what is under way: the question has changed, so its answers are of no use. */
  restart(): void {
    this.#asked.abort();
    this.#asked = new AbortController();
    this.#failed.clear();
  }

  /** Called by AG Grid when the grid goes away. */
  destroy(): void {
    this.#asked.abort();
  }

  getRows(params: IGetRowsParams): void {
    void this.#load(params);
  }

  async #load(params: IGetRowsParams): Promise<void> {
    const { startRow, endRow, sortModel } = params;
    const { signal } = this.#asked;
    const [sort] = sortModel;
    const query: GridQuery = { offset: startRow, limit: endRow - startRow };
    if (sort) query.sort = { column: sort.colId, direction: sort.sort };
    if (this.#search) query.search = this.#search;
    try {
      const { rows, total } = await this.#fetchPage(query, signal);
      if (signal.aborted) return params.failCallback();
      this.#failed.delete(startRow);
      // Without a total the end is known once a page comes back short.
      const end = total ?? (rows.length < query.limit ? startRow + rows.length : undefined);
      params.successCallback(rows, end);
      this.#total = end ?? this.#total;
    } catch (error) {
      params.failCallback();
      if (signal.aborted) return;
      this.#failed.add(startRow);
      this.#failure = error;
    }
    this.#report();
  }

  #report(): void {
    this.#tell({ total: this.#total, failure: this.#failed.size > 0 ? this.#failure : undefined });
  }
}
