/** A grid of server-side rows with search, filters, columns, views, selection and export. grid-view.tsx renders the rows. */
import {
  Suspense,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type KeyboardEvent,
  useImperativeHandle,
  type RefCallback,
  type RefObject,
  type ReactNode,
} from 'react';
import { RowMenu, type OpenRowMenu } from '../menu/row-menu.tsx';
import { DetailPanelContext, useDetailPanel } from './detail-panel.ts';
import { useStoredGridState, useGridColumns } from './grid-layout.ts';
import type { RunningGrid } from './editions/grid-edition.ts';
import { ExportMenu } from './export-menu.tsx';
import { displayedCount, FilterChips, GridBar, SelectionBar, GridTabs, focusSearch } from './grid-bar.tsx';
import { GridPanels, type OpenPanel } from './grid-panels.tsx';
import type { GridParts } from './grid-header.tsx';
import type { DataGridProps } from './grid-props.ts';
import type { GridViewProps } from './grid-view.tsx';
import { loadedGrid } from './load-grid.ts';
import type { GridRow } from './grid-pages.ts';
import { GridServerContext, type GridServer } from './grid-server.ts';
import { copyRows, useGridSelection } from './grid-selection.ts';
import { useGridViews, ViewsMenu } from './views-menu.tsx';
import { knownFilters, knownOrder } from './filters/read-filters.ts';
import { parseListState } from './grid-address.ts';
import {
  useGridFilters,
  useGridRows,
  useTabCounts,
  type FilterControls,
  type GridRows,
} from './grid-state.ts';
import './grid.css';
import './cells.css';
import './columns.css';
import './filters/filter.css';
import { t } from '@lingui/core/macro';
import { Button } from '../button.tsx';
import { LazyPart } from '../shell/lazy-part.tsx';
import { EmptyState, Failure, Skeleton } from '../states.tsx';

/** If the grid is narrower than this, each row is one cell, and a sheet replaces the headers. In rem, as in grid.css. */
const narrowBelow = 38.75;

const remPixels = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** Requires an earlier call of `loadGrid`. */
export function DataGrid<Row extends GridRow>(props: DataGridProps<Row>) {
  const { label, countOf, source, columns: defined, emptyState, onRowOpen, rowActions } = props;
  const { bulkActions = [] } = props;
  const detailPanel = props.detailPanel || undefined;
  const server = use(GridServerContext);
  const grid = useRef<RunningGrid<Row>>(null);
  const [frame, width] = useElementWidth();
  const [panel, setPanel] = useState<OpenPanel | null>(null);
  const memory = useStoredGridState(server, source.name);
  const columns = useGridColumns(defined, memory);
  const [rowMenu, setRowMenu] = useState<OpenRowMenu<Row> | null>(null);
  const { position, rowsWidth, mark } = useDetailPanel(grid, detailPanel, width);
  const list = useGridList(props, grid, server);
  const { pages, total, estimate, error, refresh, selection, selectAll, select, controls } = list;
  const views = useGridViews({ server, name: source.name, memory, columns, controls, sort: source.sort });

  const count = displayedCount(countOf, total, estimate);
  const narrow = width > 0 && width < narrowBelow * remPixels();
  const selectable = bulkActions.length > 0;
  const openFilter = (column: string, anchor: HTMLElement) => setPanel({ column, anchor });
  const parts: GridParts = {
    narrow,
    filters: controls.filters,
    order: controls.order,
    openFilter,
    selection: selectable ? selection : null,
    selectAll,
    select,
    total,
    hasRowActions: (row: Row) => (rowActions?.(row) ?? []).length > 0,
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys and copying of the rows inside
    <section
      className="grid raised"
      aria-label={label}
      ref={frame}
      onKeyDown={(event) => clearsSelection(event) && selection.clear()}
      onCopy={(event) => copyRows(event, { selection, grid: grid.current, columns, countOf })}
    >
      <GridTabs label={label} {...list.tabs} current={controls.tab} onShow={controls.showTab} />
      <GridBar
        label={label}
        count={count}
        narrow={narrow}
        controls={controls}
        filterable={defined.some((column) => column.filter)}
        onPanel={setPanel}
        onRefresh={refresh}
        views={views && <ViewsMenu views={views} />}
        exports={
          <ExportMenu
            label={label}
            path={source.exportPath}
            columns={columns}
            controls={controls}
            selection={selection}
          />
        }
      />
      <FilterChips columns={defined} controls={controls} onOpen={openFilter} />
      {error && total !== undefined && <GridError {...error} onRetry={refresh} />}
      <div className="grid-main">
        <div className="grid-body">
          <Suspense fallback={<GridSkeleton />}>
            {width > 0 && memory.ready ? (
              <LoadedRows
                label={label}
                columns={columns}
                pages={pages}
                parts={parts}
                width={rowsWidth}
                mark={mark}
                onReady={(running) => {
                  grid.current = running;
                }}
                onSort={controls.onSorted}
                onRowOpen={onRowOpen}
                onRowActions={rowActions && ((row, anchor) => setRowMenu({ row, anchor }))}
              />
            ) : (
              <GridSkeleton />
            )}
          </Suspense>
          <GridCover rows={list} controls={controls} tabs={list.tabs.tabs} emptyState={emptyState} />
        </div>
        {width > 0 && (
          <DetailPanelContext value={position}>
            <LazyPart isCard={false} fallback={null} onClose={detailPanel?.onClose}>
              {detailPanel?.panel}
            </LazyPart>
          </DetailPanelContext>
        )}
      </div>
      {/* The bar is below the rows, so that rows do not move when it appears. */}
      {selectable && (
        <SelectionBar
          selection={selection}
          actions={bulkActions}
          countOf={countOf}
          total={total}
          onSelectAll={() => selectAll(true)}
        />
      )}
      {rowMenu && rowActions && (
        <RowMenu anchor={rowMenu.anchor} items={rowActions(rowMenu.row)} onClose={() => setRowMenu(null)} />
      )}
      {panel && (
        <GridPanels
          panel={panel}
          columns={columns}
          controls={controls}
          count={count}
          onClose={() => setPanel(null)}
        />
      )}
    </section>
  );
}

