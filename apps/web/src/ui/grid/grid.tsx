// A grid on rows that the server holds: search box, filters, columns, views, selection, export, count, states, and a
// menu per row. The rows themselves are in grid-view.tsx (AG Grid); what a row means is the caller's.
import { t } from '@lingui/core/macro';
import type { GridApi } from 'ag-grid-community';
import {
  Suspense,
  use,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
} from 'react';
import { Failure } from '../failure.tsx';
import { GridBar, SelectionBar } from './grid-bar.tsx';
import type { GridColumn } from './columns/grid-column.ts';
import { ColumnsDialog } from './columns/grid-columns.tsx';
import { textToCopy } from './selection/grid-copy.ts';
import type { GridEdition, RunningGrid } from './editions/grid-edition.ts';
import { runExport } from './grid-export.ts';
import { FilterChips } from './filter/filter-chips.tsx';
import { FilterPanel } from './filter/filter-panel.tsx';
import { FilterSheet } from './filter/filter-sheet.tsx';
import { isSameLayout, layoutOf, placeColumns, type PlacedColumn } from './columns/grid-layout.ts';
import { useGridMemory } from './columns/grid-memory.ts';
import { GridPages, type PagesState } from './rows/grid-pages.ts';
import type { GridParts } from './grid-parts.ts';
import type { DataGridProps } from './grid-props.ts';
import { knownFilters, questionOf, withFilter, type GridFilter } from './rows/grid-query.ts';
import { GridServerContext, type GridLook, type GridViewRecord } from './rows/grid-server.ts';
import { GridSkeleton, GridTrouble, NothingFound } from './grid-states.tsx';
import { ViewsMenu } from './views/grid-views.tsx';
import { loadedGrid } from './load-grid.ts';
import { RowMenu, type OpenRowMenu } from '../menu/row-menu.tsx';
import { useElementWidth } from '../use-element-width.ts';
import { useGridQuestion } from './rows/use-grid-question.ts';
import { useGridSelection } from './selection/use-grid-selection.ts';
import './grid.css';

/** Below this width a row is one cell of two lines, and what headers do is in a sheet. CSS pixels. */
const narrowBelow = 620;

