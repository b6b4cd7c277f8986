import { useImperativeHandle, type RefObject } from 'react';
import type { RunningGrid } from './editions/grid-edition.ts';
import type { DataGridProps } from './grid-props.ts';
import { parseListState } from './rows/grid-address.ts';
import type { GridRow } from './rows/grid-pages.ts';
import { knownFilters, knownOrder } from './rows/grid-query.ts';
import type { GridServer } from './rows/grid-server.ts';
import { useGridFilters } from './rows/use-grid-filters.ts';
import { useGridRows } from './rows/use-grid-rows.ts';
import { useGridSelection } from './selection/use-grid-selection.ts';
import type { GridTab } from './tabs/grid-tabs.tsx';
import { useTabCounts } from './tabs/use-tab-counts.ts';

const noTabs: readonly GridTab[] = [];

type ListProps<Row extends GridRow> = Pick<
  DataGridProps<Row>,
  'source' | 'columns' | 'address' | 'tabs' | 'ref'
>;

/** Combines filters, rows, selection and tab counts of a grid. */
export function useGridList<Row extends GridRow>(
  { source, columns, address, tabs = noTabs, ref }: ListProps<Row>,
  {
    grid,
    server,
    onAnswer,
  }: {
    grid: RefObject<RunningGrid<Row> | null>;
    server: GridServer | null;
    /** Called when the grid has received rows. */
    onAnswer: () => void;
  },
) {
  const state = parseListState(address?.current ?? {}, source.sort);
  state.filters = knownFilters(columns, state.filters);
  state.order = knownOrder(columns, state.order) ?? source.sort;
  state.tab = tabs.find(({ id }) => id === state.tab)?.id;
  const rows = useGridRows({ grid, source, initial: state, onAnswer });
  const { onReordered, onOtherRows, ...selectionControls } = useGridSelection(grid, rows);
  const controls = useGridFilters({
    grid,
    pages: rows.pages,
    addressState: state,
    onAddressChange: address?.onChange,
    defaultSort: source.sort,
    onReordered,
    onOtherRows,
  });
  /** Applies the typed search before selecting all rows. */
  const selectAll = (all: boolean) => {
    controls.search();
    selectionControls.selectAll(all);
  };
  const { counts, recount } = useTabCounts({ ...source, server });
  const refresh = () => {
    rows.refresh();
    recount();
  };
  useImperativeHandle(ref, () => ({ refresh }));
  return { ...rows, ...selectionControls, selectAll, refresh, controls, tabs: { tabs, counts } };
}
