import { t } from '@lingui/core/macro';
import type { IHeaderParams } from 'ag-grid-community';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useGridParts } from '../grid-parts.ts';
import { isEverySelected } from '../selection/every-row.ts';

export type HeaderExtras = {
  filterable: boolean;
};

/** Header with title, sort arrow and filter button. useGridKeys handles its keys. */
export function ColumnHeader({
  column,
  displayName,
  enableSorting,
  progressSort,
  eGridHeader,
  filterable,
}: IHeaderParams & HeaderExtras) {
  const { filters, openFilter } = useGridParts();
  const [sort, setSort] = useState(() => column.getSort());
  useEffect(() => {
    const update = () => setSort(column.getSort());
    column.addEventListener('sortChanged', update);
    return () => column.removeEventListener('sortChanged', update);
  }, [column]);
  const filtered = filters.some((filter) => filter.column === column.getColId());

  return (
    <div className="grid-head">
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the header cell
          around this element has the focus and handles Enter */}
      <div className="grid-head-title" onClick={() => enableSorting && progressSort(false)}>
        <span className="grid-head-text one-line">{displayName}</span>
        {sort && (
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <path
              d={sort === 'asc' ? 'M8 13V3m-4 4 4-4 4 4' : 'M8 3v10m-4-4 4 4 4-4'}
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          </svg>
        )}
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
          <svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">
            <path
              d="M2 3.5h12L9.5 8.7v4.1l-3 1.2V8.7z"
              fill={filtered ? 'currentColor' : 'none'}
              stroke="currentColor"
              strokeWidth="1.3"
              strokeLinejoin="round"
            />
          </svg>
        </button>
      )}
    </div>
  );
}

/** Check box that selects all matching rows or deselects all rows. */
export function SelectAllHeader({ api }: IHeaderParams) {
  const { selection, selectAll, total } = useGridParts();
  const { count } = useSyncExternalStore(selection!.subscribe, selection!.summary);
  const watch = useCallback(
    (listener: () => void) => {
      const unsubscribe = selection!.subscribe(listener);
      api.addEventListener('modelUpdated', listener);
      return () => {
        unsubscribe();
        if (!api.isDestroyed()) api.removeEventListener('modelUpdated', listener);
      };
    },
    [selection, api],
  );
  const every = useSyncExternalStore(watch, () => isEverySelected(selection!, api, total));
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && !every;
  }, [count, every]);
  return (
    <input
      ref={box}
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
export function SelectRow<Row>({ row, name }: { row: Row; name: string }) {
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