/** A grid of server-side rows: sort, search, scroll through any number of them. Needs `loadGrid` first. */
export function DataGrid<Row>({
  label,
  countOf,
  columns,
  fetchPage,
  rowId,
  emptyState,
  onRowOpen,
  rowActions,
  bulkActions,
  gridName,
  exportAs,
  changesOf,
  search = '',
  onSearchChange,
  sort,
  onSortChange,
  filters: firstFilters = noFilters,
  onFiltersChange,
  refreshKey,
  describeFailure = describe,
  ref,
}: DataGridProps<Row>) {
  const server = use(GridServerContext);
  const memory = useGridMemory(server, gridName);
  const [state, setState] = useState<PagesState>({});
  const [viewId, setViewId] = useState<string | null>(null);
  const [menu, setMenu] = useState<OpenRowMenu<Row> | null>(null);
  const [panel, setPanel] = useState<'columns' | 'sheet' | OpenFilter<Row> | null>(null);
  const grid = useRef<RunningGrid<Row>>(null);
  const [frame, width] = useElementWidth();
  const fetchLatest = useEffectEvent(fetchPage);
  const tellLatest = useEffectEvent((told: PagesState) => {
    setState(told);
    // The row of an open menu may have changed elsewhere, and with it what can be done to it.
    const row = menu && grid.current?.api.getRowNode(rowId(menu.row))?.data;
    if (row) setMenu({ ...menu, row });
  });
  const [pages] = useState(
    () =>
      new GridPages<Row>(
        (query, signal) => fetchLatest(query, signal),
        (told) => tellLatest(told),
        questionOf(search, firstFilters),
      ),
  );
  const placed = useMemo(() => placeColumns(columns, memory.layout), [columns, memory.layout]);
  const narrow = width > 0 && width < narrowBelow;
  const { total, failure } = state;
  const { selection, selectAll, select, onReordered, onOtherRows } = useGridSelection({
    grid,
    pages,
    rowId,
    total,
    describeFailure,
  });
  const { typed, setTyped, filters, order, setOrder, searchFor, filterBy, sortBy } = useGridQuestion({
    grid,
    pages,
    search,
    onSearchChange,
    filters: firstFilters,
    onFiltersChange,
    sort,
    onOtherRows,
  });

  const refresh = () => {
    pages.restart();
    if (!grid.current) return;
    const { api, edition } = grid.current;
    edition.refresh(api);
    if (api.getDisplayedRowAtIndex(0)?.data !== undefined) return;
    // Far down nobody asks for the first page, which is the one that counts.
    const recount = async () => {
      const count = await pages.count().catch(() => undefined);
      if (count !== undefined && grid.current) edition.setRowCount(api, count);
    };
    void recount();
  };
  useImperativeHandle(ref, () => ({ refresh }));

  const refreshLatest = useEffectEvent(refresh);
  const shownKey = useRef(refreshKey);
  useEffect(() => {
    if (shownKey.current !== refreshKey) refreshLatest();
    shownKey.current = refreshKey;
  }, [refreshKey]);

  const watched = typeof changesOf === 'string' ? changesOf : (changesOf ?? []).join(' ');
  useEffect(
    () => (server && watched ? server.watch(watched.split(' '), () => refreshLatest()) : undefined),
    [server, watched],
  );

  const look = (): GridLook => ({
    layout: layoutOf(placed),
    ...(order && { sort: order }),
    ...pages.question,
    filters: [...filters],
  });

  const choose = (view: GridViewRecord | null) => {
    setViewId(view?.id ?? null);
    if (view) show(view.look);
  };
  const show = (wanted: Partial<GridLook>) => {
    const words = wanted.search ?? '';
    if (!wanted.layout || !isSameLayout(wanted.layout, layoutOf(placed)))
      memory.setLayout(wanted.layout ?? null);
    setTyped(words);
    filterBy(knownFilters(columns, wanted.filters ?? []));
    searchFor(words);
    sortBy(wanted.sort);
  };
  const reset = () => {
    setViewId(null);
    show(sort ? { sort } : {});
  };

  const openFilter = (id: string, header: HTMLElement, returnTo = header) => {
    const column = columns.find((one) => one.id === id);
    if (column?.filter) setPanel({ column, anchor: header, returnTo });
  };

  const selectable = bulkActions !== undefined && bulkActions.length > 0;
  const parts: GridParts = {
    filters,
    openFilter: (id, header) => openFilter(id, header),
    selection: selectable ? selection : null,
    selectAll,
    total,
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Escape' || !(event.target instanceof Element)) return;
    if (event.currentTarget.contains(event.target) && event.target.closest('.grid-body, .grid-selected'))
      selection.clear();
  };

  const onCopy = (event: ClipboardEvent<HTMLElement>) => {
    if (!(event.target instanceof Element) || !event.target.closest('.grid-body')) return;
    if (window.getSelection()?.type === 'Range') return;
    const text = textToCopy({
      selection,
      grid: grid.current,
      columns,
      placed,
      countText: countOf,
    });
    if (text === null) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', text);
  };

  const exportRows = (format: 'csv' | 'xlsx', selectedOnly: boolean) => {
    if (!server || !exportAs) return;
    const { selection: chosen, count } = selection.selected();
    const wanted = {
      path: exportAs,
      format,
      columns: placed.filter(({ hidden }) => !hidden).map(({ column }) => column.id),
      ...(order && { sort: order }),
      // Single rows stay selected whatever is searched for since.
      ...(selectedOnly && 'ids' in chosen ? { ids: chosen.ids } : pages.question),
      ...(selectedOnly && 'all' in chosen && chosen.all.except && { except: chosen.all.except }),
    };
    const name = label.toLowerCase().replaceAll(/\s+/g, '-');
    void runExport(server, wanted, {
      name,
      total: selectedOnly ? count : (total ?? 0),
      describeFailure,
    });
  };

  const trouble = failure === undefined ? null : describeFailure(failure);
  const nothing = total === 0 && !trouble;
  const view = memory.views.find(({ id }) => id === viewId);
  const canFilter = columns.some((column) => column.filter);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys and copying of the rows inside
    <section className="grid" aria-label={label} ref={frame} onKeyDown={onKeyDown} onCopy={onCopy}>
      <GridBar
        label={label}
        count={total === undefined ? '' : countOf(total)}
        typed={typed}
        onType={setTyped}
        onSearch={() => searchFor(typed)}
        narrow={narrow}
        filtered={filters.length}
        canFilter={canFilter}
        onSheet={() => setPanel('sheet')}
        onColumns={() => setPanel('columns')}
        onExport={server && exportAs ? exportRows : undefined}
        selection={selection}
        onRefresh={refresh}
        views={
          server &&
          gridName && (
            <ViewsMenu
              server={server}
              grid={gridName}
              views={memory.views}
              mayShare={memory.mayShare}
              current={view}
              look={look}
              onViews={memory.setViews}
              onChoose={choose}
              onReset={reset}
              describeFailure={describeFailure}
            />
          )
        }
      />
      <FilterChips
        columns={columns}
        filters={filters}
        onOpen={(column, chip) => openFilter(column.id, chip)}
        onChange={filterBy}
      />
      {selectable && (
        <SelectionBar
          selection={selection}
          actions={bulkActions}
          countOf={countOf}
          total={total}
          onSelectAll={() => selectAll(true)}
        />
      )}
      {trouble && total !== undefined && <GridTrouble {...trouble} onRetry={refresh} />}
      <div className="grid-body">
        {width > 0 && !memory.ready && <GridSkeleton />}
        {width > 0 && memory.ready && (
          <Suspense fallback={<GridSkeleton />}>
            <View
              label={label}
              columns={columns}
              placed={placed}
              pages={pages}
              parts={parts}
              rowId={rowId}
              sort={sort}
              width={width}
              onReady={(api, edition) => {
                grid.current = { api, edition };
              }}
              onSort={(next) => {
                pages.restart();
                onReordered();
                setOrder(next);
                onSortChange?.(next);
              }}
              onPlaced={(next: readonly PlacedColumn<Row>[]) => memory.setLayout(layoutOf(next))}
              onSelect={(row: Row, index: number, range: boolean) => void select(row, index, range)}
              onRowOpen={onRowOpen}
              onRowActions={rowActions && ((row, anchor) => setMenu({ row, anchor }))}
            />
          </Suspense>
        )}
        {nothing && (
          <div className="grid-cover">
            {pages.question.search || filters.length > 0 ? (
              <NothingFound
                search={pages.question.search}
                filtered={filters.length > 0}
                onClear={() => {
                  setTyped('');
                  filterBy(noFilters);
                  searchFor('');
                }}
              />
            ) : (
              emptyState
            )}
          </div>
        )}
        {trouble && total === undefined && (
          <div className="grid-cover">
            <Failure title={t`The list could not be loaded`} {...trouble} onRetry={refresh} />
          </div>
        )}
      </div>
      {menu && rowActions && (
        <RowMenu anchor={menu.anchor} items={rowActions(menu.row)} onClose={() => setMenu(null)} />
      )}
      {panel === 'columns' && (
        <ColumnsDialog
          placed={placed}
          onChange={(next) => memory.setLayout(layoutOf(next))}
          onReset={() => memory.setLayout(null)}
          onClose={() => setPanel(null)}
        />
      )}
      {panel === 'sheet' && (
        <FilterSheet
          columns={columns}
          filters={filters}
          sort={order}
          onApply={(nextSort, nextFilters) => {
            filterBy(nextFilters);
            if (JSON.stringify(nextSort) !== JSON.stringify(order)) sortBy(nextSort);
          }}
          onClose={() => setPanel(null)}
        />
      )}
      {typeof panel === 'object' && panel && (
        <FilterPanel
          key={panel.column.id}
          column={panel.column}
          filter={filters.find(({ column }) => column === panel.column.id)}
          anchor={panel.anchor}
          returnTo={panel.returnTo}
          onChange={(filter) => filterBy(withFilter(filters, panel.column.id, filter))}
          onClose={() => setPanel(null)}
        />
      )}
    </section>
  );
}

const noFilters: readonly GridFilter[] = [];

interface OpenFilter<Row> {
  column: GridColumn<Row>;
  anchor: HTMLElement;
  returnTo: HTMLElement;
}

type ViewProps<Row> = Omit<
  Parameters<typeof import('./grid-view.tsx').GridView<Row>>[0],
  'edition' | 'onReady'
> & { onReady: (api: GridApi<Row>, edition: GridEdition) => void };

function View<Row>({ onReady, ...props }: ViewProps<Row>) {
  const { GridView, edition } = use(loadedGrid());
  return <GridView {...props} edition={edition} onReady={(api) => onReady(api, edition)} />;
}

/** Where a screen has no words of its own. Those of a program are for nobody. */
function describe(): { message: string; reference?: string } {
  return { message: t`Check your connection and try again.` };
}
