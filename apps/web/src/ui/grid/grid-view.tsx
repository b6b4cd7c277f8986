// AG Grid itself, with our keyboard. In the grid's own chunk, fetched by load-grid.ts;
// its columns are in grid-column-defs.tsx; search box, count and states in grid.tsx.
import type {
  ColDef,
  Column,
  ColumnEventType,
  GridApi,
  RowClickedEvent,
  SortChangedEvent,
  SuppressHeaderKeyboardEventParams,
  SuppressKeyboardEventParams,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useEffectEvent, useMemo, useState } from 'react';
import {
  actionsColumn,
  actionsId,
  columnDef,
  leastWidthOf,
  narrowColumn,
  selectColumn,
  selectId,
} from './columns/grid-column-defs.tsx';
import type { GridColumn } from './columns/grid-column.ts';
import type { GridEdition } from './editions/grid-edition.ts';
import { ColumnHeader } from './columns/grid-header.tsx';
import { moveToEdge, selectionKey } from './grid-keyboard.ts';
import type { PlacedColumn } from './columns/grid-layout.ts';
import { gridTexts } from './grid-locale.ts';
import type { GridPages } from './rows/grid-pages.ts';
import { GridPartsContext, type GridParts } from './grid-parts.ts';
import type { GridSort } from './rows/grid-query.ts';

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

  const openActions = (row: Row, cell: Element) => {
    const button = cell.closest('.ag-row')?.querySelector<HTMLElement>('.grid-actions');
    if (button) onRowActions?.(row, button);
  };

  /** At once, not with AG Grid's own event: that comes after the next key, which is meant for what opens here. */
  const actsOnRow = (event: KeyboardEvent, row: Row | undefined, column: Column): boolean => {
    if (row === undefined || !(event.target instanceof Element)) return false;
    const wantsActions =
      event.key === 'ContextMenu' ||
      (event.shiftKey && event.key === 'F10') ||
      (column.getColId() === actionsId && (event.key === 'Enter' || event.key === ' '));
    if (wantsActions && hasActions) openActions(row, event.target);
    else if (event.key === 'Enter' && onRowOpen) onRowOpen(row);
    else return false;
    event.preventDefault();
    return true;
  };

  const onCellKeys = useEffectEvent(
    ({ api, event, node, data, column }: SuppressKeyboardEventParams<Row>) => {
      if (moveToEdge(api, event) || actsOnRow(event, data, column)) return true;
      const key = selectionKey(event);
      if (!key || !parts.selection) return false;
      if (key === 'copy') return parts.selection.summary().count > 0;
      if (key === 'all') {
        event.preventDefault();
        parts.selectAll(true);
        return true;
      }
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
      const { all = false, except = 0 } = parts.selection?.summary() ?? {};
      parts.selectAll(!all || except > 0);
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
      ...placed.map((one) => columnDef(one, narrow, firstSort)),
      ...(hasActions ? [actionsColumn<Row>(crowded)] : []),
    ];
  }, [columns, placed, narrow, crowded, hasActions, selectable, firstSort]);

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

  const localeText = useMemo(() => gridTexts(), []);
  return (
    <GridPartsContext value={parts}>
      <AgGridReact<Row>
        {...rowModel}
        {...(narrow && { sideBar: false })}
        className={onRowOpen ? 'grid-rows grid-rows-open' : 'grid-rows'}
        theme={edition.theme}
        localeText={localeText}
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
