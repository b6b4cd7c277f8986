/** The list that is on the screen, as a row of files to leaf through: what the preview's "next" and "previous" follow. */
import type { Attachment } from '@vestibule/contract/attachments';

type Page = { rows: Attachment[]; total?: number; count?: () => Promise<number> };
type Question = { sort?: unknown; search?: string; filters?: readonly object[] };

export class FileSequence<Query extends Question & { offset: number; limit: number }> {
  readonly #fetchPage: (query: Query, signal: AbortSignal) => Promise<Page>;
  readonly #rows = new Map<number, Attachment>();
  #query: Query | null = null;
  #total = 0;

  constructor(fetchPage: (query: Query, signal: AbortSignal) => Promise<Page>) {
    this.#fetchPage = fetchPage;
  }

  /** Fetches a page and remembers it, as long as the question stays the same. */
  readonly fetchPage = async (query: Query, signal: AbortSignal): Promise<Page> => {
    const page = await this.#fetchPage(query, signal);
    // Only counted, such as for a value of a filter: another question, and not the list's.
    if (query.limit === 0) return page;
    if (questionOf(query) !== questionOf(this.#query)) this.#rows.clear();
    this.#query = query;
    // Until they are counted there are more, where a page is full.
    if (page.rows.length < query.limit) this.#total = query.offset + page.rows.length;
    else if (query.offset === 0) this.#total = page.total ?? Infinity;
    for (const [index, row] of page.rows.entries()) this.#rows.set(query.offset + index, row);
    if (!page.count) return page;
    const { count } = page;
    return { ...page, count: async () => (this.#total = await count()) };
  };

  find(id: string): Attachment | undefined {
    return [...this.#rows.values()].find((row) => row.id === id);
  }

  /** Whether there is a file so many places on; undefined for one that was not in the list. */
  has(id: string, step: 1 | -1): boolean {
    const index = this.#indexOf(id);
    return index !== undefined && index + step >= 0 && index + step < this.#total;
  }

  /** The file so many places on, from the server where it is not known yet. */
  async beside(id: string, step: 1 | -1): Promise<Attachment | undefined> {
    const index = this.#indexOf(id);
    if (index === undefined || !this.#query) return undefined;
    const offset = index + step;
    if (offset < 0 || offset >= this.#total) return undefined;
    if (!this.#rows.has(offset))
      await this.fetchPage({ ...this.#query, offset, limit: 1 }, new AbortController().signal);
    return this.#rows.get(offset);
  }

  #indexOf(id: string): number | undefined {
    return [...this.#rows].find(([, row]) => row.id === id)?.[0];
  }
}

function questionOf(query: Question | null): string {
  return JSON.stringify([query?.sort, query?.search, query?.filters]);
}
