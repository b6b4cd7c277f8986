import { t } from '@lingui/core/macro';
import { IconAdjustmentsHorizontal, IconColumns3, IconRefresh, IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useId, useSyncExternalStore, type ReactNode, useRef } from 'react';
import { formatNumber, nounInSentence } from '../../language/formats.ts';
import { Button, QuietButton } from '../button.tsx';
import type { OpenPanel } from './grid-panels.tsx';
import type { BulkAction, TabCounts } from './grid-props.ts';
import type { GridRow } from './grid-pages.ts';
import type { FilterControls } from './grid-state.ts';
import type { RowSelection, SelectedRows } from './grid-selection.ts';
import { skippedMessage, withoutSkipped } from './skipped.ts';
import type { GridColumn } from './grid-column.ts';
import { filterText } from './filters/filter-text.ts';
import { withFilter } from './grid-query.ts';
import '../tabs.css';

/** Returns the number of matching rows as displayed: "3 people", or "about 200,000 people" while they are counted. */
export function displayedCount(
  countOf: (count: number) => string,
  total: number | undefined,
  estimate: number | undefined,
): string {
  if (total !== undefined) return countOf(total);
  if (estimate === undefined) return '';
  const estimated = countOf(estimate);
  return t`about ${estimated}`;
}

export function GridBar({
  label,
  count,
  narrow,
  controls: { typed, setTyped, search, filters },
  filterable,
  onPanel,
  onRefresh,
  views,
  exports,
}: {
  label: string;
  count: string;
  narrow: boolean;
  controls: FilterControls;
  filterable: boolean;
  onPanel: (panel: OpenPanel) => void;
  onRefresh: () => void;
  views: ReactNode;
  exports: ReactNode;
}) {
  const things = nounInSentence(label);
  return (
    <div className="grid-bar">
      <div className="grid-search">
        <IconSearch size={17} aria-hidden="true" />
        <input
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          maxLength={200}
          aria-label={t`Search ${things}`}
          placeholder={t`Search`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') search();
          }}
        />
      </div>
      <output className="grid-count">{count}</output>
      <div className="grid-tools">
        {narrow && (
          <Button variant="quiet" className="grid-tool" onClick={() => onPanel('sheet')}>
            <IconAdjustmentsHorizontal size={18} stroke={1.75} aria-hidden="true" />
            <span className="grid-tool-word">{filterable ? t`Sort and filter` : t`Sort`}</span>
            {filters.length > 0 && <span className="grid-tool-number">{filters.length}</span>}
          </Button>
        )}
        {views}
        {!narrow && (
          <Button
            variant="quiet"
            className="grid-tool"
            aria-label={t`Columns`}
            onClick={() => onPanel('columns')}
          >
            <IconColumns3 size={18} stroke={1.75} aria-hidden="true" />
            <span className="grid-tool-text one-line">{t`Columns`}</span>
          </Button>
        )}
        {exports}
        <Button variant="quiet" aria-label={t`Refresh ${things}`} title={t`Refresh`} onClick={onRefresh}>
          <IconRefresh size={18} stroke={1.75} aria-hidden="true" />
        </Button>
      </div>
    </div>
  );
}

/** Number of selected rows and their bulk actions. Empty while no row is selected. */
export function SelectionBar<Row extends GridRow>({
  selection,
  actions,
  countOf,
  total,
  onSelectAll,
}: {
  selection: RowSelection<Row>;
  actions: readonly BulkAction<Row>[];
  /** "3 people". */
  countOf: (count: number) => string;
  /** Number of matching rows. */
  total: number | undefined;
  onSelectAll: () => void;
}) {
  const { count, all, except } = useSyncExternalStore(selection.subscribe, selection.summary);
  const isEveryMatching = all && except === 0;
  const number = countOf(count);
  const summary = isEveryMatching && count > 1 ? t`All ${number} selected` : t`${number} selected`;
  const hasSelection = count > 0;
  const id = useId();
  const offers = actions.map((action) => {
    const affected = withoutSkipped(selection.selected(), action.skipReason);
    const { skipReasons = [] } = affected;
    return { action, affected, reason: skipReasons.length > 0 && skippedMessage(skipReasons) };
  });
  return (
    <>
      {/* Always rendered: screen readers announce changes of an existing element only. */}
      <output className="visually-hidden">{hasSelection && summary}</output>
      {hasSelection && (
        <fieldset className="grid-selected" aria-label={t`Selected rows`} tabIndex={-1}>
          <span className="grid-selected-count" aria-hidden="true">
            {summary}
          </span>
          {!isEveryMatching && total !== undefined && total > count && (
            <button
              type="button"
              className="grid-chips-clear"
              onClick={({ currentTarget }) => {
                // This button is removed, so the fieldset takes the focus: there, Esc clears the selection and Tab moves to the actions.
                currentTarget.closest('fieldset')?.focus();
                onSelectAll();
              }}
            >
              {t`Select all ${formatNumber(total)} matching`}
            </button>
          )}
          <div className="grid-selected-actions button-row">
            {offers.map(({ action, affected, reason }, index) => (
              <ActionButton
                key={action.label}
                action={action}
                affected={affected}
                selectedCount={count}
                {...(reason && { reasonId: `${id}-${index}`, reason })}
              />
            ))}
            <QuietButton
              aria-label={t`Clear selection`}
              title={t`Clear selection (Esc)`}
              onClick={({ currentTarget }) => {
                focusSearch(currentTarget);
                selection.clear();
              }}
            >
              <IconX size={16} aria-hidden="true" />
            </QuietButton>
          </div>
          <p className="grid-selected-why">
            {offers.map(
              ({ action, reason }, index) =>
                reason && (
                  <span key={action.label}>
                    <b>{action.label}</b> <span id={`${id}-${index}`}>{reason}</span>{' '}
                  </span>
                ),
            )}
          </p>
        </fieldset>
      )}
    </>
  );
}

