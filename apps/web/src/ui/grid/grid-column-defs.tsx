/** AG Grid column definitions: the caller's columns, and the select, actions and narrow-screen columns. */
import { t } from '@lingui/core/macro';
import type { ColDef } from 'ag-grid-community';
import { ActionsCell, ColumnCell, NarrowCell } from './cells.tsx';
import { cellText, titleColumn, type GridColumn } from './grid-column.ts';
import { SelectAllHeader, SelectCell, type HeaderExtras } from './grid-header.tsx';
import {
  actionsWidth,
  findAutoPinned,
  minAutoPinnedWidth,
  minColumnWidth,
  selectWidth,
  type PlacedColumn,
  type GridColumns,
} from './grid-layout.ts';
import type { GridSort } from './grid-query.ts';

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
  autoPinnedWidth,
  selectable,
  hasActions,
  sort,
}: Pick<GridColumns<Row>, 'defined' | 'placed'> & {
  narrow: boolean;
  crowded: boolean;
  autoPinnedWidth: number;
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
      columnDef(entry, { narrow, sort, autoPinnedWidth: entry === autoPinned ? autoPinnedWidth : undefined }),
    ),
    ...(hasActions ? [actionsColumn(first, crowded)] : []),
  ];
}

function columnDef<Row>(
  { column, hidden, width, pinned }: PlacedColumn<Row>,
  {
    narrow,
    sort,
    autoPinnedWidth,
  }: { narrow: boolean; sort: GridSort | undefined; autoPinnedWidth: number | undefined },
): ColDef<Row> {
  // AG Grid renders plain text without a component.
  const isPlain =
    column.kind === 'number' || column.kind === 'day' || (column.kind === 'text' && !column.icon);
  const isAutoPinned = autoPinnedWidth !== undefined;
  // A pinned column does not share the remaining width.
  const shownWidth = width ?? autoPinnedWidth;
  const extras: HeaderExtras = { filterable: column.filter !== undefined };
  return {
    colId: column.id,
    headerName: column.title,
    sortable: column.sortable ?? true,
    initialSort: sort?.column === column.id ? sort.direction : null,
    // Hidden columns keep their sorting and filters on a narrow screen.
    hide: narrow || hidden,
    pinned: (pinned || isAutoPinned) && !narrow ? 'left' : null,
    lockPinned: isAutoPinned,
    flex: shownWidth === undefined ? (column.flex ?? 1) : null,
    ...(shownWidth !== undefined && { width: shownWidth }),
    // Not wider than the width that the user has chosen.
    minWidth: Math.min(shownWidth ?? Infinity, isAutoPinned ? minAutoPinnedWidth : minColumnWidth(column)),
    headerComponentParams: extras,
    ...(column.kind === 'number' && { cellClass: 'grid-number-cell', headerClass: 'grid-number-header' }),
    valueGetter: ({ data }) => (data === undefined ? '' : cellText(column, data)),
    ...(column.kind === 'person' && { cellClass: 'grid-person-cell' }),
    // Not `column`: AG Grid would copy our column's properties, such as its minimum width, into its own column.
    ...(!isPlain && {
      ...valueIsRow(column),
      cellRenderer: ColumnCell,
      cellRendererParams: { content: column },
    }),
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
    cellRenderer: NarrowCell,
    cellRendererParams: { columns },
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

function selectColumn<Row>(title: GridColumn<Row>, pinned: boolean): ColDef<Row> {
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
    cellRenderer: SelectCell,
    cellRendererParams: { title },
  };
}

function actionsColumn<Row>(title: GridColumn<Row>, pinned: boolean): ColDef<Row> {
  return {
    ...ownColumn,
    // A change of the row may change its actions.
    ...valueIsRow(title),
    valueFormatter: () => '',
    colId: actionsId,
    pinned: pinned ? 'right' : null,
    headerName: t`Actions`,
    headerClass: 'grid-actions-header',
    cellClass: 'grid-actions-cell',
    lockPosition: 'right',
    width: actionsWidth,
    cellRenderer: ActionsCell,
  };
}
