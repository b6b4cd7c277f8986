/** The list that is on the screen, as a row of files to leaf through: what the preview's "next" and "previous" follow. */
import type { Attachment } from '@vestibule/contract/attachments';

type Page = { rows: Attachment[]; total?: number; count?: () => Promise<number> };
type Question = { sort?: unknown; search?: string; filters?: readonly object[] };

export class FileSequence<Query extends Question & { offset: number; limit: number }> {
  readonly #ask: (query: Query, signal: AbortSignal) => Promise<Page>;
  readonly #rows = new Map<number, Attachment>();
  readonly #watchers = new Set<() => void>();
  /** The question that was asked last, and that what is known answers. */
  #asked: string | null = null;
  #answered: string | null = null;
  #query: Query | null = null;
  #total = 0;
  #version = 0;

  constructor(fetchPage: (query: Query, signal: AbortSignal) => Promise<Page>) {
    this.#ask = fetchPage;
  }

  /** Fetches a page and remembers it, as long as the question stays the same. */
  readonly fetchPage = (query: Query, signal: AbortSignal): Promise<Page> => {
    // Only counted, such as for a value of a filter: another question, and not the list's.
    if (query.limit === 0) return this.#ask(query, signal);
    this.#asked = questionOf(query);
    return this.#fetch(query, signal);
  };

  async #fetch(query: Query, signal: AbortSignal): Promise<Page> {
    const page = await this.#ask(query, signal);
    const question = questionOf(query);
    // A late answer: the list has been asked for otherwise since.
    if (question !== this.#asked) return page;
    if (question !== this.#answered) this.#rows.clear();
    this.#answered = question;
    this.#query = query;
    // Until they are counted there are more, where a page is full.
    if (page.rows.length < query.limit) this.#total = query.offset + page.rows.length;
    else if (query.offset === 0) this.#total = page.total ?? Infinity;
    for (const [index, row] of page.rows.entries()) this.#rows.set(query.offset + index, row);
    this.#tell();
    const { count } = page;
    if (!count) return page;
    return {
      ...page,
      count: async () => {
        const total = await count();
        if (question === this.#asked) {
          this.#total = total;
          this.#tell();
        }
        return total;
      },
    };
  }

  /** Calls `watcher` after each change, until the function that it gives is called. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  };

  /** Another number after each change. */
  readonly version = (): number => this.#version;

  #tell(): void {
    this.#version += 1;
    for (const watcher of this.#watchers) watcher();
  }

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
    const { signal } = new AbortController();
    if (!this.#rows.has(offset)) await this.#fetch({ ...this.#query, offset, limit: 1 }, signal);
    // Meanwhile another list may have come.
    return this.#indexOf(id) === index ? this.#rows.get(offset) : undefined;
  }

  #indexOf(id: string): number | undefined {
    return [...this.#rows].find(([, row]) => row.id === id)?.[0];
  }
}

function questionOf({ sort, search, filters }: Question): string {
  return JSON.stringify([sort, search, filters]);
}
