/** Placeholders for missing rows: loading, none found, or failed. */
import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { EmptyState, Failure, Skeleton } from '../states.tsx';
import { focusSearch } from './grid-bar.tsx';
import type { FilterControls, GridRows } from './grid-state.ts';

export function GridSkeleton() {
  return (
    <div className="grid-skeleton">
      <Skeleton lines={8} />
    </div>
  );
}

/** Error above the rows that are loaded. */
export function GridError({
  message,
  reference,
  onRetry,
}: {
  message: string;
  reference?: string | undefined;
  onRetry: () => void;
}) {
  return (
    <div className="grid-error" role="alert">
      <span>
        {t`Some rows could not be loaded. ${message}`}
        {reference && <span className="reference">{t`Reference ${reference}`}</span>}
      </span>
      <Button size="small" onClick={onRetry}>
        {t`Try again`}
      </Button>
    </div>
  );
}

/** Covers the rows if there are none: nothing found, an empty list, or an error. */
export function GridCover({
  rows: { total, error, refresh },
  controls,
  tabs,
  emptyState,
}: {
  rows: Pick<GridRows<never>, 'total' | 'error' | 'refresh'>;
  controls: FilterControls;
  tabs: Readonly<Record<string, string>>;
  emptyState: ReactNode;
}) {
  const isNarrowed = controls.applied.search !== undefined || controls.filters.length > 0;
  const label = controls.tab === undefined ? undefined : tabs[controls.tab];
  const empty = label ? (
    <EmptyState
      title={t`Nothing under “${label}”`}
      action={
        <FocusSearchButton onClick={() => controls.showTab(undefined)}>{t`Show all`}</FocusSearchButton>
      }
    >
      {t`There are none of these right now.`}
    </EmptyState>
  ) : (
    emptyState
  );
  if (error ? total !== undefined : total !== 0) return null;
  return (
    <div className="grid-cover">
      {error ? (
        <Failure title={t`The list could not be loaded`} {...error} onRetry={refresh} />
      ) : (
        (isNarrowed && <NothingFound controls={controls} />) || empty
      )}
    </div>
  );
}

function NothingFound({ controls: { applied, tab, filters, order, replace } }: { controls: FilterControls }) {
  const { search } = applied;
  const filtered = filters.length > 0;
  const clear = filtered ? (search ? t`Clear search and filters` : t`Clear filters`) : t`Clear search`;
  return (
    <EmptyState
      title={search ? t`No results for “${search}”` : t`No matches for these filters`}
      action={<FocusSearchButton onClick={() => replace({ tab, order })}>{clear}</FocusSearchButton>}
    >
      {filtered ? t`The filters may be hiding other rows.` : t`Try fewer or different words.`}
    </EmptyState>
  );
}

/** Button that is removed when pressed, and therefore moves the focus to the search box. */
function FocusSearchButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button
      onClick={({ currentTarget }) => {
        focusSearch(currentTarget);
        onClick();
      }}
    >
      {children}
    </Button>
  );
}
