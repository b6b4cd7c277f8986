/** The lines around the rows: search, count and tools; and, while rows are selected, what can be done with them. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconAdjustmentsHorizontal, IconColumns3, IconRefresh, IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useId, useSyncExternalStore, type ReactNode } from 'react';
import { formatNumber, nounInSentence } from '../../language/formats.ts';
import { Button, QuietButton } from '../button.tsx';
import { foldDock } from '../toast/dock.tsx';
import { focusSearch } from './focus-search.ts';
import type { OpenPanel } from './grid-panels.tsx';
import type { BulkAction } from './grid-props.ts';
import type { GridRow } from './rows/grid-pages.ts';
import type { QuestionState } from './rows/use-grid-filters.ts';
import type { RowSelection, SelectedRows } from './selection/grid-selection.ts';
import { leftOutWords, withoutSkipped } from './selection/skipped.ts';

/** Search, count, and the grid's tools. */
export function GridBar({
  label,
  count,
  narrow,
  question: { typed, setTyped, search, filters },
  filterable,
  onPanel,
  onRefresh,
  views,
  exports,
}: {
  label: string;
  count: string;
  narrow: boolean;
  question: QuestionState;
  /** Some column has a filter. */
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
            {filterable ? t`Sort and filter` : t`Sort`}
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
            <span className="grid-tool-text one-line">
              <Trans>Columns</Trans>
            </span>
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

/** How many rows are selected and what can be done with them; nothing while none is. */
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
  /** All that match. */
  total: number | undefined;
  onSelectAll: () => void;
}) {
  const { count, all, except } = useSyncExternalStore(selection.subscribe, selection.summary);
  const every = all && except === 0;
  const number = countOf(count);
  const words = every && count > 1 ? t`All ${number} selected` : t`${number} selected`;
  const isAny = count > 0;
  const id = useId();
  const offered = actions.map((action) => {
    const reached = withoutSkipped(selection.selected(), action.leavesOut);
    const { leftOut = [] } = reached;
    return { action, reached, why: leftOut.length > 0 && leftOutWords(leftOut) };
  });
  // What can be done with them stands at the foot, where the dock would cover it.
  useEffect(() => {
    if (isAny) foldDock();
  }, [isAny]);
  return (
    <>
      {/* Always there: a screen reader tells what comes into it. */}
      <output className="visually-hidden">{isAny && words}</output>
      {isAny && (
        <fieldset className="grid-selected" aria-label={t`Selected rows`} tabIndex={-1}>
          <span className="grid-selected-count" aria-hidden="true">
            {words}
          </span>
          {!every && total !== undefined && total > count && (
            <button
              type="button"
              className="grid-chips-clear"
              onClick={({ currentTarget }) => {
                // Here Esc still clears the selection, and the next Tab leads to what can be done.
                currentTarget.closest('fieldset')?.focus();
                onSelectAll();
              }}
            >
              {t`Select all ${formatNumber(total)} matching`}
            </button>
          )}
          <div className="grid-selected-actions button-row">
            {offered.map(({ action, reached, why }, index) => (
              <ActionButton
                key={action.label}
                action={action}
                reached={reached}
                of={count}
                {...(why && { whyId: `${id}-${index}`, why })}
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
            {offered.map(
              ({ action, why }, index) =>
                why && (
                  <span key={action.label}>
                    <b>{action.label}</b> <span id={`${id}-${index}`}>{why}</span>{' '}
                  </span>
                ),
            )}
          </p>
        </fieldset>
      )}
    </>
  );
}

/** Says of how many of the selected rows it is done to, where that is not all of them, and why: to screen readers by what stands below. */
function ActionButton<Row extends GridRow>({
  action: { label, icon, danger, onSelect },
  reached,
  of,
  why,
  whyId,
}: {
  action: BulkAction<Row>;
  reached: SelectedRows<Row>;
  of: number;
  why?: string;
  whyId?: string;
}) {
  return (
    <Button
      size="small"
      icon={icon}
      className={danger ? 'danger' : ''}
      aria-disabled={reached.count === 0}
      title={why}
      aria-describedby={whyId}
      onClick={async ({ currentTarget }) => {
        const grid = currentTarget.closest<HTMLElement>('.grid');
        await onSelect(reached);
        // What was done without a question has taken its button along.
        if (grid && document.activeElement === document.body) focusSearch(grid);
      }}
    >
      {why ? t`${label} ${formatNumber(reached.count)} of ${formatNumber(of)}` : label}
    </Button>
  );
}
