/** AG Grid column definitions: the caller's columns, and the select, actions and narrow-screen columns. */
import { t } from '@lingui/core/macro';
import type { ColDef, ICellRendererParams } from 'ag-grid-community';
import { actionsButton } from '../cells/actions-button.ts';
import { cellDrawerFor } from '../cells/draw-cell.ts';
import { drawNarrow, titleColumn } from '../cells/narrow-cell.ts';
import { plainCell } from '../cells/plain-cell.ts';
import { cellText, type GridColumn } from './grid-column.ts';
import { SelectAllHeader, SelectRow, type HeaderExtras } from './grid-header.tsx';
import type { PlacedColumn } from './grid-layout.ts';
import { actionsWidth, findAutoPinned, minColumnWidth, selectWidth } from './column-widths.ts';
import type { GridColumns } from './use-grid-columns.ts';
import type { GridSort } from '../rows/grid-query.ts';

export const selectId = '#select';
const narrowId = '#row';
export const actionsId = 'actions';

/** Options of the columns that users cannot arrange, resize or filter. */
const ownColumn = {
  sortable: false,
  resizable: false,
  suppressMovable: true,
  suppressColumnsToolPanel: true,
  suppressFiltersToolPanel: true,
} satisfies ColDef;

export function columnDefs<Row>({
  defined,
  placed,
  narrow,
  crowded,
  autoWidth,
  selectable,
  hasActions,
  sort,
}: Pick<GridColumns<Row>, 'defined' | 'placed'> & {
  narrow: boolean;
  crowded: boolean;
  /** Result of `autoPinWidth`. */
  autoWidth: number | null;
  selectable: boolean;
  hasActions: boolean;
  sort: GridSort | undefined;
}): ColDef<Row>[] {
  const first = titleColumn(defined);
  const autoPinned = findAutoPinned(placed, crowded);
  const pinned = autoPinned !== undefined || placed.some((entry) => entry.pinned && !entry.hidden);
  return [
    ...(selectable ? [selectColumn(first, pinned && !narrow)] : []),
    narrowColumn(defined, narrow),
    ...placed.map((entry) =>
      columnDef(entry, { narrow, autoWidth: entry === autoPinned ? autoWidth : null, sort }),
    ),
    ...(hasActions ? [actionsColumn<Row>(crowded)] : []),
  ];
}

function columnDef<Row>(
  { column, hidden, width, pinned }: PlacedColumn<Row>,
  { narrow, autoWidth, sort }: { narrow: boolean; autoWidth: number | null; sort: GridSort | undefined },
): ColDef<Row> {
  const draw = cellDrawerFor(column);
  // A pinned column does not share the remaining width.
  const autoPinned = autoWidth !== null;
  const shownWidth = autoWidth ?? width;
  const extras: HeaderExtras = { filterable: column.filter !== undefined };
  return {
    colId: column.id,
    headerName: column.title,
    sortable: column.sortable ?? true,
    initialSort: sort?.column === column.id ? sort.direction : null,
    // Hidden columns keep their sorting and filters on a narrow screen.
    hide: narrow || hidden,
    pinned: (pinned || autoPinned) && !narrow ? 'left' : null,
    lockPinned: autoPinned,
    flex: shownWidth === undefined ? (column.flex ?? 1) : null,
    ...(shownWidth !== undefined && { width: shownWidth }),
    minWidth: Math.min(autoWidth ?? minColumnWidth(column), minColumnWidth(column)),
    headerComponentParams: extras,
    ...(column.kind === 'number' && { cellClass: 'grid-number-cell', headerClass: 'grid-number-header' }),
    valueGetter: ({ data }) => (data === undefined ? '' : cellText(column, data)),
    ...(column.kind === 'person' && { cellClass: 'grid-person-cell' }),
    ...(draw && { ...valueIsRow(column), cellRenderer: plainCell(draw) }),
  };
}

function narrowColumn<Row>(columns: readonly GridColumn<Row>[], narrow: boolean): ColDef<Row> {
  const title = titleColumn(columns);
  return {
    ...ownColumn,
    colId: narrowId,
    headerName: title.title,
    hide: !narrow,
    flex: 1,
    minWidth: 100,
    ...valueIsRow(title),
    cellClass: 'grid-narrow-cell',
    headerClass: 'grid-narrow-header',
    cellRenderer: plainCell(drawNarrow(columns)),
  };
}

/** Uses the row as the cell's value, so that the cell is redrawn exactly when any field of the row changes. */
function valueIsRow<Row>(column: GridColumn<Row>): ColDef<Row> {
  return {
    valueGetter: ({ data }) => data,
    equals: (entry, other) => entry === other || JSON.stringify(entry) === JSON.stringify(other),
    valueFormatter: ({ data }) => (data === undefined ? '' : cellText(column, data)),
  };
}

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
