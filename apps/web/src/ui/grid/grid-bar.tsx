// The lines above the rows: search, count and tools; and, while rows are selected, what can be done with them.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  IconAdjustmentsHorizontal,
  IconColumns3,
  IconDownload,
  IconRefresh,
  IconSearch,
  IconX,
} from '@tabler/icons-react';
import { useSyncExternalStore, type ReactNode } from 'react';
import { formatNumber, inSentence } from '../../language/formats.ts';
import { Button } from '../button.tsx';
import type { RowSelection, SelectedRows } from './selection/grid-selection.ts';
import { Menu, type MenuItem } from '../menu/menu.tsx';

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
  const things = inSentence(label);
  return (
    <div className="grid-bar">
      <div className="grid-search">
        <IconSearch size={17} aria-hidden="true" />
        <input
          type="search"
          autoComplete="off"
          maxLength={200}
          aria-label={t`Search ${things}`}
          placeholder={t`Search`}
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
            {canFilter ? t`Sort and filter` : t`Sort`}
            {filtered > 0 && <span className="grid-tool-number">{filtered}</span>}
          </Button>
        )}
        {views}
        {!narrow && (
          <Button variant="quiet" className="grid-tool" aria-label={t`Columns`} onClick={onColumns}>
            <IconColumns3 size={18} stroke={1.75} aria-hidden="true" />
            <span className="grid-tool-text">
              <Trans>Columns</Trans>
            </span>
          </Button>
        )}
        {onExport && <ExportMenu things={things} selection={selection} onExport={onExport} />}
        <Button variant="quiet" aria-label={t`Refresh ${things}`} title={t`Refresh`} onClick={onRefresh}>
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
  const { count, all, except } = useSyncExternalStore(selection.subscribe, selection.summary);
  const formats = [
    { format: 'csv', name: t`CSV, for any program` },
    { format: 'xlsx', name: t`XLSX, for spreadsheets` },
  ] as const;
  const entries = (before: string, selectedOnly: boolean) =>
    formats.map(({ format, name }) => ({
      label: `${before}${name}`,
      onSelect: () => onExport(format, selectedOnly),
    }));
  const items =
    count > 0 && (!all || except > 0)
      ? [
          ...entries(`${t`${formatNumber(count)} selected:`} `, true),
          ...entries(`${t`All that match:`} `, false),
        ]
      : entries('', false);
  return (
    <Menu items={items}>
      <Button variant="quiet" className="grid-tool" aria-label={t`Export ${things}`}>
        <IconDownload size={18} stroke={1.75} aria-hidden="true" />
        <span className="grid-tool-text">
          <Trans>Export</Trans>
        </span>
      </Button>
    </Menu>
  );
}

/** How many rows are selected and what can be done with them; nothing while none is. */
export function SelectionBar<Row>({
  selection,
  actions,
  countOf,
  total,
  onSelectAll,
}: {
  selection: RowSelection<Row>;
  actions: readonly (Omit<MenuItem, 'onSelect'> & { onSelect: (selected: SelectedRows<Row>) => unknown })[];
  /** "3 people". */
  countOf: (count: number) => string;
  /** All that match. */
  total: number | undefined;
  onSelectAll: () => void;
}) {
  const { count, all, except } = useSyncExternalStore(selection.subscribe, selection.summary);
  const every = all && except === 0;
  const number = countOf(count);
  return (
    <>
      {/* Always there: a screen reader tells what comes into it. */}
      <output className="visually-hidden">
        {count > 0 && (every ? t`All ${number} that match are selected` : t`${number} selected`)}
      </output>
      {count > 0 && (
        <fieldset className="grid-selected" aria-label={t`Selected rows`}>
          <span className="grid-selected-count" aria-hidden="true">
            {every ? t`All ${number} selected` : t`${number} selected`}
          </span>
          {!every && total !== undefined && total > count && (
            <button type="button" className="grid-chips-clear" onClick={onSelectAll}>
              {t`Select all ${formatNumber(total)} matching`}
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
              aria-label={t`Clear the selection`}
              title={t`Clear the selection (Esc)`}
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