/** Returns whether the key is Esc in the rows or the selection bar. */
const clearsSelection = ({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): boolean =>
  key === 'Escape' &&
  target instanceof Element &&
  currentTarget.contains(target) &&
  target.closest('.grid-body, .grid-selected') !== null;

function LoadedRows<Row extends GridRow>(props: Omit<GridViewProps<Row>, 'edition'>) {
  const { GridView, edition } = use(loadedGrid());
  return <GridView {...props} edition={edition} />;
}

type ListProps<Row extends GridRow> = Pick<
  DataGridProps<Row>,
  'source' | 'columns' | 'address' | 'tabs' | 'ref'
>;

/** Combines filters, rows, selection and tab counts of a grid. */
function useGridList<Row extends GridRow>(
  { source, columns, address, tabs = {}, ref }: ListProps<Row>,
  grid: RefObject<RunningGrid<Row> | null>,
  server: GridServer | null,
) {
  const state = parseListState(address?.current ?? {}, source.sort);
  state.filters = knownFilters(columns, state.filters);
  state.order = knownOrder(columns, state.order) ?? source.sort;
  if (state.tab !== undefined && !Object.hasOwn(tabs, state.tab)) state.tab = undefined;
  const rows = useGridRows({ grid, source, columns, initial: state });
  const { onReordered, onOtherRows, ...selectionControls } = useGridSelection(grid, rows.pages);
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
  const { counts, recount } = useTabCounts(source.countTabs);
  const refresh = () => {
    rows.refresh();
    recount();
  };
  const refreshLatest = useEffectEvent(refresh);
  useImperativeHandle(ref, () => ({ refresh: () => refreshLatest() }), []);
  const { changesOf } = source;
  useEffect(
    () => (server && changesOf ? server.watch([changesOf], () => refreshLatest()) : undefined),
    [server, changesOf],
  );
  return { ...rows, ...selectionControls, selectAll, refresh, controls, tabs: { tabs, counts } };
}

/** Returns a ref and the element's width in CSS pixels; 0 before it is mounted. */
function useElementWidth(): [ref: RefCallback<HTMLElement>, width: number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

function GridSkeleton() {
  return (
    <div className="grid-skeleton">
      <Skeleton lines={8} />
    </div>
  );
}

/** Error above the rows that are loaded. */
function GridError({
  message,
  reference,
  onRetry,
}: {
  message: string;
  reference?: string | undefined;
  onRetry: () => void;
}) {
  return (
    <div className="grid-error" role="alert">
      <span>
        {t`Some rows could not be loaded. ${message}`}
        {reference && <span className="reference">{t`Reference ${reference}`}</span>}
      </span>
      <Button size="small" onClick={onRetry}>
        {t`Try again`}
      </Button>
    </div>
  );
}

/** Covers the rows if there are none: nothing found, an empty list, or an error. */
function GridCover({
  rows: { total, error, refresh },
  controls,
  tabs,
  emptyState,
}: {
  rows: Pick<GridRows<never>, 'total' | 'error' | 'refresh'>;
  controls: FilterControls;
  tabs: Readonly<Record<string, string>>;
  emptyState: ReactNode;
}) {
  const isNarrowed = controls.applied.search !== undefined || controls.filters.length > 0;
  const label = controls.tab === undefined ? undefined : tabs[controls.tab];
  const empty = label ? (
    <EmptyState
      title={t`Nothing under “${label}”`}
      action={
        <FocusSearchButton onClick={() => controls.showTab(undefined)}>{t`Show all`}</FocusSearchButton>
      }
    >
      {t`There are none of these right now.`}
    </EmptyState>
  ) : (
    emptyState
  );
  if (error ? total !== undefined : total !== 0) return null;
  return (
    <div className="grid-cover">
      {error ? (
        <Failure title={t`The list could not be loaded`} {...error} onRetry={refresh} />
      ) : (
        (isNarrowed && <NothingFound controls={controls} />) || empty
      )}
    </div>
  );
}

function NothingFound({ controls: { applied, tab, filters, order, replace } }: { controls: FilterControls }) {
  const { search } = applied;
  const filtered = filters.length > 0;
  const clear = filtered ? (search ? t`Clear search and filters` : t`Clear filters`) : t`Clear search`;
  return (
    <EmptyState
      title={search ? t`No results for “${search}”` : t`No matches for these filters`}
      action={<FocusSearchButton onClick={() => replace({ tab, order })}>{clear}</FocusSearchButton>}
    >
      {filtered ? t`The filters may be hiding other rows.` : t`Try fewer or different words.`}
    </EmptyState>
  );
}

/** Button that is removed when pressed, and therefore moves the focus to the search box. */
function FocusSearchButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button
      onClick={({ currentTarget }) => {
        focusSearch(currentTarget);
        onClick();
      }}
    >
      {children}
    </Button>
  );
}
