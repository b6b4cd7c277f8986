/** The files of the displayed list in order, for "next" and "previous" in the preview. */
import type { Attachment } from '@vestibule/contract/attachments';
import { Listeners } from '../../../ui/listeners.ts';

type Page = { rows: Attachment[]; total?: number; count?: () => Promise<number> };
type FilterState = { sort?: unknown; search?: string; filters?: readonly object[] };

export class FileSequence<Query extends FilterState & { offset: number; limit: number }> {
  readonly #fetch: (query: Query, signal: AbortSignal) => Promise<Page>;
  readonly #rows = new Map<number, Attachment>();
  readonly #listeners = new Listeners();
  /** Key of the latest request. */
  #latestKey: string | null = null;
  /** Key of the request that returned `#rows`. */
  #rowsKey: string | null = null;
  #query: Query | null = null;
  #total = 0;
  #version = 0;

  constructor(fetchPage: (query: Query, signal: AbortSignal) => Promise<Page>) {
    this.#fetch = fetchPage;
  }

  /** Fetches a page and stores its rows unless the filters have changed meanwhile. */
  readonly fetchPage = async (query: Query, signal: AbortSignal): Promise<Page> => {
    // This query only counts rows, for example those of a filter value, and fetches no page of the list.
    if (query.limit === 0) return this.#fetch(query, signal);
    const key = filterKey(query);
    this.#latestKey = key;
    const page = await this.#fetch(query, signal);
    // The filters have changed.
    if (key !== this.#latestKey) return page;
    if (key !== this.#rowsKey) this.#rows.clear();
    this.#rowsKey = key;
    this.#query = query;
    this.#store(query, page);
    const { count } = page;
    if (!count) return page;
    return {
      ...page,
      count: async () => {
        const total = await count();
        if (key === this.#latestKey) {
          this.#total = total;
          this.#notify();
        }
        return total;
      },
    };
  };

  #store({ offset, limit }: Query, { rows, total }: Page): void {
    // Without a total, a full page means that there are more rows.
    if (rows.length < limit) this.#total = offset + rows.length;
    else if (offset === 0) this.#total = total ?? Infinity;
    for (const [index, row] of rows.entries()) this.#rows.set(offset + index, row);
    this.#notify();
  }

  readonly watch = this.#listeners.watch;

  /** Changes with each update. */
  readonly version = (): number => this.#version;

  #notify(): void {
    this.#version += 1;
    this.#listeners.notify();
  }

  find(id: string): Attachment | undefined {
    return [...this.#rows.values()].find((row) => row.id === id);
  }

  /** Returns whether there is an adjacent file. False for a file outside of the list. */
  has(id: string, step: 1 | -1): boolean {
    const index = this.#indexOf(id);
    return index !== undefined && index + step >= 0 && index + step < this.#total;
  }

  /** Returns the adjacent file, from the server if it is not loaded. */
  async neighbor(id: string, step: 1 | -1): Promise<Attachment | undefined> {
    const index = this.#indexOf(id);
    if (index === undefined || !this.#query) return undefined;
    const offset = index + step;
    if (offset < 0 || offset >= this.#total) return undefined;
    if (!this.#rows.has(offset)) {
      const key = this.#rowsKey;
      const query = { ...this.#query, offset, limit: 1 };
      const page = await this.#fetch(query, new AbortController().signal);
      if (key === this.#rowsKey) this.#store(query, page);
    }
    // The list may have changed, or the position of the file in it.
    const place = this.#indexOf(id);
    return place === undefined ? undefined : this.#rows.get(place + step);
  }

  #indexOf(id: string): number | undefined {
    return [...this.#rows].find(([, row]) => row.id === id)?.[0];
  }
}

function filterKey({ sort, search, filters }: FilterState): string {
  return JSON.stringify([sort, search, filters]);
}
