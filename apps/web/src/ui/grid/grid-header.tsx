import { t } from '@lingui/core/macro';
import { IconArrowDown, IconArrowUp, IconFilter, IconFilterFilled } from '@tabler/icons-react';
import type { ICellRendererParams, IHeaderParams } from 'ag-grid-community';
import { createContext, use, useEffect, useRef, useSyncExternalStore } from 'react';
import { cellText, type GridColumn } from './grid-column.ts';
import type { GridFilter, GridSort } from './grid-query.ts';
import type { RowSelection } from './grid-selection.ts';

export type HeaderExtras = { filterable: boolean };

/** Header with title, sort arrow and filter button. useGridKeys handles its keys. */
export function ColumnHeader({
  column,
  displayName,
  enableSorting,
  progressSort,
  eGridHeader,
  filterable,
}: IHeaderParams & HeaderExtras) {
  const { filters, order, openFilter } = useGridParts();
  const sort = order?.column === column.getColId() && order.direction;
  const filtered = filters.some((filter) => filter.column === column.getColId());
  useEffect(() => {
    // Otherwise the name includes that of the filter button, and screen readers read both for every cell.
    eGridHeader.setAttribute('aria-label', displayName);
  }, [eGridHeader, displayName]);
  const FilterIcon = filtered ? IconFilterFilled : IconFilter;

  return (
    <div className="grid-head">
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the header cell
          around this element has the focus and handles Enter */}
      <div className="grid-head-title" onClick={() => enableSorting && progressSort(false)}>
        <span className="grid-head-text one-line">{displayName}</span>
        {sort === 'asc' && <IconArrowUp size={14} aria-hidden="true" />}
        {sort === 'desc' && <IconArrowDown size={14} aria-hidden="true" />}
      </div>
      {filterable && (
        <button
          type="button"
          className={`icon-button grid-head-filter${filtered ? ' grid-head-filtered' : ''}`}
          tabIndex={-1}
          aria-haspopup="dialog"
          aria-label={filtered ? t`Edit filter on ${displayName}` : t`Filter ${displayName}`}
          onClick={() => openFilter(column.getColId(), eGridHeader)}
        >
          <FilterIcon size={15} aria-hidden="true" />
        </button>
      )}
    </div>
  );
}

/** Check box that selects all matching rows or deselects all rows. */
export function SelectAllHeader() {
  const { selection, selectAll, total } = useGridParts();
  const { count, all, except } = useSyncExternalStore(selection!.subscribe, selection!.summary);
  const every = all && except === 0;
  return (
    <input
      ref={(box) => {
        if (box) box.indeterminate = count > 0 && !every;
      }}
      type="checkbox"
      className="grid-check"
      tabIndex={-1}
      aria-label={t`Select all matching rows`}
      checked={every}
      // Without the total, a click would have no effect.
      disabled={total === undefined}
      onChange={() => selectAll(!every)}
    />
  );
}

/** Check box of a row. GridView and useGridKeys handle clicks and keys. */
export function SelectCell<Row>({ data, title }: ICellRendererParams<Row> & { title: GridColumn<Row> }) {
  return data !== undefined && <SelectRow row={data} name={cellText(title, data)} />;
}

function SelectRow<Row>({ row, name }: { row: Row; name: string }) {
  const { selection } = useGridParts();
  const selected = useSyncExternalStore(selection!.subscribe, () => selection!.has(row));
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => selection!.refreshRow(row), [selection, row]);
  useEffect(() => {
    box.current?.closest('.ag-row')?.setAttribute('aria-selected', String(selected));
  }, [selected]);
  return (
    <input
      ref={box}
      type="checkbox"
      className="grid-check"
      tabIndex={-1}
      aria-label={t`Select ${name}`}
      checked={selected}
      readOnly
    />
  );
}

/** Context of the headers and check boxes that AG Grid renders. */
export type GridParts = {
  /** Each row is rendered as one cell. */
  narrow: boolean;
  filters: readonly GridFilter[];
  order: GridSort | undefined;
  openFilter: (column: string, header: HTMLElement) => void;
  /** Null if the grid has no bulk actions. */
  // oxlint-disable-next-line typescript/no-explicit-any -- AG Grid's components are not generic
  selection: RowSelection<any> | null;
  selectAll: (all: boolean) => void;
  /** Toggles a row. With `range`, toggles all rows from the previously toggled row to this row. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  select: (row: any, index: number, range: boolean) => unknown;
  /** Number of matching rows; undefined until counted. */
  total: number | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  hasRowActions: (row: any) => boolean;
};

export const GridPartsContext = createContext<GridParts | null>(null);

export function useGridParts(): GridParts {
  const parts = use(GridPartsContext);
  if (!parts) throw new Error('Only inside a grid.');
  return parts;
}
