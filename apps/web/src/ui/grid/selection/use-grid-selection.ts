import { t } from '@lingui/core/macro';
import type { GridApi } from 'ag-grid-community';
import { useRef, useState, type RefObject } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { formatNumber } from '../../../language/formats.ts';
import type { RunningGrid } from '../editions/grid-edition.ts';
import type { GridPages, GridRow } from '../rows/grid-pages.ts';
import type { GridRows } from '../rows/use-grid-rows.ts';
import { RowSelection, singleRowsMaximum } from './grid-selection.ts';
import { toast } from '../../toast/toast.tsx';

/** Selection of a grid's rows by clicks and keys. */
export function useGridSelection<Row extends GridRow>(
  grid: RefObject<RunningGrid<Row> | null>,
  { pages }: GridRows<Row>,
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
      if (!(isRemoved ? selection.remove(rows) : selection.add(rows))) showTooManyRows(all);
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
