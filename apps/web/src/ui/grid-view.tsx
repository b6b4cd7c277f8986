// AG Grid itself: columns, keyboard, the button of a row's actions. In the grid's own chunk, fetched by load-grid.ts;
// search box, count and states are in grid.tsx.
import type {
  CellKeyDownEvent,
  ColDef,
  ColumnEventType,
  GridApi,
  ICellRendererParams,
  RowClickedEvent,
  SortChangedEvent,
  SuppressHeaderKeyboardEventParams,
  SuppressKeyboardEventParams,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useEffectEvent, useMemo, useState } from 'react';
import { Badge } from './badge.tsx';
import { cellText, type GridColumn } from './grid-column.ts';
import type { GridEdition } from './grid-edition.ts';
import { ColumnHeader, SelectAllHeader, SelectRow, type HeaderExtras } from './grid-header.tsx';
import { moveToEdge, selectionKey } from './grid-keyboard.ts';
import type { PlacedColumn } from './grid-layout.ts';
import type { GridPages } from './grid-pages.ts';
import { GridPartsContext, type GridParts } from './grid-parts.ts';
import type { GridFilter, GridSort } from './grid-query.ts';

/** Rows per request. */
const pageSize = 100;

/** Below this width a row is one cell of two lines. CSS pixels. */
const narrowBelow = 620;

/** What `GridView` takes. */
export interface GridViewProps<Row> {
  label: string;
  edition: GridEdition;
  /** As the screen defines them: the first one names a row. */
  columns: readonly GridColumn<Row>[];
  placed: readonly PlacedColumn<Row>[];
  pages: GridPages<Row>;
  parts: GridParts;
  rowId: (row: Row) => string;
  sort: GridSort | undefined;
  /** The room there is. CSS pixels. */
  width: number;
  onReady: (api: GridApi<Row>) => void;
  onSort: (sort: GridSort | undefined) => void;
  /** The person has moved, sized, pinned or hidden columns. */
  onPlaced: (placed: readonly PlacedColumn<Row>[]) => void;
  /** Filters were set where they are AG Grid's own. */
  onFilters: (filters: readonly GridFilter[]) => void;
  /** The person selects a row, or with `range` all rows up to it. */
  onSelect: (row: Row, index: number, range: boolean) => void;
  onRowOpen: ((row: Row) => void) | undefined;
  /** The person asked for a row's actions; `anchor` is where the menu belongs. */
  onRowActions: ((row: Row, anchor: HTMLElement) => void) | undefined;
}

