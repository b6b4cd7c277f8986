// A grid on rows that the server holds: search box, filters, columns, views, selection, export, count, states, and a
// menu per row. The rows themselves are in grid-view.tsx (AG Grid); what a row means is the caller's.
//
//   <DataGrid
//     gridName="people"                      columns and named views are kept under it, per person
//     columns={columns}                      each may have `filter: { kind: 'text' | 'set' | 'date' | 'number', … }`
//     fetchPage={fetchPageFrom(listPeople)}
//     exportAs="/api/people/export"          all rows that match, as CSV or XLSX
//     changesOf="people"                     fetched again when the server tells of a change
//     bulkActions={[{ label: 'Disable', danger: true, onSelect: ({ selection, count, rows, clear }) => … }]}
//     …
//   />
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
  type ReactNode,
  type Ref,
} from 'react';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { Failure } from './failure.tsx';
import { GridBar, SelectionBar } from './grid-bar.tsx';
import { cellText, type GridColumn } from './grid-column.ts';
import { ColumnsDialog } from './grid-columns.tsx';
import { rowsAsText } from './grid-copy.ts';
import { runExport } from './grid-export.ts';
import { FilterChips, FilterPanel, FilterSheet } from './grid-filter.tsx';
import { isSameLayout, layoutOf, placeColumns, type PlacedColumn } from './grid-layout.ts';
import { useGridMemory } from './grid-memory.ts';
import { GridPages, type FetchPage, type PagesState } from './grid-pages.ts';
import type { GridParts } from './grid-parts.ts';
import { knownFilters, questionOf, withFilter, type GridFilter, type GridSort } from './grid-query.ts';
import { RowSelection, singleRowsMaximum, type SelectedRows } from './grid-selection.ts';
import { GridServerContext, type GridLook, type GridViewRecord } from './grid-server.ts';
import { ViewsMenu } from './grid-views.tsx';
import { loadedGrid, type LoadedGrid } from './load-grid.ts';
import type { MenuItem } from './menu.tsx';
import { RowMenu, type OpenRowMenu } from './row-menu.tsx';
import { Skeleton } from './skeleton.tsx';
import { toast } from './toast.tsx';
import { useElementWidth } from './use-element-width.ts';
import './grid.css';

/** What a caller can do with a grid through its `ref`. */
export interface GridHandle {
  /** Fetches the rows again; those on the screen stay, and so does the place scrolled to. */
  refresh: () => void;
}

/** Something that can be done to many rows at once. */
export interface BulkAction<Row> extends Omit<MenuItem, 'onSelect'> {
  /** May return a promise; the button is busy until it settles. */
  onSelect: (selected: SelectedRows<Row>) => unknown;
}

/** What `DataGrid` takes. */
export interface DataGridProps<Row> {
  /** What the grid lists, for screen readers and the search box: "People". */
  label: string;
  /** What is counted: `['person', 'people']` gives "1 person", "1,234 people". */
  unit: readonly [one: string, other: string];
  columns: readonly GridColumn<Row>[];
  fetchPage: FetchPage<Row>;
  rowId: (row: Row) => string;
  /** Shown when there is nothing at all, not when a search finds nothing. */
  emptyState: ReactNode;
  /** Click or Enter on a row. */
  onRowOpen?: (row: Row) => void;
  /** The entries of a row's menu: its button, Enter on that, Shift+F10. */
  rowActions?: (row: Row) => readonly MenuItem[];
  /** Rows can be selected, across pages, and these are offered for them. */
  bulkActions?: readonly BulkAction<Row>[];
  /** The grid's name on the server: what a person chooses here (columns, widths, views) is kept there. */
  gridName?: string;
  /** The path of the route that exports this list, such as `/api/people/export`. */
  exportAs?: string;
  /** The areas whose changes fetch the rows again, such as `people`; place and selection stay. */
  changesOf?: string | readonly string[];
  /** The filters to begin with. */
  filters?: readonly GridFilter[];
  onFiltersChange?: (filters: readonly GridFilter[]) => void;
  /** The search to begin with, and whenever it changes from outside (an address, the back button). */
  search?: string;
  onSearchChange?: (search: string) => void;
  /** The order to begin with. */
  sort?: GridSort;
  onSortChange?: (sort: GridSort | undefined) => void;
  /** Another value fetches the rows again. */
  refreshKey?: string | number;
  /** Turns what `fetchPage` threw into a sentence and a reference id. */
  describeFailure?: (error: unknown) => { message: string; reference?: string };
  ref?: Ref<GridHandle>;
}

/** Below this width a row is one cell of two lines, and what headers do is in a sheet. CSS pixels. */
const narrowBelow = 620;

