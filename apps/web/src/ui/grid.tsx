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
import { IconRefresh, IconSearch } from '@tabler/icons-react';
import {
  Suspense,
  use,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from 'react';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { Failure } from './failure.tsx';
import type { GridColumn } from './grid-column.ts';
import { GridPages, type FetchPage, type PagesState } from './grid-pages.ts';
import type { GridFilter, GridSort } from './grid-query.ts';
import type { SelectedRows } from './grid-selection.ts';
import { loadedGrid } from './load-grid.ts';
import type { MenuItem } from './menu.tsx';
import { RowMenu, type OpenRowMenu } from './row-menu.tsx';
import { Skeleton } from './skeleton.tsx';
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
  search = '',
  onSearchChange,
  sort,
  onSortChange,
  refreshKey,
  describeFailure = describe,
  ref,
}: DataGridProps<Row>) {
  const [state, setState] = useState<PagesState>({});
  const [typed, setTyped] = useState(search);
  const [given, setGiven] = useState(search);
  const [told, setTold] = useState(search);
  const [menu, setMenu] = useState<OpenRowMenu<Row> | null>(null);
  const api = useRef<GridApi<Row>>(null);
  const [frame, width] = useElementWidth();
  const fetchLatest = useEffectEvent(fetchPage);
  const [pages] = useState(
    () => new GridPages<Row>((query, signal) => fetchLatest(query, signal), setState, search),
  );

  const refresh = () => {
    pages.restart();
    api.current?.refreshInfiniteCache();
  };
  useImperativeHandle(ref, () => ({ refresh }));

  const searchFor = (text: string) => {
    if (!pages.searchFor(text)) return;
    if (api.current && api.current.getDisplayedRowCount() > 0) api.current.ensureIndexVisible(0, 'top');
    api.current?.refreshInfiniteCache();
    setTold(pages.search);
    onSearchChange?.(pages.search);
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

  const { total, failure } = state;
  const trouble = failure === undefined ? null : describeFailure(failure);
  const nothing = total === 0 && !trouble;
  return (
    <section className="grid" aria-label={label} ref={frame}>
      <div className="grid-bar">
        <div className="grid-search">
          <IconSearch size={17} aria-hidden="true" />
          <input
            type="search"
            autoComplete="off"
            aria-label={`Search ${label.toLowerCase()}`}
            placeholder="Search"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') searchFor(typed);
            }}
          />
        </div>
        <output className="grid-count">{total === undefined ? '' : count(total, unit)}</output>
        <Button variant="quiet" aria-label={`Refresh ${label.toLowerCase()}`} onClick={refresh}>
          <IconRefresh size={18} stroke={1.75} aria-hidden="true" />
        </Button>
      </div>
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
        {width > 0 && (
          <Suspense fallback={<GridSkeleton />}>
            <View
              label={label}
              columns={columns}
              pages={pages}
              rowId={rowId}
              sort={sort}
              width={width}
              onReady={(ready) => {
                api.current = ready;
              }}
              onSort={(next) => {
                pages.restart();
                onSortChange?.(next);
              }}
              onRowOpen={onRowOpen}
              onRowActions={rowActions && ((row, anchor) => setMenu({ row, anchor, items: rowActions(row) }))}
            />
          </Suspense>
        )}
        {nothing && (
          <div className="grid-cover">
            {pages.search ? (
              <EmptyState
                title={`Nothing found for “${pages.search}”`}
                action={<Button onClick={() => setTyped('')}>Clear the search</Button>}
              >
                Try fewer or other words.
              </EmptyState>
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
    </section>
  );
}

function View<Row>(props: Parameters<typeof import('./grid-view.tsx').GridView<Row>>[0]) {
  const { GridView } = use(loadedGrid());
  return <GridView {...props} />;
}

function GridSkeleton() {
  return (
    <div className="grid-skeleton">
      <Skeleton lines={8} />
    </div>
  );
}

function count(total: number, [one, other]: readonly [string, string]): string {
  return `${total.toLocaleString()} ${total === 1 ? one : other}`;
}

function describe(error: unknown): { message: string; reference?: string } {
  return { message: error instanceof Error ? error.message : 'Check your connection and try again.' };
}
