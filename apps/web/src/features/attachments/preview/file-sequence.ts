/** The list that is on the screen, as a row of files to leaf through: what the preview's "next" and "previous" follow. */
import type { Attachment } from '@vestibule/contract/attachments';
import { Listeners } from '../../../ui/listeners.ts';

type Page = { rows: Attachment[]; total?: number; count?: () => Promise<number> };
type Question = { sort?: unknown; search?: string; filters?: readonly object[] };

export class FileSequence<Query extends Question & { offset: number; limit: number }> {
  readonly #ask: (query: Query, signal: AbortSignal) => Promise<Page>;
  readonly #rows = new Map<number, Attachment>();
  readonly #listeners = new Listeners();
  /** The question that was asked last. */
  #asked: string | null = null;
  /** The question of which the rows are. */
  #answered: string | null = null;
  #query: Query | null = null;
  #total = 0;
  #version = 0;

  constructor(fetchPage: (query: Query, signal: AbortSignal) => Promise<Page>) {
    this.#ask = fetchPage;
  }

  /** Fetches a page and remembers it, as long as the question stays the same. */
  readonly fetchPage = async (query: Query, signal: AbortSignal): Promise<Page> => {
    // Only counted, such as for a value of a filter: another question, and not the list's.
    if (query.limit === 0) return this.#ask(query, signal);
    const question = questionOf(query);
    this.#asked = question;
    const page = await this.#ask(query, signal);
    // A late answer: the list has been asked for otherwise since.
    if (question !== this.#asked) return page;
    if (question !== this.#answered) this.#rows.clear();
    this.#answered = question;
    this.#query = query;
    this.#remember(query, page);
    const { count } = page;
    if (!count) return page;
    return {
      ...page,
      count: async () => {
        const total = await count();
        if (question === this.#asked) {
          this.#total = total;
          this.#notify();
        }
        return total;
      },
    };
  };

  #remember({ offset, limit }: Query, { rows, total }: Page): void {
    // Until they are counted there are more, where a page is full.
    if (rows.length < limit) this.#total = offset + rows.length;
    else if (offset === 0) this.#total = total ?? Infinity;
    for (const [index, row] of rows.entries()) this.#rows.set(offset + index, row);
    this.#notify();
  }

  readonly watch = this.#listeners.watch;

  /** Another number after each change. */
  readonly version = (): number => this.#version;

  #notify(): void {
    this.#version += 1;
    this.#listeners.notify();
  }

  find(id: string): Attachment | undefined {
    return [...this.#rows.values()].find((row) => row.id === id);
  }

  /** Whether there is a file so many places on; false for one that is not in the list. */
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
    if (!this.#rows.has(offset)) {
      const question = this.#answered;
      const query = { ...this.#query, offset, limit: 1 };
      const page = await this.#ask(query, new AbortController().signal);
      if (question === this.#answered) this.#remember(query, page);
    }
    // Meanwhile the list may be another, or the file in another place of it.
    const place = this.#indexOf(id);
    return place === undefined ? undefined : this.#rows.get(place + step);
  }

  #indexOf(id: string): number | undefined {
    return [...this.#rows].find(([, row]) => row.id === id)?.[0];
  }
}

function questionOf({ sort, search, filters }: Question): string {
  return JSON.stringify([sort, search, filters]);
}
