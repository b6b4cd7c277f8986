/** Tab, search, filters and order of a grid, synchronized with the URL. */
import { useCallback, useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import type { RunningGrid } from './editions/grid-edition.ts';
import type { GridColumn } from './grid-column.ts';
import { addressOf, parseListState, type GridAddress, type GridListState } from './grid-address.ts';
import type { GridFilter, GridSort } from './grid-query.ts';
import { GridPages, type PagesState } from './grid-pages.ts';
import { describeFailure } from '../../language/call-failure.ts';
import type { GridSource, TabCounts } from './grid-props.ts';

/** Delay between typing and searching, in milliseconds. */
const searchDelayMs = 120;

export type FilterControls = ReturnType<typeof useGridFilters>;

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
}) {
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
    /** Text of the search box. */
    typed,
    setTyped,
    filters,
    /** The order of the rendered grid. */
    order,
    /** Search and conditions of the last request. */
    applied: pages.filterState,
    /** Searches immediately instead of after the delay. */
    search: () => change({ search: typed }),
    showTab: (next: string | undefined) => change({ tab: next }),
    filterBy: (next: readonly GridFilter[]) => change({ filters: next }),
    sortBy,
    /** Returns the number of rows per value of a column. */
    countValues: (column: string, values: readonly string[], signal: AbortSignal) =>
      pages.countValues(column, values, signal),
    /** Replaces the whole state. Missing parts get their defaults. */
    replace: (next: Partial<GridListState>) => replace({ ...parseListState({}, undefined), ...next }),
    /** Called after the grid was sorted. */
    onSorted: (next: GridSort | undefined) => {
      pages.restart();
      onReordered();
      updateState({ ...latest.current, order: next });
    },
  };
}

export type GridRows<Row> = {
  pages: GridPages<Row>;
  /** Number of matching rows; undefined until counted. */
  total: number | undefined;
  /** Approximate number of matching rows while they are counted. */
  estimate: number | undefined;
  /** Description of the error if rows are missing. */
  error: ReturnType<typeof describeFailure> | null;
  /** Fetches the rows again. The visible rows stay until then. */
  refresh: () => void;
};

/** Loads the rows of a source. */
export function useGridRows<Row>({
  grid,
  source,
  columns,
  initial,
}: {
  grid: RefObject<RunningGrid<Row> | null>;
  source: GridSource<Row>;
  columns: readonly GridColumn<Row>[];
  initial: GridListState;
}): GridRows<Row> {
  const [{ total, estimate, failure }, setState] = useState<PagesState>({});
  const fetchLatest = useEffectEvent(source.fetchPage);
  const onState = useEffectEvent(({ counted, ...state }: PagesState) => {
    setState(state);
    if (counted !== undefined) grid.current?.api.setRowCount(counted, true);
  });
  const [pages] = useState(
    () =>
      new GridPages<Row>(
        (request, signal) => fetchLatest(request, signal),
        (state) => onState(state),
        initial,
        source.within,
        columns,
      ),
  );

  const refresh = () => {
    pages.restart();
    if (!grid.current) return;
    const { api, edition } = grid.current;
    edition.refresh(api);
    if (api.getDisplayedRowAtIndex(0)?.data !== undefined) return;
    // While the grid is scrolled down, it does not request the first page, which is the only page with the total.
    void pages.count();
  };

  const error = failure === undefined ? null : describeFailure(failure);
  return { pages, total, estimate, error, refresh };
}

/** Counts the rows per tab. `counts` is empty until loaded, and stays as it is if counting fails. */
export function useTabCounts(countTabs: GridSource<never>['countTabs']) {
  const [counts, setCounts] = useState<TabCounts>({});
  const count = useCallback(
    (signal: AbortSignal) => {
      countTabs?.(signal).then(
        (counted) => signal.aborted || setCounts(counted),
        () => {},
      );
    },
    [countTabs],
  );
  useEffect(() => {
    const controller = new AbortController();
    count(controller.signal);
    return () => controller.abort();
  }, [count]);
  return { counts, recount: () => count(new AbortController().signal) };
}
