/** The columns of a grid as AG Grid knows them: the caller's, and our own for selecting, for actions and for phones. */
import { t } from '@lingui/core/macro';
import type { ColDef, ICellRendererParams } from 'ag-grid-community';
import { actionsButton } from '../cells/actions-button.ts';
import { drawerOf } from '../cells/draw-cell.ts';
import { drawNarrow, titleColumn } from '../cells/narrow-cell.ts';
import { plainCell } from '../cells/plain-cell.ts';
import { cellText, type GridColumn } from './grid-column.ts';
import { SelectAllHeader, SelectRow, type HeaderExtras } from './grid-header.tsx';
import type { PlacedColumn } from './grid-layout.ts';
import { actionsWidth, keptColumn, leastWidth, selectWidth } from './column-widths.ts';
import type { GridColumns } from './use-grid-columns.ts';
import type { GridSort } from '../rows/grid-query.ts';

/** The column of check boxes. */
export const selectId = '#select';
const narrowId = '#row';
/** The column of the rows' menus. */
export const actionsId = 'actions';

/** The columns that are not the caller's: nobody chooses, moves, sizes or filters them. */
const ownColumn = {
  sortable: false,
  resizable: false,
  suppressMovable: true,
  suppressColumnsToolPanel: true,
  suppressFiltersToolPanel: true,
} satisfies ColDef;

/** All columns, in their order; on a narrow screen a row is one cell. */
export function columnDefs<Row>({
  defined,
  placed,
  narrow,
  crowded,
  keptAt,
  selectable,
  hasActions,
  sort,
}: Pick<GridColumns<Row>, 'defined' | 'placed'> & {
  narrow: boolean;
  /** The columns do not fit beside each other. */
  crowded: boolean;
  /** How wide that of them is that stays in sight; see `keptWidth`. */
  keptAt: number | null;
  selectable: boolean;
  hasActions: boolean;
  sort: GridSort | undefined;
}): ColDef<Row>[] {
  const first = titleColumn(defined);
  const kept = keptColumn(placed, crowded);
  const pinned = kept !== undefined || placed.some((one) => one.pinned && !one.hidden);
  return [
    ...(selectable ? [selectColumn(first, pinned && !narrow)] : []),
    narrowColumn(defined, narrow),
    ...placed.map((one) => columnDef(one, { narrow, keptAt: one === kept ? keptAt : null, sort })),
    ...(hasActions ? [actionsColumn<Row>(crowded)] : []),
  ];
}

/** A column of the caller's. */
function columnDef<Row>(
  { column, hidden, width, pinned }: PlacedColumn<Row>,
  { narrow, keptAt, sort }: { narrow: boolean; keptAt: number | null; sort: GridSort | undefined },
): ColDef<Row> {
  const draw = drawerOf(column);
  // A pinned column takes no share of what is left over.
  const kept = keptAt !== null;
  const shownWidth = keptAt ?? width;
  const extras: HeaderExtras = { filterable: column.filter !== undefined };
  return {
    colId: column.id,
    headerName: column.title,
    sortable: column.sortable ?? true,
    initialSort: sort?.column === column.id ? sort.direction : null,
    // On a narrow screen columns keep their sorting and filters out of sight.
    hide: narrow || hidden,
    pinned: (pinned || kept) && !narrow ? 'left' : null,
    lockPinned: kept,
    flex: shownWidth === undefined ? (column.flex ?? 1) : null,
    ...(shownWidth !== undefined && { width: shownWidth }),
    minWidth: Math.min(keptAt ?? leastWidth(column), leastWidth(column)),
    headerComponentParams: extras,
    ...(column.kind === 'number' && { cellClass: 'grid-number-cell', headerClass: 'grid-number-header' }),
    valueGetter: ({ data }) => (data === undefined ? '' : cellText(column, data)),
    ...(column.kind === 'person' && { cellClass: 'grid-person-cell' }),
    ...(draw && { ...drawnByRow(column), cellRenderer: plainCell(draw) }),
  };
}

/** A row as one cell, for screens too narrow for columns. */
function narrowColumn<Row>(columns: readonly GridColumn<Row>[], narrow: boolean): ColDef<Row> {
  const title = titleColumn(columns);
  return {
    ...ownColumn,
    colId: narrowId,
    headerName: title.title,
    hide: !narrow,
    flex: 1,
    minWidth: 100,
    ...drawnByRow(title),
    cellClass: 'grid-narrow-cell',
    headerClass: 'grid-narrow-header',
    cellRenderer: plainCell(drawNarrow(columns)),
  };
}

/** The row itself is the value, so that the cell is drawn again whatever of it has changed, and only then. */
function drawnByRow<Row>(column: GridColumn<Row>): ColDef<Row> {
  return {
    valueGetter: ({ data }) => data,
    equals: (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other),
    valueFormatter: ({ data }) => (data === undefined ? '' : cellText(column, data)),
  };
}

/** Check boxes that name their row by its `first` column. */
function selectColumn<Row>(first: GridColumn<Row>, pinned: boolean): ColDef<Row> {
  return {
    ...ownColumn,
    colId: selectId,
    headerName: t`Selected`,
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

/** The button of each row's menu. */
function actionsColumn<Row>(pinned: boolean): ColDef<Row> {
  return {
    ...ownColumn,
    colId: actionsId,
    pinned: pinned ? 'right' : null,
    headerName: t`Actions`,
    headerClass: 'grid-actions-header',
    cellClass: 'grid-actions-cell',
    lockPosition: 'right',
    width: actionsWidth,
    cellRenderer: plainCell<Row>(actionsButton, true),
  };
}
