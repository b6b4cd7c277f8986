import { Listeners } from '../../listeners.ts';
import type { GridRow } from '../rows/grid-pages.ts';
import type { GridCondition, GridFilterState } from '../rows/grid-query.ts';

/** Selected rows in the form of the contract's `Selection`. */
export type GridSelection =
  | { ids: string[] }
  | { all: { search?: string; filters?: GridCondition[]; except?: string[]; total: number } };

/** Argument of a bulk action. */
export type SelectedRows<Row> = {
  /** For the body of `POST /api/<area>/actions`. */
  selection: GridSelection;
  count: number;
  /** The selected rows if they were selected individually; empty for "all matching". */
  rows: readonly Row[];
  /** Reasons why other selected rows are skipped, with their counts. */
  skipReasons?: readonly string[];
  /** Clears the selection. Call it when the action is done. */
  clear: () => void;
};

/** Maximum number of individually selected, or deselected, rows. Limit of the contract. */
export const singleRowsMaximum = 1_000;

type SelectionSummary = {
  readonly count: number;
  /** Whether all matching rows are selected, apart from deselected ones. */
  readonly all: boolean;
  /** Number of deselected rows. */
  readonly except: number;
};

const noSelection: SelectionSummary = { count: 0, all: false, except: 0 };

/** Store of the selection. Check boxes subscribe to it, so that a change does not render all rows. */
export class RowSelection<Row extends GridRow> {
  /** The selected rows; if all matching rows are selected, the deselected ones. */
  readonly #single = new Map<string, Row>();
  #all: { filterState: GridFilterState; total: number } | null = null;
  #summary = noSelection;
  readonly #listeners = new Listeners();

  readonly subscribe = this.#listeners.watch;

  readonly summary = (): SelectionSummary => this.#summary;

  has(row: Row): boolean {
    return (this.#all !== null) !== this.#single.has(idOf(row));
  }

  /** Replaces the stored data of a selected row. */
  refreshRow(row: Row): void {
    const removed = this.#single.get(idOf(row));
    if (removed === undefined || removed === row) return;
    this.#single.set(idOf(row), row);
    this.#notify();
  }

  /** Selects rows. Returns false and changes nothing if the maximum would be exceeded. */
  add(rows: readonly Row[]): boolean {
    return this.#all ? this.#removeIds(rows) : this.#addIds(rows);
  }

  /** Deselects rows. Returns false and changes nothing if the maximum of deselected rows would be exceeded. */
  remove(rows: readonly Row[]): boolean {
    return this.#all ? this.#addIds(rows) : this.#removeIds(rows);
  }

  selectAll(filterState: GridFilterState, total: number): void {
    this.#single.clear();
    this.#all = { filterState, total };
    this.#notify();
  }

  clear(): void {
    if (this.#summary === noSelection) return;
    this.#single.clear();
    this.#all = null;
    this.#notify();
  }

  /** Returns a snapshot of the selection. */
  selected(): SelectedRows<Row> {
    const { count } = this.#summary;
    const ids = [...this.#single.keys()];
    const rows = [...this.#single.values()];
    // Rows that were selected after the snapshot stay selected.
    if (!this.#all)
      return { selection: { ids }, count, rows, clear: () => void (this.#all ?? this.#removeIds(rows)) };
    const { filterState, total } = this.#all;
    const { search, filters } = filterState;
    const all = {
      ...(search && { search }),
      ...(filters && { filters: [...filters] }),
      ...(ids.length > 0 && { except: ids }),
      total,
    };
    return { selection: { all }, count, rows: [], clear: () => this.clear() };
  }

  #addIds(rows: readonly Row[]): boolean {
    const added = rows.filter((row) => !this.#single.has(idOf(row)));
    if (this.#single.size + added.length > singleRowsMaximum) return false;
    for (const row of added) this.#single.set(idOf(row), row);
    if (added.length > 0) this.#notify();
    return true;
  }

  #removeIds(rows: readonly Row[]): true {
    const removed = rows.filter((row) => this.#single.delete(idOf(row)));
    if (removed.length > 0) this.#notify();
    return true;
  }

  #notify(): void {
    const { size } = this.#single;
    const count = this.#all ? this.#all.total - size : size;
    if (count <= 0) {
      this.#all = null;
      this.#single.clear();
    }
    this.#summary =
      count <= 0 ? noSelection : { count, all: this.#all !== null, except: this.#all ? size : 0 };
    this.#listeners.notify();
  }
}

const idOf = ({ id }: GridRow) => String(id);