/** The rows, by the row model of the edition. */
export function GridView<Row>({
  label,
  edition,
  columns,
  placed,
  pages,
  parts,
  rowId,
  sort,
  width,
  onReady,
  onSort,
  onPlaced,
  onFilters,
  onSelect,
  onRowOpen,
  onRowActions,
}: GridViewProps<Row>) {
  const [firstSort] = useState(sort);
  const [rowModel] = useState(() => edition.rows(pages));
  const narrow = width < narrowBelow;
  const hasActions = onRowActions !== undefined;
  const selectable = parts.selection !== null;
  // A pinned column halves the frame rate while scrolling, so only where the columns do not fit the screen.
  const crowded = !narrow && width < leastWidthOf(placed);

  const onCellKeys = useEffectEvent(
    ({ api, event, node, data, column }: SuppressKeyboardEventParams<Row>) => {
      if (moveToEdge(api, event)) return true;
      const key = selectionKey(event);
      if (!key || !parts.selection) return false;
      if (key === 'copy') return parts.selection.summary().count > 0;
      if (key === 'all') {
        event.preventDefault();
        parts.selectAll(true);
        return true;
      }
      if (column.getColId() === actionsId) return false;
      event.preventDefault();
      if (data !== undefined && node.rowIndex !== null) onSelect(data, node.rowIndex, key === 'range');
      return true;
    },
  );
  const onHeaderKeys = useEffectEvent(({ event, column }: SuppressHeaderKeyboardEventParams<Row>) => {
    const header = event.target instanceof Element && event.target.closest<HTMLElement>('.ag-header-cell');
    const id = column && 'getColId' in column ? column.getColId() : '';
    if (!header) return false;
    const isButton = event.target !== header;
    if (id === selectId && event.key === ' ') {
      event.preventDefault();
      parts.selectAll(!parts.selection?.summary().all);
      return true;
    }
    const wantsFilter =
      (event.key === 'ArrowDown' && event.altKey) ||
      (event.key === 'Enter' && (event.ctrlKey || event.metaKey));
    if (wantsFilter && header.querySelector('.grid-head-filter')) {
      event.preventDefault();
      parts.openFilter(id, header);
      return true;
    }
    return isButton && event.key === 'Enter';
  });

  const [defaultColDef] = useState<ColDef<Row>>(() => ({
    sortingOrder: ['asc', 'desc', null],
    headerComponent: ColumnHeader,
    suppressHeaderMenuButton: true,
    suppressHeaderFilterButton: true,
    suppressKeyboardEvent: (params) => onCellKeys(params),
    suppressHeaderKeyboardEvent: (params) => onHeaderKeys(params),
    cellClassRules: { 'grid-cell-waiting': ({ data }) => data === undefined },
  }));
  const columnDefs = useMemo(() => {
    const [first] = columns;
    if (!first) throw new Error('A grid needs at least one column.');
    const pinned = placed.some((one) => one.pinned && !one.hidden);
    return [
      ...(selectable ? [selectColumn(first, pinned && !narrow)] : []),
      narrowColumn(first, columns, narrow),
      ...placed.map((one) => ({
        ...columnDef(one, narrow, firstSort),
        ...(edition.filters?.column(one.column as GridColumn<never>) as ColDef<Row> | undefined),
      })),
      ...(hasActions ? [actionsColumn<Row>(crowded)] : []),
    ];
  }, [columns, placed, narrow, crowded, hasActions, selectable, firstSort, edition]);

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

  const onClick = ({ event, data, rowIndex }: RowClickedEvent<Row>) => {
    if (data === undefined || !(event?.target instanceof Element)) return;
    if (event.target.closest('.grid-actions')) openActions(data, event.target);
    else if (event.target.closest('.grid-select-cell')) {
      if (rowIndex !== null) onSelect(data, rowIndex, event instanceof MouseEvent && event.shiftKey);
    } else if (window.getSelection()?.type !== 'Range') onRowOpen?.(data);
  };

  const onColumns = ({ api, source, finished = true }: ColumnsEvent<Row>) => {
    if (finished && !narrow && byPerson.has(source)) onPlaced(readPlaced(api, placed));
  };

  return (
    <GridPartsContext value={parts}>
      <AgGridReact<Row>
        {...rowModel}
        {...(narrow && { sideBar: false })}
        className={onRowOpen ? 'grid-rows grid-rows-open' : 'grid-rows'}
        theme={edition.theme}
        columnDefs={columnDefs}
        defaultColDef={defaultColDef}
        rowHeight={narrow ? 64 : 44}
        cacheBlockSize={pageSize}
        maxBlocksInCache={8}
        // Long enough to skip the pages a dragged scroll bar flies over, short enough not to be noticed.
        blockLoadDebounceMillis={40}
        getRowId={({ data }) => rowId(data)}
        suppressNoRowsOverlay
        suppressMultiSort
        suppressDragLeaveHidesColumns
        suppressMovableColumns={narrow}
        animateRows={false}
        // Rows out of sight cost as much as rows in sight: fewer of them than AG Grid's ten make jumps and scrolling a third cheaper.
        rowBuffer={4}
        // Cells, not their content, are what the keyboard moves between; text can be selected by pointer.
        enableCellTextSelection
        ensureDomOrder
        onGridReady={({ api }) => {
          api.setGridAriaProperty('label', label);
          onReady(api);
        }}
        onSortChanged={({ api }: SortChangedEvent<Row>) => onSort(sortOf(api))}
        onColumnMoved={onColumns}
        onColumnResized={onColumns}
        onColumnPinned={onColumns}
        onColumnVisible={onColumns}
        onFilterChanged={({ api }) => {
          if (edition.filters) onFilters(edition.filters.read(api, columns));
        }}
        onCellKeyDown={(event) => onKey(event as CellKeyDownEvent<Row>)}
        onRowClicked={onClick}
      />
    </GridPartsContext>
  );
}

interface ColumnsEvent<Row> {
  api: GridApi<Row>;
  source: ColumnEventType;
  finished?: boolean;
}

const byPerson: ReadonlySet<ColumnEventType> = new Set<ColumnEventType>([
  'uiColumnMoved',
  'uiColumnResized',
  'uiColumnDragged',
  'autosizeColumns',
  'autosizeColumnHeaderHeight',
  'toolPanelUi',
  'toolPanelDragAndDrop',
  'columnMenu',
  'contextMenu',
]);

