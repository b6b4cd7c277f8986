/** Which rows are selected, on whatever page they are: single ones by id, or all that match a question. */
import { Listeners } from '../../listeners.ts';
import type { GridRow } from '../rows/grid-pages.ts';
import type { GridCondition, GridQuestion } from '../rows/grid-query.ts';

/** The rows that are selected, as the contract's `Selection`: single ones, or all that match (but some). */
export type GridSelection =
  | { ids: string[] }
  | { all: { search?: string; filters?: GridCondition[]; except?: string[]; total: number } };

/** What a bulk action is given. */
export type SelectedRows<Row> = {
  /** For the server: the body of `POST /api/<area>/actions`. */
  selection: GridSelection;
  /** How many they are. */
  count: number;
  /** Those that the browser knows: every one where single rows are selected, none of "all that match". */
  rows: readonly Row[];
  /** Of how many others of the selected ones why nothing is done to them, in words (left-out.ts). */
  leftOut?: readonly string[];
  /** Selects nothing any more; to be called once the action is done. */
  clear: () => void;
};

/** The most rows that are selected, or left out of all that match, one by one; the contract's limit. */
export const singleRowsMaximum = 1_000;

/** What the bar above the rows says. */
type SelectionSummary = {
  readonly count: number;
  /** All that match, not single rows. */
  readonly all: boolean;
  /** How many of all that match are left out. */
  readonly except: number;
};

const nothing: SelectionSummary = { count: 0, all: false, except: 0 };

/** A store that every check box listens to by itself, so that a selection renders no rows again. */
export class RowSelection<Row extends GridRow> {
  /** The selected ones; while all that match are selected, those that are left out. */
  readonly #single = new Map<string, Row>();
  #all: { question: GridQuestion; total: number } | null = null;
  #summary = nothing;
  readonly #listeners = new Listeners();

  readonly subscribe = this.#listeners.watch;

  readonly summary = (): SelectionSummary => this.#summary;

  has(row: Row): boolean {
    return (this.#all !== null) !== this.#single.has(idOf(row));
  }

  /** A row has been fetched again: what is known of it is new. */
  renew(row: Row): void {
    const known = this.#single.get(idOf(row));
    if (known === undefined || known === row) return;
    this.#single.set(idOf(row), row);
    this.#tell();
  }

  /** Answers false, and changes nothing, where that would be too many single rows. */
  add(rows: readonly Row[]): boolean {
    return this.#all ? this.#forget(rows) : this.#name(rows);
  }

  /** As `add`: too many cannot be left out of all that match. */
  remove(rows: readonly Row[]): boolean {
    return this.#all ? this.#name(rows) : this.#forget(rows);
  }

  selectAll(question: GridQuestion, total: number): void {
    this.#single.clear();
    this.#all = { question, total };
    this.#tell();
  }

  clear(): void {
    if (this.#summary === nothing) return;
    this.#single.clear();
    this.#all = null;
    this.#tell();
  }

  /** The selection as an action is given it. */
  selected(): SelectedRows<Row> {
    const { count } = this.#summary;
    const ids = [...this.#single.keys()];
    const rows = [...this.#single.values()];
    // What is ticked after it was given stays.
    if (!this.#all)
      return { selection: { ids }, count, rows, clear: () => void (this.#all ?? this.#forget(rows)) };
    const { question, total } = this.#all;
    const { search, filters } = question;
    const all = {
      ...(search && { search }),
      ...(filters && { filters: [...filters] }),
      ...(ids.length > 0 && { except: ids }),
      total,
    };
    return { selection: { all }, count, rows: [], clear: () => this.clear() };
  }

  #name(rows: readonly Row[]): boolean {
    const fresh = rows.filter((row) => !this.#single.has(idOf(row)));
    if (this.#single.size + fresh.length > singleRowsMaximum) return false;
    for (const row of fresh) this.#single.set(idOf(row), row);
    if (fresh.length > 0) this.#tell();
    return true;
  }

  #forget(rows: readonly Row[]): true {
    const known = rows.filter((row) => this.#single.delete(idOf(row)));
    if (known.length > 0) this.#tell();
    return true;
  }

  #tell(): void {
    const { size } = this.#single;
    const count = this.#all ? this.#all.total - size : size;
    if (count <= 0) {
      this.#all = null;
      this.#single.clear();
    }
    this.#summary = count <= 0 ? nothing : { count, all: this.#all !== null, except: this.#all ? size : 0 };
    this.#listeners.tell();
  }
}

const idOf = ({ id }: GridRow) => String(id);
