// Which rows are selected, on whatever page they are: single ones by id, or all that match a question.
import type { GridFilter, GridQuestion } from './grid-query.ts';

/** The rows that are selected, as the contract's `Selection`: single ones, or all that match. */
export type GridSelection =
  | { ids: string[] }
  | { all: { search?: string; filters?: GridFilter[]; total: number } };

/** What a bulk action is given. */
export interface SelectedRows<Row> {
  /** For the server: the body of `POST /api/<area>/actions`. */
  selection: GridSelection;
  /** How many they are. */
  count: number;
  /** Those that the browser knows: every one where single rows are selected, none of "all that match". */
  rows: readonly Row[];
  /** Selects nothing any more; to be called once the action is done. */
  clear: () => void;
}

/** The most rows that are selected one by one; the contract's limit. */
export const singleRowsMaximum = 1_000;

/** What the bar above the rows says. */
export interface SelectionSummary {
  readonly count: number;
  /** All that match, not single rows. */
  readonly all: boolean;
}

const nothing: SelectionSummary = { count: 0, all: false };

/** A store that every check box listens to by itself, so that a selection renders no rows again. */
export class RowSelection<Row> {
  readonly #rowId: (row: Row) => string;
  readonly #rows = new Map<string, Row>();
  #all: { question: GridQuestion; total: number } | null = null;
  #summary = nothing;
  readonly #listeners = new Set<() => void>();

  constructor(rowId: (row: Row) => string) {
    this.#rowId = rowId;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly summary = (): SelectionSummary => this.#summary;

  has(row: Row): boolean {
    return this.#all !== null || this.#rows.has(this.#rowId(row));
  }

  /** A row has been fetched again: what is known of it is new. */
  renew(row: Row): void {
    const id = this.#rowId(row);
    if (this.#rows.has(id)) this.#rows.set(id, row);
  }

  /** Answers false, and changes nothing, where that would be too many single rows. */
  add(rows: readonly Row[]): boolean {
    const fresh = rows.filter((row) => !this.#rows.has(this.#rowId(row)));
    if (this.#rows.size + fresh.length > singleRowsMaximum) return false;
    for (const row of fresh) this.#rows.set(this.#rowId(row), row);
    this.#tell();
    return true;
  }

  remove(row: Row): void {
    if (this.#rows.delete(this.#rowId(row))) this.#tell();
  }

  selectAll(question: GridQuestion, total: number): void {
    this.#rows.clear();
    this.#all = { question, total };
    this.#tell();
  }

  /** In place of "all that match". */
  selectOnly(rows: readonly Row[]): boolean {
    if (rows.length > singleRowsMaximum) return false;
    this.#all = null;
    this.#rows.clear();
    return this.add(rows);
  }

  clear(): void {
    if (this.#summary.count === 0) return;
    this.#rows.clear();
    this.#all = null;
    this.#tell();
  }

  /** The selection as an action is given it. */
  selected(): SelectedRows<Row> {
    const { count } = this.#summary;
    const clear = () => this.clear();
    if (!this.#all) {
      return { selection: { ids: [...this.#rows.keys()] }, count, rows: [...this.#rows.values()], clear };
    }
    const { question, total } = this.#all;
    const { search, filters } = question;
    const all = { ...(search && { search }), ...(filters && { filters: [...filters] }), total };
    return { selection: { all }, count, rows: [], clear };
  }

  #tell(): void {
    const count = this.#all?.total ?? this.#rows.size;
    this.#summary = count === 0 ? nothing : { count, all: this.#all !== null };
    for (const listener of this.#listeners) listener();
  }
}
