/** Tab, search, filters and order of a grid, synchronized with the URL. */
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import type { RunningGrid } from '../editions/grid-edition.ts';
import { addressOf, parseListState, type GridAddress, type GridListState } from './grid-address.ts';
import type { GridPages } from './grid-pages.ts';
import type { GridFilter, GridFilterState, GridSort } from './grid-query.ts';

/** Delay between typing and searching, in milliseconds. */
const searchDelayMs = 120;

export type FilterControls = {
  tab: string | undefined;
  /** Text of the search box. */
  typed: string;
  setTyped: (text: string) => void;
  filters: readonly GridFilter[];
  /** The order of the rendered grid. */
  order: GridSort | undefined;
  /** Search and conditions of the last request. */
  applied: GridFilterState;
  /** Searches immediately instead of after the delay. */
  search: () => void;
  showTab: (tab: string | undefined) => void;
  filterBy: (filters: readonly GridFilter[]) => void;
  sortBy: (order: GridSort | undefined) => void;
  /** Returns the number of rows per value of a column. */
  countValues: GridPages<never>['countValues'];
  /** Replaces the whole state. Missing parts get their defaults. */
  replace: (state: Partial<GridListState>) => void;
  /** Called after the grid was sorted. */
  onSorted: (order: GridSort | undefined) => void;
};

export function useGridFilters<Row>({
  grid,
  pages,
  addressState,
  onAddressChange,
  defaultSort,
  onReordered,
  onOtherRows,
}: {
  grid: RefObject<RunningGrid<Row> | null>;
  pages: GridPages<Row>;
  /** State of the URL: at first the initial state, later the state after each navigation. */
  addressState: GridListState;
  /** Only a change of the tab adds a history entry. */
  onAddressChange: ((address: GridAddress, addsHistoryEntry: boolean) => void) | undefined;
  /** The default order, which the URL omits. */
  defaultSort: GridSort | undefined;
  onReordered: () => void;
  /** Called when the conditions have changed, so that other rows match. */
  onOtherRows: () => void;
}): FilterControls {
  const [typed, setTyped] = useState(addressState.search);
  const [state, setState] = useState(addressState);
  const [screen] = useState(() => location.pathname);
  const addressText = JSON.stringify(addressOf(addressState, defaultSort));
  const lastAddressText = useRef(addressText);
  // The latest state, even before React has rendered an update by the same event.
  const latest = useRef(addressState);
  const { tab, filters, order } = state;

  const updateState = (next: GridListState, addsHistoryEntry = false) => {
    latest.current = next;
    setState(next);
    const address = addressOf(next, defaultSort);
    const text = JSON.stringify(address);
    // Do not change the URL of another screen after navigation.
    if (text === lastAddressText.current || location.pathname !== screen) return;
    lastAddressText.current = text;
    onAddressChange?.(address, addsHistoryEntry);
  };

  /** Changes part of the state and scrolls to the first row. */
  const change = (part: Partial<GridListState>) => {
    const { current: previous } = latest;
    const next = { ...previous, ...part };
    if (pages.setFilter(next)) {
      onOtherRows();
      const { current } = grid;
      if (current && current.api.getDisplayedRowCount() > 0) current.api.ensureIndexVisible(0, 'top');
      current?.edition.refresh(current.api);
    }
    updateState(next, next.tab !== previous.tab);
  };
  const sortBy = (next: GridSort | undefined) =>
    grid.current?.api.applyColumnState({
      state: next ? [{ colId: next.column, sort: next.direction }] : [],
      defaultState: { sort: null },
    });
  const replace = (next: GridListState) => {
    setTyped(next.search);
    const { order: previous } = latest.current;
    change(next);
    if (JSON.stringify(next.order) !== JSON.stringify(previous)) sortBy(next.order);
  };

  const searchLatest = useEffectEvent((text: string) => {
    if (text.trim() !== state.search.trim()) change({ search: text });
  });
  useEffect(() => {
    const timer = setTimeout(() => searchLatest(typed), searchDelayMs);
    return () => clearTimeout(timer);
  }, [typed]);

  // Applies a changed URL, unless this grid has changed the URL.
  const applyAddress = useEffectEvent(() => replace(addressState));
  useEffect(() => {
    if (lastAddressText.current === addressText) return;
    lastAddressText.current = addressText;
    applyAddress();
  }, [addressText]);

  return {
    tab,
    typed,
    setTyped,
    filters,
    order,
    applied: pages.filterState,
    search: () => change({ search: typed }),
    showTab: (next) => change({ tab: next }),
    filterBy: (next) => change({ filters: next }),
    sortBy,
    countValues: (column, values, signal) => pages.countValues(column, values, signal),
    replace: (next) => replace({ ...parseListState({}, undefined), ...next }),
    onSorted: (next) => {
      pages.restart();
      onReordered();
      updateState({ ...latest.current, order: next });
    },
  };
}
