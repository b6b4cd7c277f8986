// AG Grid itself: columns, keyboard, the button of a row's actions. In the grid's own chunk, fetched by load-grid.ts;
// search box, count and states are in grid.tsx.
import type {
  CellKeyDownEvent,
  ColDef,
  GridApi,
  ICellRendererParams,
  RowClickedEvent,
  SortChangedEvent,
  SuppressKeyboardEventParams,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useMemo, useState } from 'react';
import { Badge } from './badge.tsx';
import { cellText, type GridColumn } from './grid-column.ts';
import { moveToEdge } from './grid-keyboard.ts';
import type { GridPages } from './grid-pages.ts';
import type { GridSort } from './grid-query.ts';
import { gridTheme } from './grid-theme.ts';

/** Rows per request. */
const pageSize = 100;

/** Below this width a row is one cell of two lines. CSS pixels. */
const narrowBelow = 620;

/** What `GridView` takes. */
export interface GridViewProps<Row> {
  label: string;
  columns: readonly GridColumn<Row>[];
  pages: GridPages<Row>;
  rowId: (row: Row) => string;
  sort: GridSort | undefined;
  /** The room there is. CSS pixels. */
  width: number;
  onReady: (api: GridApi<Row>) => void;
  onSort: (sort: GridSort | undefined) => void;
  onRowOpen: ((row: Row) => void) | undefined;
  /** The person asked for a row's actions; `anchor` is where the menu belongs. */
  onRowActions: ((row: Row, anchor: HTMLElement) => void) | undefined;
}

/** The rows, by AG Grid's infinite row model. */
export function GridView<Row>({
  label,
  columns,
  pages,
  rowId,
  sort,
  width,
  onReady,
  onSort,
  onRowOpen,
  onRowActions,
}: GridViewProps<Row>) {
  const [firstSort] = useState(sort);
  const narrow = width < narrowBelow;
  // A pinned column halves the frame rate while scrolling, so only where the columns do not fit the screen.
  const crowded = !narrow && width < columns.reduce((sum, column) => sum + leastWidth(column), actionsWidth);
  const hasActions = onRowActions !== undefined;
  const columnDefs = useMemo(
    () => [
      ...(narrow ? [narrowColumn(columns, firstSort)] : columns.map((one) => columnDef(one, firstSort))),
      ...(hasActions ? [actionsColumn<Row>(crowded)] : []),
    ],
    [columns, narrow, crowded, hasActions, firstSort],
  );

  const openActions = (row: Row, cell: Element) => {
    const button = cell.closest('.ag-row')?.querySelector<HTMLElement>('.grid-actions');
    if (button) onRowActions?.(row, button);
  };

  const onKey = ({ event, data, column }: CellKeyDownEvent<Row>) => {
    if (!(event instanceof KeyboardEvent) || !(event.target instanceof HTMLElement)) return;
    if (data === undefined) return;
    const wantsActions =
      event.key === 'ContextMenu' ||
      (event.shiftKey && event.key === 'F10') ||
      (column.getColId() === actionsId && (event.key === 'Enter' || event.key === ' '));
    if (wantsActions && hasActions) {
      event.preventDefault();
      openActions(data, event.target);
    } else if (event.key === 'Enter') onRowOpen?.(data);
  };

  const onClick = ({ event, data }: RowClickedEvent<Row>) => {
    if (data === undefined || !(event?.target instanceof Element)) return;
    if (event.target.closest('.grid-actions')) openActions(data, event.target);
    else if (window.getSelection()?.type !== 'Range') onRowOpen?.(data);
  };

  return (
    <AgGridReact<Row>
      className={onRowOpen ? 'grid-rows grid-rows-open' : 'grid-rows'}
      theme={gridTheme}
      columnDefs={columnDefs}
      defaultColDef={defaultColumn}
      rowHeight={narrow ? 64 : 44}
      rowModelType="infinite"
      datasource={pages}
      cacheBlockSize={pageSize}
      maxBlocksInCache={8}
      infiniteInitialRowCount={12}
      // Long enough to skip the pages a dragged scroll bar flies over, short enough not to be noticed.
      blockLoadDebounceMillis={40}
      getRowId={({ data }) => rowId(data)}
      suppressNoRowsOverlay
      suppressMultiSort
      suppressDragLeaveHidesColumns
      suppressMovableColumns={narrow}
      animateRows={false}
      // Cells, not their content, are what the keyboard moves between; text can be selected by pointer.
      enableCellTextSelection
      ensureDomOrder
      onGridReady={({ api }) => {
        api.setGridAriaProperty('label', label);
        onReady(api);
      }}
      onSortChanged={({ api }: SortChangedEvent<Row>) => onSort(sortOf(api))}
      onCellKeyDown={(event) => onKey(event as CellKeyDownEvent<Row>)}
      onRowClicked={onClick}
    />
  );
}