/** A grid of server-side rows: sort, search, scroll through any number of them. Needs `loadGrid` first. */
export function DataGrid<Row>({
  label,
  unit,
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
  const [typed, setTyped] = useState(search);
  const [given, setGiven] = useState(search);
  const [told, setTold] = useState(search);
  const [filters, setFilters] = useState(firstFilters);
  const [order, setOrder] = useState(sort);
  const [viewId, setViewId] = useState<string | null>(null);
  const [menu, setMenu] = useState<OpenRowMenu<Row> | null>(null);
  const [panel, setPanel] = useState<'columns' | 'sheet' | OpenFilter<Row> | null>(null);
  const grid = useRef<{ api: GridApi<Row>; edition: LoadedGrid['edition'] }>(null);
  const anchor = useRef<number>(null);
  const [frame, width] = useElementWidth();
  const fetchLatest = useEffectEvent(fetchPage);
  const [pages] = useState(
    () =>
      new GridPages<Row>(
        (query, signal) => fetchLatest(query, signal),
        setState,
        questionOf(search, firstFilters),
      ),
  );
  const [selection] = useState(() => new RowSelection<Row>(rowId));
  const placed = useMemo(() => placeColumns(columns, memory.layout), [columns, memory.layout]);
  const narrow = width > 0 && width < narrowBelow;
  const { total, failure } = state;

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

  /** Other rows: from the top, and "all that match" is no longer what was selected. */
  const ask = (words: string, wanted: readonly GridFilter[]) => {
    if (!pages.ask(words, wanted)) return;
    if (selection.summary().all) selection.clear();
    anchor.current = null;
    const { current } = grid;
    if (!current) return;
    if (current.api.getDisplayedRowCount() > 0) current.api.ensureIndexVisible(0, 'top');
    current.edition.refresh(current.api);
  };

  const searchFor = (text: string) => {
    const words = text.trim();
    if (words === (pages.question.search ?? '')) return;
    ask(words, filters);
    setTold(words);
    onSearchChange?.(words);
  };

  const filterBy = (next: readonly GridFilter[]) => {
    if (JSON.stringify(next) === JSON.stringify(filters)) return;
    setFilters(next);
    ask(pages.question.search ?? '', next);
    onFiltersChange?.(next);
    const { current } = grid;
    current?.edition.filters?.show(current.api, columns, next);
  };

  const sortBy = (next: GridSort | undefined) => {
    grid.current?.api.applyColumnState({
      state: next ? [{ colId: next.column, sort: next.direction }] : [],
      defaultState: { sort: null },
    });
  };

  const searchLatest = useEffectEvent(searchFor);
  useEffect(() => {
    const timer = setTimeout(() => searchLatest(typed), 200);
    return () => clearTimeout(timer);
  }, [typed]);

  // A search from outside replaces what is typed, unless it is only the echo of what this grid has told.
  if (given !== search) {
    setGiven(search);
    if (search !== told) setTyped(search);
  }

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
    const { current } = grid;
    if (!column?.filter || !current) return;
    if (current.edition.filters && !narrow) current.edition.filters.open(current.api, id);
    else setPanel({ column, anchor: header, returnTo });
  };

  const selectAll = (all: boolean) => {
    anchor.current = null;
    if (all && total) selection.selectAll(pages.question, total);
    else selection.clear();
  };

  const select = async (row: Row, index: number, range: boolean) => {
    const from = range ? (anchor.current ?? index) : index;
    anchor.current = index;
    const first = Math.min(from, index);
    const length = Math.abs(index - from) + 1;
    const { all } = selection.summary();
    const tooMany = (all ? (total ?? 0) : length) > singleRowsMaximum;
    if (tooMany) return sayTooMany();
    try {
      if (all) {
        // All but this one: single rows from now on.
        const every = await pages.rows(0, total ?? 0);
        selection.selectOnly(every.filter((one) => rowId(one) !== rowId(row)));
      } else if (length === 1) {
        if (selection.has(row)) selection.remove(row);
        else if (!selection.add([row])) sayTooMany();
      } else if (!selection.add(await rowsBetween(grid.current?.api, pages, first, length))) sayTooMany();
    } catch (error) {
      toast.failure(describeFailure(error).message);
    }
  };

  const selectable = bulkActions !== undefined && bulkActions.length > 0;
  const parts: GridParts = {
    filters,
    openFilter: (id, header) => openFilter(id, header),
    selection: selectable ? selection : null,
    selectAll,
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Escape' || !(event.target instanceof Element)) return;
    if (event.currentTarget.contains(event.target) && event.target.closest('.grid-body, .grid-selected'))
      selection.clear();
  };

  const onCopy = (event: ClipboardEvent<HTMLElement>) => {
    if (!(event.target instanceof Element) || !event.target.closest('.grid-body')) return;
    if (window.getSelection()?.type === 'Range') return;
    const text = copied();
    if (text === null) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', text);
  };
  const copied = (): string | null => {
    const { count, all } = selection.summary();
    const shown = placed.filter(({ hidden }) => !hidden).map(({ column }) => column);
    if (all) {
      toast.failure('All that match are too many to copy. Export them, or select single rows.');
      return null;
    }
    if (count > 0) {
      toast.success(`Copied ${countText(count, unit)}.`);
      return rowsAsText(shown, selection.selected().rows);
    }
    const focused = grid.current?.api.getFocusedCell();
    if (!focused || grid.current?.edition.name === 'enterprise') return null;
    const row = grid.current?.api.getDisplayedRowAtIndex(focused.rowIndex)?.data;
    if (row === undefined) return null;
    const column = columns.find(({ id }) => id === focused.column.getColId()) ?? columns[0];
    return column ? cellText(column, row) : null;
  };

  const exportRows = (format: 'csv' | 'xlsx', selectedOnly: boolean) => {
    if (!server || !exportAs) return;
    const { rows } = selection.selected();
    const wanted = {
      path: exportAs,
      format,
      columns: placed.filter(({ hidden }) => !hidden).map(({ column }) => column.id),
      ...(order && { sort: order }),
      ...pages.question,
      ...(selectedOnly && { ids: rows.map((row) => rowId(row)) }),
    };
    const name = label.toLowerCase().replaceAll(/\s+/g, '-');
    void runExport(server, wanted, {
      name,
      total: selectedOnly ? rows.length : (total ?? 0),
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
        count={total === undefined ? '' : countText(total, unit)}
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
          unit={unit}
          total={total}
          onSelectAll={() => selectAll(true)}
        />
      )}
      {trouble && total !== undefined && (
        <div className="grid-trouble" role="alert">
          <span>
            Some rows could not be loaded. {trouble.message}
            {trouble.reference && <span className="reference">Reference {trouble.reference}</span>}
          </span>
          <Button size="small" onClick={refresh}>
            Try again
          </Button>
        </div>
      )}
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
                if (filters.length > 0) edition.filters?.show(api, columns, filters);
              }}
              onSort={(next) => {
                pages.restart();
                anchor.current = null;
                setOrder(next);
                onSortChange?.(next);
              }}
              onPlaced={(next: readonly PlacedColumn<Row>[]) => memory.setLayout(layoutOf(next))}
              onFilters={filterBy}
              onSelect={(row: Row, index: number, range: boolean) => void select(row, index, range)}
              onRowOpen={onRowOpen}
              onRowActions={rowActions && ((row, at) => setMenu({ row, anchor: at, items: rowActions(row) }))}
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
            <Failure title="The list could not be loaded" reference={trouble.reference} onRetry={refresh}>
              {trouble.message}
            </Failure>
          </div>
        )}
      </div>
      {menu && <RowMenu menu={menu} onClose={() => setMenu(null)} />}
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
> & { onReady: (api: GridApi<Row>, edition: LoadedGrid['edition']) => void };