const selectId = '#select';
const narrowId = '#row';
const actionsId = 'actions';
const selectWidth = 48;
const actionsWidth = 56;

/** The columns that are not the caller's: nobody chooses, moves, sizes or filters them. */
const ownColumn = {
  sortable: false,
  resizable: false,
  suppressMovable: true,
  suppressColumnsToolPanel: true,
  suppressFiltersToolPanel: true,
} satisfies ColDef;

function columnDef<Row>(
  { column, hidden, width, pinned }: PlacedColumn<Row>,
  narrow: boolean,
  sort: GridSort | undefined,
): ColDef<Row> {
  const extras: HeaderExtras = { filterable: column.filter !== undefined };
  return {
    colId: column.id,
    headerName: column.title,
    sortable: column.sortable ?? true,
    initialSort: sort?.column === column.id ? sort.direction : null,
    // On a narrow screen columns keep their sorting and filters out of sight.
    hide: narrow || hidden,
    pinned: pinned && !narrow ? 'left' : null,
    flex: width === undefined ? (column.flex ?? 1) : null,
    ...(width !== undefined && { width }),
    minWidth: leastWidth(column),
    headerComponentParams: extras,
    ...(column.kind === 'number' && { cellClass: 'grid-number-cell', headerClass: 'grid-number-header' }),
    valueGetter: ({ data }) => (data === undefined ? '' : cellText(column, data)),
    ...(column.kind === 'badge' && {
      cellRenderer: ({ data }: ICellRendererParams<Row>) =>
        data !== undefined && <RowBadge column={column} row={data} />,
    }),
  };
}

/** Wide enough for a date and time, or a badge of one word; text can be cut. CSS pixels. */
function leastWidth<Row>({ kind, minWidth = 140 }: GridColumn<Row>): number {
  if (kind === 'number') return Math.min(minWidth, 110);
  if (kind === 'date-time') return Math.max(minWidth, 210);
  return kind === 'badge' ? Math.max(minWidth, 156) : minWidth;
}

function leastWidthOf<Row>(placed: readonly PlacedColumn<Row>[]): number {
  return placed.reduce(
    (sum, { column, hidden, width }) => (hidden ? sum : sum + (width ?? leastWidth(column))),
    actionsWidth,
  );
}

/** A row as one cell of two lines, for screens too narrow for columns. */
function narrowColumn<Row>(
  first: GridColumn<Row>,
  columns: readonly GridColumn<Row>[],
  narrow: boolean,
): ColDef<Row> {
  const details = columns.filter((column) => column !== first && column.narrow === 'detail');
  const badges = columns.filter((column) => column.kind === 'badge' && column.narrow !== 'hidden');
  return {
    ...ownColumn,
    colId: narrowId,
    headerName: first.title,
    hide: !narrow,
    flex: 1,
    minWidth: 100,
    // The row itself is the value, so that the cell is drawn again whatever of it has changed.
    valueGetter: ({ data }) => data,
    valueFormatter: ({ data }) => (data ? cellText(first, data) : ''),
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

function selectColumn<Row>(first: GridColumn<Row>, pinned: boolean): ColDef<Row> {
  return {
    ...ownColumn,
    colId: selectId,
    headerName: 'Selected',
    headerComponent: SelectAllHeader,
    headerClass: 'grid-select-header',
    cellClass: 'grid-select-cell',
    pinned: pinned ? 'left' : null,
    lockPosition: 'left',
    width: selectWidth,
    cellRenderer: ({ data }: ICellRendererParams<Row>) =>
      data !== undefined && <SelectRow row={data} name={cellText(first, data)} />,
  };
}

function actionsColumn<Row>(pinned: boolean): ColDef<Row> {
  return {
    ...ownColumn,
    colId: actionsId,
    pinned: pinned ? 'right' : null,
    headerName: 'Actions',
    headerClass: 'grid-actions-header',
    cellClass: 'grid-actions-cell',
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

/** How the columns stand in AG Grid. */
function readPlaced<Row>(api: GridApi<Row>, placed: readonly PlacedColumn<Row>[]): PlacedColumn<Row>[] {
  return api.getColumnState().flatMap(({ colId, hide, width, flex, pinned }) => {
    const known = placed.find(({ column }) => column.id === colId);
    if (!known) return [];
    return [
      {
        column: known.column,
        hidden: hide === true,
        pinned: Boolean(pinned),
        ...(!flex && width && { width }),
      },
    ];
  });
}
