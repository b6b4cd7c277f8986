/** Which rows of a grid the person has selected: one, all up to another, all that match. */
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

/** The selection of a grid's rows, and what clicks and keys do to it. */
export function useGridSelection<Row extends GridRow>(
  grid: RefObject<RunningGrid<Row> | null>,
  { pages }: GridRows<Row>,
) {
  const [selection] = useState(() => new RowSelection<Row>());
  const anchor = useRef<number>(null);

  /** Right after a change of filter, all that match it, once they are counted. */
  const selectAll = (all: boolean) => {
    anchor.current = null;
    if (!all) return selection.clear();
    const { question } = pages;
    void pages.counted.then((total) => total && selection.selectAll(question, total));
    return undefined;
  };

  const select = async (row: Row, index: number, range: boolean) => {
    const from = range ? (anchor.current ?? index) : index;
    anchor.current = index;
    const first = Math.min(from, index);
    const length = Math.abs(index - from) + 1;
    const { all } = selection.summary();
    if (length > singleRowsMaximum) return sayTooMany(all);
    try {
      const rows = length === 1 ? [row] : await rowsBetween(grid.current?.api, pages, first, length);
      // A range goes the way of the row that it starts at: out of all that match, or into the selection.
      const leave = length === 1 ? selection.has(row) : all;
      if (!(leave ? selection.remove(rows) : selection.add(rows))) sayTooMany(all);
    } catch (error) {
      toast.failure(describeFailure(error));
    }
  };

  return {
    selection,
    selectAll,
    select,
    /** The rows stand in another order: a range begins anew. */
    onReordered: () => {
      anchor.current = null;
    },
    /** There are other rows: "all that match" is no longer what was selected either. */
    onOtherRows: () => {
      anchor.current = null;
      if (selection.summary().all) selection.clear();
    },
  };
}

/** What the grid has of them, or all of them from the server. */
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

function sayTooMany(leavingOut: boolean): void {
  toast.failure(
    leavingOut
      ? t`You can deselect up to ${formatNumber(singleRowsMaximum)} rows one by one. To exclude more, narrow the list with filters.`
      : t`You can select up to ${formatNumber(singleRowsMaximum)} rows one by one. To select more, filter the list and select all matching rows.`,
  );
}
