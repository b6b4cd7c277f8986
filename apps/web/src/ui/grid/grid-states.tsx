/** What a grid shows where rows are missing: on their way, not found, or not to be had. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { EmptyState } from '../empty-state.tsx';
import { Failure } from '../failure.tsx';
import { Skeleton } from '../skeleton.tsx';
import { focusSearch } from './focus-search.ts';
import type { QuestionState } from './rows/use-grid-filters.ts';
import type { GridRows } from './rows/use-grid-rows.ts';
import type { GridTab } from './tabs/grid-tabs.tsx';

/** While the grid itself is on its way. */
export function GridSkeleton() {
  return (
    <div className="grid-skeleton">
      <Skeleton lines={8} />
    </div>
  );
}

/** Above rows of which some could not be loaded. */
export function GridTrouble({
  message,
  reference,
  onRetry,
}: {
  message: string;
  reference?: string | undefined;
  onRetry: () => void;
}) {
  return (
    <div className="grid-trouble" role="alert">
      <span>
        <Trans>Some rows could not be loaded. {message}</Trans>
        {reference && (
          <span className="reference">
            <Trans>Reference {reference}</Trans>
          </span>
        )}
      </span>
      <Button size="small" onClick={onRetry}>
        <Trans>Try again</Trans>
      </Button>
    </div>
  );
}

/** What takes the place of rows: nothing found, nothing there, or nothing to be had; nothing while there are rows. */
export function GridCover({
  rows: { total, trouble, refresh },
  question,
  tabs,
  emptyState,
}: {
  rows: Pick<GridRows<never>, 'total' | 'trouble' | 'refresh'>;
  question: QuestionState;
  tabs: readonly GridTab[];
  emptyState: ReactNode;
}) {
  const isNarrowed = question.asked.search !== undefined || question.filters.length > 0;
  const tab = tabs.find(({ id }) => id === question.tab);
  const empty = tab ? <NothingInTab tab={tab} onAll={() => question.showTab(undefined)} /> : emptyState;
  if (trouble ? total !== undefined : total !== 0) return null;
  return (
    <div className="grid-cover">
      {trouble ? (
        <Failure title={t`The list could not be loaded`} {...trouble} onRetry={refresh} />
      ) : (
        (isNarrowed && <NothingFound question={question} />) || empty
      )}
    </div>
  );
}

function NothingInTab({ tab: { label }, onAll }: { tab: GridTab; onAll: () => void }) {
  return (
    <EmptyState
      title={t`Nothing under “${label}”`}
      action={<LeavingButton onClick={onAll}>{t`Show all`}</LeavingButton>}
    >
      <Trans>There are none of these right now.</Trans>
    </EmptyState>
  );
}

function NothingFound({ question: { asked, tab, filters, order, ask } }: { question: QuestionState }) {
  const { search } = asked;
  const filtered = filters.length > 0;
  const clear = filtered ? (search ? t`Clear search and filters` : t`Clear filters`) : t`Clear search`;
  return (
    <EmptyState
      title={search ? t`No results for “${search}”` : t`No matches for these filters`}
      action={<LeavingButton onClick={() => ask({ tab, order })}>{clear}</LeavingButton>}
    >
      {filtered ? t`The filters may be hiding other rows.` : t`Try fewer or different words.`}
    </EmptyState>
  );
}

/** Goes away with what it says once it is pressed. */
function LeavingButton({ onClick, children }: { onClick: () => void; children: string }) {
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
