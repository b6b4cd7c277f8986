// The lines above the rows: search, count and tools; and, while rows are selected, what can be done with them.
import {
  IconAdjustmentsHorizontal,
  IconColumns3,
  IconDownload,
  IconRefresh,
  IconSearch,
  IconX,
} from '@tabler/icons-react';
import { useSyncExternalStore, type ReactNode } from 'react';
import { Button } from './button.tsx';
import type { RowSelection, SelectedRows } from './grid-selection.ts';
import { Menu, type MenuItem } from './menu.tsx';

/** Search, count, and the grid's tools. */
export function GridBar<Row>({
  label,
  count,
  typed,
  onType,
  onSearch,
  narrow,
  filtered,
  canFilter,
  onSheet,
  onColumns,
  onExport,
  onRefresh,
  selection,
  views,
}: {
  label: string;
  count: string;
  typed: string;
  onType: (text: string) => void;
  onSearch: () => void;
  narrow: boolean;
  /** How many filters are on. */
  filtered: number;
  canFilter: boolean;
  onSheet: () => void;
  onColumns: () => void;
  /** All rows that match, or the selected ones. */
  onExport: ((format: 'csv' | 'xlsx', selectedOnly: boolean) => void) | undefined;
  onRefresh: () => void;
  selection: RowSelection<Row>;
  views: ReactNode;
}) {
  const things = label.toLowerCase();
  return (
    <div className="grid-bar">
      <div className="grid-search">
        <IconSearch size={17} aria-hidden="true" />
        <input
          type="search"
          autoComplete="off"
          maxLength={200}
          aria-label={`Search ${things}`}
          placeholder="Search"
          value={typed}
          onChange={(event) => onType(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onSearch();
          }}
        />
      </div>
      <output className="grid-count">{count}</output>
      <div className="grid-tools">
        {narrow && (
          <Button variant="quiet" className="grid-tool" onClick={onSheet}>
            <IconAdjustmentsHorizontal size={18} stroke={1.75} aria-hidden="true" />
            {canFilter ? 'Sort and filter' : 'Sort'}
            {filtered > 0 && <span className="grid-tool-number">{filtered}</span>}
          </Button>
        )}
        {views}
        {!narrow && (
          <Button variant="quiet" className="grid-tool" aria-label="Columns" onClick={onColumns}>
            <IconColumns3 size={18} stroke={1.75} aria-hidden="true" />
            <span className="grid-tool-text">Columns</span>
          </Button>
        )}
        {onExport && <ExportMenu things={things} selection={selection} onExport={onExport} />}
        <Button variant="quiet" aria-label={`Refresh ${things}`} title="Refresh" onClick={onRefresh}>
          <IconRefresh size={18} stroke={1.75} aria-hidden="true" />
        </Button>
      </div>
    </div>
  );
}

function ExportMenu<Row>({
  things,
  selection,
  onExport,
}: {
  things: string;
  selection: RowSelection<Row>;
  onExport: (format: 'csv' | 'xlsx', selectedOnly: boolean) => void;
}) {
  const { count, all } = useSyncExternalStore(selection.subscribe, selection.summary);
  const formats = [
    { format: 'csv', name: 'CSV, for any program' },
    { format: 'xlsx', name: 'XLSX, for spreadsheets' },
  ] as const;
  const entries = (before: string, selectedOnly: boolean) =>
    formats.map(({ format, name }) => ({
      label: `${before}${name}`,
      onSelect: () => onExport(format, selectedOnly),
    }));
  const items =
    count > 0 && !all
      ? [...entries(`${count.toLocaleString()} selected: `, true), ...entries('All that match: ', false)]
      : entries('', false);
  return (
    <Menu items={items}>
      <Button variant="quiet" className="grid-tool" aria-label={`Export ${things}`}>
        <IconDownload size={18} stroke={1.75} aria-hidden="true" />
        <span className="grid-tool-text">Export</span>
      </Button>
    </Menu>
  );
}

/** How many rows are selected and what can be done with them; nothing while none is. */
export function SelectionBar<Row>({
  selection,
  actions,
  unit: [one, other],
  total,
  onSelectAll,
}: {
  selection: RowSelection<Row>;
  actions: readonly (Omit<MenuItem, 'onSelect'> & { onSelect: (selected: SelectedRows<Row>) => unknown })[];
  unit: readonly [one: string, other: string];
  /** All that match. */
  total: number | undefined;
  onSelectAll: () => void;
}) {
  const { count, all } = useSyncExternalStore(selection.subscribe, selection.summary);
  const number = `${count.toLocaleString()} ${count === 1 ? one : other}`;
  return (
    <>
      {/* Always there: a screen reader tells what comes into it. */}
      <output className="visually-hidden">
        {count > 0 && (all ? `All ${number} that match are selected` : `${number} selected`)}
      </output>
      {count > 0 && (
        <fieldset className="grid-selected" aria-label="Selected rows">
          <span className="grid-selected-count" aria-hidden="true">
            {all ? `All ${number}` : number} selected
          </span>
          {!all && total !== undefined && total > count && (
            <button type="button" className="grid-chips-clear" onClick={onSelectAll}>
              {`Select all ${total.toLocaleString()} matching`}
            </button>
          )}
          <div className="grid-selected-actions">
            {actions.map(({ label, icon, danger, disabled, onSelect }) => (
              <Button
                key={label}
                size="small"
                icon={icon}
                className={danger ? 'grid-selected-danger' : ''}
                disabled={disabled ?? false}
                onClick={() => onSelect(selection.selected())}
              >
                {label}
              </Button>
            ))}
            <Button
              size="small"
              variant="quiet"
              aria-label="Clear the selection"
              title="Clear the selection (Esc)"
              onClick={({ currentTarget }) => {
                currentTarget.closest('.grid')?.querySelector('input')?.focus();
                selection.clear();
              }}
            >
              <IconX size={16} aria-hidden="true" />
            </Button>
          </div>
        </fieldset>
      )}
    </>
  );
}
