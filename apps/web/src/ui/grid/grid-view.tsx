/** AG Grid with our columns and keys, loaded as a separate chunk by load-grid.ts. */
import type {
  ColDef,
  ColumnEventType,
  GridApi,
  GridOptions,
  RowClassRules,
  RowClickedEvent,
  SortChangedEvent,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useMemo, useState } from 'react';
import { t } from '@lingui/core/macro';
import type { RowMark } from './detail-panel.ts';
import { isCrowded, placedFromState, rowHeightOf, type GridColumns } from './grid-layout.ts';
import { columnDefs } from './grid-column-defs.tsx';
import { ColumnHeader, GridPartsContext, type GridParts } from './grid-header.tsx';
import type { GridEdition, RunningGrid } from './editions/grid-edition.ts';
import type { GridPages, GridRow } from './grid-pages.ts';
import type { GridSort } from './grid-query.ts';
import { useGridKeys } from './grid-keys.ts';

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
    () => columnDefs({ defined, placed, narrow, crowded, selectable, hasActions, sort: firstSort }),
    [defined, placed, narrow, crowded, hasActions, selectable, firstSort],
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
          onReady({ api, edition });
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

type ColumnsEvent<Row> = {
  api: GridApi<Row>;
  source: ColumnEventType;
  finished?: boolean;
};

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