const actionsId = 'actions';
const actionsWidth = 56;

const defaultColumn: ColDef = {
  sortingOrder: ['asc', 'desc', null],
  suppressHeaderMenuButton: true,
  suppressKeyboardEvent: ({ api, event }: SuppressKeyboardEventParams) => moveToEdge(api, event),
  cellClassRules: { 'grid-cell-waiting': ({ data }) => data === undefined },
};

function columnDef<Row>(column: GridColumn<Row>, sort: GridSort | undefined): ColDef<Row> {
  return {
    colId: column.id,
    headerName: column.title,
    sortable: column.sortable ?? true,
    initialSort: sort?.column === column.id ? sort.direction : null,
    flex: column.flex ?? 1,
    minWidth: leastWidth(column),
    valueGetter: ({ data }) => (data === undefined ? '' : cellText(column, data)),
    ...(column.kind === 'badge' && {
      cellRenderer: ({ data }: ICellRendererParams<Row>) =>
        data !== undefined && <RowBadge column={column} row={data} />,
    }),
  };
}

/** Wide enough for a date and time, or a badge of one word; text can be cut. CSS pixels. */
function leastWidth<Row>({ kind, minWidth = 140 }: GridColumn<Row>): number {
  if (kind === 'date-time') return Math.max(minWidth, 195);
  return kind === 'badge' ? Math.max(minWidth, 156) : minWidth;
}

/** A row as one cell of two lines, for screens too narrow for columns; it sorts by the first column. */
function narrowColumn<Row>(columns: readonly GridColumn<Row>[], sort: GridSort | undefined): ColDef<Row> {
  const [first] = columns;
  if (!first) throw new Error('A grid needs at least one column.');
  const details = columns.filter((column) => column.narrow === 'detail');
  const badges = columns.filter((column) => column.kind === 'badge' && column.narrow !== 'hidden');
  return {
    ...columnDef({ ...first, minWidth: 100 }, sort),
    // The row itself is the value, so that the cell is drawn again whatever of it has changed.
    valueGetter: ({ data }) => data,
    cellClass: 'grid-narrow-cell',
    cellRenderer: ({ data }: ICellRendererParams<Row>) =>
      data !== undefined && (
        <div className="grid-narrow">
          <span className="grid-narrow-first">{cellText(first, data)}</span>
          <span className="grid-narrow-badges">
            {badges.map((column) => (
              <RowBadge key={column.id} column={column} row={data} />
            ))}
          </span>
          <span className="grid-narrow-details">
            {details
              .map((column) => cellText(column, data))
              .filter(Boolean)
              .join(' · ')}
          </span>
        </div>
      ),
  };
}

function RowBadge<Row>({ column, row }: { column: GridColumn<Row>; row: Row }) {
  const badge = column.kind === 'badge' ? column.badge(row) : null;
  return (
    badge && (
      <Badge tone={badge.tone} hint={badge.hint}>
        {badge.label}
      </Badge>
    )
  );
}

function actionsColumn<Row>(pinned: boolean): ColDef<Row> {
  return {
    colId: actionsId,
    pinned: pinned && 'right',
    headerName: 'Actions',
    headerClass: 'grid-actions-header',
    cellClass: 'grid-actions-cell',
    sortable: false,
    resizable: false,
    suppressMovable: true,
    lockPosition: 'right',
    width: actionsWidth,
    cellRenderer: ({ data }: ICellRendererParams<Row>) =>
      data !== undefined && (
        // The cell has the keyboard's focus and opens the menu on Enter; the button is for pointers and names it.
        <button
          type="button"
          className="grid-actions"
          tabIndex={-1}
          aria-haspopup="menu"
          aria-label="Actions"
        >
          <svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
            <circle cx="3" cy="8" r="1.4" />
            <circle cx="8" cy="8" r="1.4" />
            <circle cx="13" cy="8" r="1.4" />
          </svg>
        </button>
      ),
  };
}

function sortOf<Row>(api: GridApi<Row>): GridSort | undefined {
  const sorted = api.getColumnState().find((column) => column.sort);
  return sorted?.sort ? { column: sorted.colId, direction: sorted.sort } : undefined;
}
