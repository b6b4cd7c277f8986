import { useImperativeHandle, type RefObject } from 'react';
import type { RunningGrid } from './editions/grid-edition.ts';
import type { DataGridProps } from './grid-props.ts';
import { askedBy } from './rows/grid-address.ts';
import type { GridRow } from './rows/grid-pages.ts';
import { knownFilters, knownOrder } from './rows/grid-query.ts';
import type { GridServer } from './rows/grid-server.ts';
import { useGridQuestion } from './rows/use-grid-filters.ts';
import { useGridRows } from './rows/use-grid-rows.ts';
import { useGridSelection } from './selection/use-grid-selection.ts';
import type { GridTab } from './tabs/grid-tabs.tsx';
import { useTabCounts } from './tabs/use-tab-counts.ts';

const noTabs: readonly GridTab[] = [];

type ListProps<Row extends GridRow> = Pick<
  DataGridProps<Row>,
  'source' | 'columns' | 'address' | 'tabs' | 'ref'
>;

/** The list of a grid: what is asked for, its rows, which of them are selected, and how many each tab has. */
export function useGridList<Row extends GridRow>(
  { source, columns, address, tabs = noTabs, ref }: ListProps<Row>,
  {
    grid,
    server,
    onAnswer,
  }: {
    grid: RefObject<RunningGrid<Row> | null>;
    server: GridServer | null;
    /** Called after every answer, when the grid has its rows. */
    onAnswer: () => void;
  },
) {
  const given = askedBy(address?.current ?? {}, source.sort);
  given.filters = knownFilters(columns, given.filters);
  given.order = knownOrder(columns, given.order) ?? source.sort;
  given.tab = tabs.find(({ id }) => id === given.tab)?.id;
  const rows = useGridRows({ grid, source, asked: given, onAnswer });
  const { onReordered, onOtherRows, ...selecting } = useGridSelection(grid, rows);
  const question = useGridQuestion({
    grid,
    pages: rows.pages,
    given,
    onGiven: address?.onChange,
    usual: source.sort,
    onReordered,
    onOtherRows,
  });
  /** Of what is typed, though nobody was asked for it yet. */
  const selectAll = (all: boolean) => {
    question.search();
    selecting.selectAll(all);
  };
  const { counts, recount } = useTabCounts({ ...source, server });
  const refresh = () => {
    rows.refresh();
    recount();
  };
  useImperativeHandle(ref, () => ({ refresh }));
  return { ...rows, ...selecting, selectAll, refresh, question, tabs: { tabs, counts } };
}
