/** AG Grid with our columns and keys, loaded as a separate chunk by load-grid.ts. */
import type {
  ColDef,
  ColumnEventType,
  GridApi,
  GridOptions,
  RowClassRules,
  RowClickedEvent,
  SortChangedEvent,
  Column,
  SuppressHeaderKeyboardEventParams,
  SuppressKeyboardEventParams,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { t } from '@lingui/core/macro';
import type { RowMark } from './detail-panel.ts';
import {
  autoPinnedWidthOf,
  isCrowded,
  placedFromState,
  rowHeightOf,
  type GridColumns,
} from './grid-layout.ts';
import { columnDefs, actionsId, selectId } from './grid-column-defs.tsx';
import { ColumnHeader, GridPartsContext, type GridParts } from './grid-header.tsx';
import type { GridEdition, RunningGrid } from './editions/grid-edition.ts';
import type { GridPages, GridRow } from './grid-pages.ts';
import type { GridSort } from './grid-query.ts';

const options: GridOptions = {
  /** Rows per request. */
  cacheBlockSize: 100,
  maxBlocksInCache: 8,
  // Skips the pages that a dragged scroll bar passes.
  blockLoadDebounceMillis: 40,
  suppressNoRowsOverlay: true,
  suppressMultiSort: true,
  suppressDragLeaveHidesColumns: true,
  animateRows: false,
  // Renders a third less per jump than AG Grid's default of ten.
  rowBuffer: 4,
  // Allows text selection by mouse; arrow keys move between cells.
  enableCellTextSelection: true,
  ensureDomOrder: true,
  // Tab leaves the rows; arrow keys move between cells.
  tabToNextCell: () => false,
  // Shift+Tab from below returns to the cell that had the focus instead of the last row.
  focusGridInnerElement: ({ api, fromBottom }) => {
    const cell = fromBottom ? api.getFocusedCell() : null;
    if (!cell || !api.getDisplayedRowAtIndex(cell.rowIndex)) return false;
    api.setFocusedCell(cell.rowIndex, cell.column);
    return true;
  },
};

export type GridViewProps<Row> = {
  label: string;
  edition: GridEdition;
  columns: GridColumns<Row>;
  pages: GridPages<Row>;
  parts: GridParts;
  /** Available width in CSS pixels. */
  width: number;
  /** The row in the detail panel. */
  mark: RowMark;
  onReady: (grid: RunningGrid<Row>) => void;
  onSort: (sort: GridSort | undefined) => void;
  onRowOpen: ((row: Row) => void) | undefined;
  /** `anchor` is the element for the menu. */
  onRowActions: ((row: Row, anchor: HTMLElement) => void) | undefined;
};

export function GridView<Row extends GridRow>({
  label,
  edition,
  columns: { defined, placed, place, compact },
  pages,
  parts,
  width,
  mark,
  onReady,
  onSort,
  onRowOpen,
  onRowActions,
}: GridViewProps<Row>) {
  const [firstSort] = useState(parts.order);
  const [rowModel] = useState(() => edition.rows(pages));
  const { narrow } = parts;
  const hasActions = onRowActions !== undefined;
  const selectable = parts.selection !== null;
  // A pinned column halves the frame rate while scrolling.
  const crowded = !narrow && isCrowded(placed, width, selectable);
  const autoPinnedWidth = autoPinnedWidthOf(width);

  const openActions = (row: Row, cell: Element) => {
    const button = cell.closest('.ag-row')?.querySelector<HTMLElement>('.grid-actions');
    if (button) onRowActions?.(row, button);
  };
  const keys = useGridKeys<Row>(parts, {
    open: onRowOpen,
    openActions: hasActions ? openActions : undefined,
  });

  const [defaultColDef] = useState<ColDef<Row>>(() => ({
    sortingOrder: ['asc', 'desc', null],
    headerComponent: ColumnHeader,
    suppressHeaderMenuButton: true,
    suppressHeaderFilterButton: true,
    ...keys,
    cellClassRules: { 'grid-cell-waiting': ({ data }) => data === undefined },
  }));
  const shownColumns = useMemo(
    () =>
      columnDefs({
        defined,
        placed,
        narrow,
        crowded,
        autoPinnedWidth,
        selectable,
        hasActions,
        sort: firstSort,
      }),
    [defined, placed, narrow, crowded, autoPinnedWidth, hasActions, selectable, firstSort],
  );

  const [rowClassRules] = useState<RowClassRules<Row>>(() => ({
    'grid-row-shown': ({ data }) => data !== undefined && String(data.id) === mark.id,
  }));

  const onClick = ({ event, data, rowIndex }: RowClickedEvent<Row>) => {
    if (data === undefined || !(event?.target instanceof Element)) return;
    if (event.target.closest('.grid-actions')) openActions(data, event.target);
    else if (event.target.closest('.grid-select-cell')) {
      if (rowIndex !== null) parts.select(data, rowIndex, event instanceof MouseEvent && event.shiftKey);
    } else if (window.getSelection()?.type !== 'Range') onRowOpen?.(data);
  };

  const onColumns = ({ api, source, finished = true }: ColumnsEvent<Row>) => {
    if (finished && !narrow && userSources.has(source))
      place(placedFromState(api.getColumnState(), placed, crowded));
  };

  const rowHeight = rowHeightOf(defined, { narrow, compact });
  const position = usePosition();
  const localeText = useMemo(() => gridTexts(), []);
  return (
    <GridPartsContext value={parts}>
      <AgGridReact<Row>
        {...options}
        {...rowModel}
        {...(narrow && { sideBar: false })}
        className={`grid-rows${onRowOpen ? ' grid-rows-open' : ''}${compact ? ' grid-rows-compact' : ''}`}
        theme={edition.theme}
        localeText={localeText}
        columnDefs={shownColumns}
        defaultColDef={defaultColDef}
        rowClassRules={rowClassRules}
        rowHeight={rowHeight}
        containerStyle={{ '--grid-row-height': `${rowHeight}px` }}
        getRowId={({ data }) => String(data.id)}
        suppressMovableColumns={narrow}
        onGridReady={({ api }) => {
          api.setGridAriaProperty('label', label);
          if (selectable) api.setGridAriaProperty('multiselectable', 'true');
          onReady({ api, edition });
        }}
        onFirstDataRendered={({ api }) => void position.restore(api, pages.counted)}
        onBodyScrollEnd={({ api }) => position.store(Math.floor(api.getVerticalPixelRange().top / rowHeight))}
        onSortChanged={({ api }: SortChangedEvent<Row>) => onSort(sortOf(api))}
        onColumnMoved={onColumns}
        onColumnResized={onColumns}
        onColumnPinned={onColumns}
        onColumnVisible={onColumns}
        onRowClicked={onClick}
      />
    </GridPartsContext>
  );
}

/** First visible row by path and entry of the tab's history. */
const positions = new Map<string, number>();

/** Stores the position in the list, and restores it when the user returns by Back or Forward. */
function usePosition() {
  const [path] = useState(() => window.location.pathname);
  const entry = () => `${path} ${(window.history.state as { key?: string } | null)?.key}`;
  const shown = useRef(positions.get(entry()) ?? 0);
  // Opening a row adds an entry, at the same position.
  useEffect(() => void positions.set(entry(), shown.current));
  return {
    store(firstRow: number) {
      shown.current = firstRow;
      positions.set(entry(), firstRow);
    },
    async restore(api: GridApi, counted: Promise<number | undefined>) {
      const firstRow = shown.current;
      const total = (await counted) ?? 0;
      // The user may have scrolled meanwhile.
      if (firstRow === 0 || firstRow >= total || firstRow !== shown.current || api.isDestroyed()) return;
      api.ensureIndexVisible(firstRow, 'top');
    },
  };
}

type ColumnsEvent<Row> = { api: GridApi<Row>; source: ColumnEventType; finished?: boolean };

const userSources: ReadonlySet<ColumnEventType> = new Set<ColumnEventType>([
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

function sortOf<Row>(api: GridApi<Row>): GridSort | undefined {
  const sorted = api.getColumnState().find((column) => column.sort);
  return sorted?.sort ? { column: sorted.colId, direction: sorted.sort } : undefined;
}

const gridTexts = (): Record<string, string> => ({
  ariaSortableColumn: t`Press ENTER to sort`,
  ariaFilterColumn: t`Press ALT DOWN to open the filter`,
  ariaMenuColumn: t`Press ALT DOWN to open the filter`,
  ariaLabelColumnFilter: t`Filters`,
  ariaLabelColumnMenu: t`Columns`,
  ariaSkeletonCellLoading: t`Loading row`,
  ariaSkeletonCellLoadingFailed: t`Row could not be loaded`,
  loadingOoo: t`Loading…`,
  columns: t`Columns`,
  pinColumn: t`Pin column`,
  pinLeft: t`Pin to left`,
  pinRight: t`Pin to right`,
  noPin: t`Unpin`,
  autosizeThisColumn: t`Autosize this column`,
  autosizeAllColumns: t`Autosize all columns`,
  columnChooser: t`Choose columns`,
  resetColumns: t`Reset to default`,
  sortAscending: t`Sort ascending`,
  sortDescending: t`Sort descending`,
  sortUnSort: t`Clear sort`,
  searchOoo: t`Search`,
  selectAll: t`Select all`,
  noMatches: t`No matches`,
  copy: t`Copy`,
  copyWithHeaders: t`Copy with headers`,
});

/** Actions of keys on a row; undefined if an action is not available. */
type RowKeys<Row> = {
  open: ((row: Row) => void) | undefined;
  openActions: ((row: Row, cell: Element) => void) | undefined;
};

/** Key handlers of cells and headers for AG Grid's suppress callbacks. They return whether AG Grid must ignore the key. */
function useGridKeys<Row>(parts: GridParts, { open, openActions }: RowKeys<Row>) {
  /**
   * Handles the key without waiting for AG Grid's own key event. That is dispatched only after the next key, which must already reach the
   * opened panel or menu.
   */
  const handleRowKey = (event: KeyboardEvent, row: Row | undefined, column: Column): boolean => {
    if (row === undefined || !(event.target instanceof Element)) return false;
    const wantsActions =
      event.key === 'ContextMenu' ||
      (event.shiftKey && event.key === 'F10') ||
      (column.getColId() === actionsId && (event.key === 'Enter' || event.key === ' '));
    if (wantsActions && openActions) openActions(row, event.target);
    else if (event.key === 'Enter' && open) open(row);
    else return false;
    event.preventDefault();
    return true;
  };

  const onCellKeys = useEffectEvent(
    ({ api, event, node, data, column }: SuppressKeyboardEventParams<Row>) => {
      if (moveToEdge(api, event) || handleRowKey(event, data, column)) return true;
      const key = selectionKey(event);
      if (!key || !parts.selection) return false;
      if (key === 'copy') return parts.selection.summary().count > 0;
      event.preventDefault();
      if (key === 'all') parts.selectAll(true);
      else if (data !== undefined && node.rowIndex !== null)
        parts.select(data, node.rowIndex, key === 'range');
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
      const summary = parts.selection?.summary();
      if (summary) parts.selectAll(!summary.all || summary.except > 0);
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

  const [keys] = useState(() => ({
    suppressKeyboardEvent: (params: SuppressKeyboardEventParams<Row>) => onCellKeys(params),
    suppressHeaderKeyboardEvent: (params: SuppressHeaderKeyboardEventParams<Row>) => onHeaderKeys(params),
  }));
  return keys;
}

/**
 * Handles Home and End (first and last cell of the row; with Ctrl or Cmd, of the grid) and returns whether the key was one of these.
 * AG Grid's own handling does not scroll to rows that are not loaded.
 */
function moveToEdge<Row>(api: GridApi<Row>, event: KeyboardEvent): boolean {
  if (event.key !== 'Home' && event.key !== 'End') return false;
  event.preventDefault();
  const toEnd = event.key === 'End';
  const columns = api.getAllDisplayedColumns();
  const column = toEnd ? columns.at(-1) : columns[0];
  const focused = api.getFocusedCell();
  if (!column || !focused) return true;
  let row = focused.rowIndex;
  if (event.ctrlKey || event.metaKey) {
    row = toEnd ? api.getDisplayedRowCount() - 1 : 0;
    api.ensureIndexVisible(row, toEnd ? 'bottom' : 'top');
  }
  api.ensureColumnVisible(column);
  api.setFocusedCell(row, column);
  return true;
}

type SelectionKey = 'toggle' | 'range' | 'all' | 'copy' | null;

/** Returns the action of a key: Space toggles the row, Shift+Space selects a range, Ctrl+A selects all matching rows, and Ctrl+C copies. */
function selectionKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): SelectionKey {
  if (altKey) return null;
  const command = ctrlKey || metaKey;
  if (key === ' ' && !command) return shiftKey ? 'range' : 'toggle';
  if (!command || shiftKey) return null;
  if (key.toLowerCase() === 'a') return 'all';
  return key.toLowerCase() === 'c' ? 'copy' : null;
}
