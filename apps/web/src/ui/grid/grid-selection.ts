import { t } from '@lingui/core/macro';
import type { GridApi } from 'ag-grid-community';
import { useRef, useState, type RefObject, type ClipboardEvent } from 'react';
import { formatTabSeparated, escapeFormulas } from '@vestibule/contract/rules/spreadsheet-text';
import { Listeners } from '../listeners.ts';
import type { GridRow, GridPages } from './grid-pages.ts';
import type { GridCondition, GridFilterState } from './grid-query.ts';
import { describeFailure } from '../../language/call-failure.ts';
import { formatNumber } from '../../language/formats.ts';
import type { RunningGrid } from './editions/grid-edition.ts';
import { toast } from '../toast/toast.tsx';
import { cellText, type GridColumn } from './grid-column.ts';
import { exportColumns, type GridColumns } from './grid-layout.ts';

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

  /** Selects or deselects rows. Returns false and changes nothing if more than the maximum would be stored. */
  set(rows: readonly Row[], selected: boolean): boolean {
    if (selected === (this.#all !== null)) for (const row of rows) this.#single.delete(idOf(row));
    else {
      const added = rows.filter((row) => !this.#single.has(idOf(row)));
      if (this.#single.size + added.length > singleRowsMaximum) return false;
      for (const row of added) this.#single.set(idOf(row), row);
    }
    this.#notify();
    return true;
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
      return { selection: { ids }, count, rows, clear: () => void (this.#all ?? this.set(rows, false)) };
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

/** Selection of a grid's rows by clicks and keys. */
export function useGridSelection<Row extends GridRow>(
  grid: RefObject<RunningGrid<Row> | null>,
  pages: GridPages<Row>,
) {
  const [selection] = useState(() => new RowSelection<Row>());
  const anchor = useRef<number>(null);

  /** Selects all rows or none. Waits for the total, which is unknown right after a change of the filters. */
  const selectAll = (all: boolean) => {
    anchor.current = null;
    if (!all) return selection.clear();
    const { filterState } = pages;
    void pages.counted.then((total) => total && selection.selectAll(filterState, total));
    return undefined;
  };

  const select = async (row: Row, index: number, range: boolean) => {
    const from = range ? (anchor.current ?? index) : index;
    anchor.current = index;
    const first = Math.min(from, index);
    const length = Math.abs(index - from) + 1;
    const { all } = selection.summary();
    if (length > singleRowsMaximum) return showTooManyRows(all);
    try {
      const rows = length === 1 ? [row] : await rowsBetween(grid.current?.api, pages, first, length);
      // A range is deselected if all matching rows are selected; otherwise the range is selected.
      const isRemoved = length === 1 ? selection.has(row) : all;
      if (!selection.set(rows, !isRemoved)) showTooManyRows(all);
    } catch (error) {
      toast.failure(describeFailure(error));
    }
  };

  return {
    selection,
    selectAll,
    select,
    /** Resets the start of a range, because rows have moved. */
    onReordered: () => {
      anchor.current = null;
    },
    /** Resets the start of a range and clears "all matching", because other rows match now. */
    onOtherRows: () => {
      anchor.current = null;
      if (selection.summary().all) selection.clear();
    },
  };
}

/** Returns the rows between two positions: from the grid if all of them are loaded, otherwise from the server. */
async function rowsBetween<Row>(
  api: GridApi<Row> | undefined,
  pages: GridPages<Row>,
  first: number,
  length: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let index = first; index < first + length; index += 1) {
    const row = api?.getDisplayedRowAtIndex(index)?.data;
    if (row === undefined) return pages.rows(first, length);
    rows.push(row);
  }
  return rows;
}

function showTooManyRows(isDeselecting: boolean): void {
  toast.failure(
    isDeselecting
      ? t`You can deselect up to ${formatNumber(singleRowsMaximum)} rows one by one. To exclude more, narrow the list with filters.`
      : t`You can select up to ${formatNumber(singleRowsMaximum)} rows one by one. To select more, filter the list and select all matching rows.`,
  );
}

type CopySource<Row extends GridRow> = {
  selection: RowSelection<Row>;
  grid: RunningGrid<Row> | null;
  columns: GridColumns<Row>;
  /** Returns a count in words: "3 people". */
  countOf: (count: number) => string;
};

/** Copies the selected rows, or the focused cell, unless the browser or AG Grid copies something itself. */
export function copyRows<Row extends GridRow>(
  event: ClipboardEvent,
  { selection, grid, columns, countOf }: CopySource<Row>,
): void {
  if (!(event.target instanceof Element) || !event.target.closest('.grid-body')) return;
  if (window.getSelection()?.type === 'Range') return;
  const { count, all } = selection.summary();
  if (all) {
    toast.failure(t`That is too many rows to copy. Export them, or select fewer.`);
    return;
  }
  const seen = exportColumns(columns.placed);
  const text = count > 0 ? rowsAsText(seen, selection.selected().rows) : focusedText(grid, columns);
  if (text === null) return;
  if (count > 0) toast.success(t`Copied ${countOf(count)}.`);
  event.preventDefault();
  event.clipboardData.setData('text/plain', text);
}

function focusedText<Row>(grid: RunningGrid<Row> | null, { defined }: GridColumns<Row>): string | null {
  const focused = grid?.api.getFocusedCell();
  if (!focused || grid?.edition.name === 'enterprise') return null;
  const row = grid?.api.getDisplayedRowAtIndex(focused.rowIndex)?.data;
  if (row === undefined) return null;
  const column = defined.find(({ id }) => id === focused.column.getColId()) ?? defined[0];
  return column ? escapeFormulas(cellText(column, row)) : null;
}

export const rowsAsText = <Row>(columns: readonly GridColumn<Row>[], rows: readonly Row[]): string =>
  formatTabSeparated(rows.map((row) => columns.map((column) => cellText(column, row))));
