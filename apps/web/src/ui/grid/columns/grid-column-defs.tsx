/** The columns of a grid as AG Grid knows them: the caller's, and our own for selecting, for actions and for phones. */
import { t } from '@lingui/core/macro';
import type { ColDef, ICellRendererParams } from 'ag-grid-community';
import { Badge } from '../../badge.tsx';
import { cellText, type GridColumn } from './grid-column.ts';
import { SelectAllHeader, SelectRow, type HeaderExtras } from './grid-header.tsx';
import type { PlacedColumn } from './grid-layout.ts';
import type { GridColumns } from './use-grid-columns.ts';
import type { GridSort } from '../rows/grid-query.ts';

/** The column of check boxes. */
export const selectId = '#select';
const narrowId = '#row';
/** The column of the rows' menus. */
export const actionsId = 'actions';
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

/** All columns, in their order; on a narrow screen a row is one cell. */
export function columnDefs<Row>({
  defined,
  placed,
  narrow,
  crowded,
  selectable,
  hasActions,
  sort,
}: Pick<GridColumns<Row>, 'defined' | 'placed'> & {
  narrow: boolean;
  /** The columns do not fit beside each other. */
  crowded: boolean;
  selectable: boolean;
  hasActions: boolean;
  sort: GridSort | undefined;
}): ColDef<Row>[] {
  const [first] = defined;
  if (!first) throw new Error('A grid needs at least one column.');
  const pinned = placed.some((one) => one.pinned && !one.hidden);
  return [
    ...(selectable ? [selectColumn(first, pinned && !narrow)] : []),
    narrowColumn(first, defined, narrow),
    ...placed.map((one) => columnDef(one, narrow, sort)),
    ...(hasActions ? [actionsColumn<Row>(crowded)] : []),
  ];
}

/** A column of the caller's. */
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

/** Below it the columns do not fit beside each other. CSS pixels. */
export function leastWidthOf<Row>(placed: readonly PlacedColumn<Row>[]): number {
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
    cellRenderer: ({ data }: ICellRendererParams<Row>) =>
      data !== undefined && (
        // The cell has the keyboard's focus and opens the menu on Enter; the button is for pointers and names it.
        <button
          type="button"
          className="icon-button grid-actions"
          tabIndex={-1}
          aria-haspopup="menu"
          aria-label={t`Actions`}
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