/**
 * Button of a bulk action. If some selected rows would be skipped, it shows the number of affected rows and the reason for skipping others.
 */
function ActionButton<Row extends GridRow>({
  action: { label, icon, danger, onSelect },
  affected,
  selectedCount,
  reason,
  reasonId,
}: {
  action: BulkAction<Row>;
  affected: SelectedRows<Row>;
  selectedCount: number;
  reason?: string;
  reasonId?: string;
}) {
  return (
    <Button
      size="small"
      icon={icon}
      className={danger ? 'danger' : ''}
      aria-disabled={affected.count === 0}
      title={reason}
      aria-describedby={reasonId}
      onClick={async ({ currentTarget }) => {
        const grid = currentTarget.closest<HTMLElement>('.grid');
        await onSelect(affected);
        // The action had no confirmation dialog and has removed this button, so the search box takes the focus.
        if (grid && document.activeElement === document.body) focusSearch(grid);
      }}
    >
      {reason ? t`${label} ${formatNumber(affected.count)} of ${formatNumber(selectedCount)}` : label}
    </Button>
  );
}

/** Active filters; each can be edited or removed. */
export function FilterChips({
  columns,
  controls: { filters, filterBy },
  onOpen,
}: {
  columns: readonly GridColumn<never>[];
  controls: FilterControls;
  onOpen: (column: string, chip: HTMLElement) => void;
}) {
  if (filters.length === 0) return null;
  return (
    <ul className="grid-chips" aria-label={t`Filters`}>
      {filters.map((filter) => {
        const column = columns.find(({ id }) => id === filter.column);
        if (!column) return null;
        const text = filterText(column, filter);
        return (
          <li key={filter.column} className="grid-chip">
            <button
              type="button"
              className="grid-chip-text one-line"
              onClick={({ currentTarget }) => onOpen(column.id, currentTarget)}
            >
              {text}
            </button>
            <button
              type="button"
              className="grid-chip-remove"
              aria-label={t`Remove filter ${text}`}
              onClick={({ currentTarget }) => {
                // The focused chip is removed, so the next chip or the search box takes the focus.
                const next = currentTarget.closest('li')?.nextElementSibling?.querySelector('button');
                if (next && filters.length > 1) next.focus();
                else focusSearch(currentTarget);
                filterBy(withFilter(filters, filter.column, null));
              }}
            >
              <IconX size={14} aria-hidden="true" />
            </button>
          </li>
        );
      })}
      <li>
        <button
          type="button"
          className="grid-chips-clear"
          onClick={({ currentTarget }) => {
            focusSearch(currentTarget);
            filterBy([]);
          }}
        >
          {t`Clear all filters`}
        </button>
      </li>
    </ul>
  );
}

/** Toggle buttons of the tabs with their counts. They scroll horizontally on narrow screens. */
export function GridTabs({
  label,
  tabs,
  counts,
  current,
  onShow,
}: {
  /** Name of the list. */
  label: string;
  tabs: Readonly<Record<string, string>>;
  counts: TabCounts;
  current: string | undefined;
  onShow: (tab: string | undefined) => void;
}) {
  const line = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    const pressed = line.current?.querySelector(`[value='${current ?? ''}']`);
    pressed?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  if (Object.keys(tabs).length === 0) return null;
  return (
    <fieldset className="tabs grid-tabs" ref={line} aria-label={t`${label}: which ones`}>
      {Object.entries({ '': t`All`, ...tabs }).map(([id, tabLabel]) => {
        const counted = counts[id || 'all'];
        return (
          <button
            key={id}
            type="button"
            value={id}
            className="tab"
            aria-pressed={id === (current ?? '')}
            onClick={() => onShow(id || undefined)}
          >
            {tabLabel}
            {/* A figure space reserves the width of the count. */}
            <span className="tab-count small-print">
              {counted ? `${formatNumber(counted.count)}${counted.more ? '+' : ''}` : '\u2007'}
            </span>
          </button>
        );
      })}
    </fieldset>
  );
}

/** Focuses the search box of the grid, for use before the focused element is removed. */
export function focusSearch(inGrid: Element): void {
  inGrid.closest('.grid')?.querySelector('input')?.focus();
}