function View<Row>({ onReady, ...props }: ViewProps<Row>) {
  const { GridView, edition } = use(loadedGrid());
  return <GridView {...props} edition={edition} onReady={(api) => onReady(api, edition)} />;
}

function GridSkeleton() {
  return (
    <div className="grid-skeleton">
      <Skeleton lines={8} />
    </div>
  );
}

function NothingFound({
  search,
  filtered,
  onClear,
}: {
  search: string | undefined;
  filtered: boolean;
  onClear: () => void;
}) {
  const what = filtered ? (search ? 'the search and the filters' : 'the filters') : 'the search';
  return (
    <EmptyState
      title={search ? `Nothing found for “${search}”` : 'Nothing matches the filters'}
      action={<Button onClick={onClear}>{`Clear ${what}`}</Button>}
    >
      {filtered ? 'Other rows may be hidden by the filters.' : 'Try fewer or other words.'}
    </EmptyState>
  );
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

function sayTooMany(): void {
  toast.failure(
    `At most ${singleRowsMaximum.toLocaleString()} rows can be selected one by one. Select all that match instead, and narrow them down by filters.`,
  );
}

function countText(total: number, [one, other]: readonly [string, string]): string {
  return `${total.toLocaleString()} ${total === 1 ? one : other}`;
}

function describe(error: unknown): { message: string; reference?: string } {
  return { message: error instanceof Error ? error.message : 'Check your connection and try again.' };
}
