// What a grid shows where rows are missing: on their way, not found, or not to be had.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '../button.tsx';
import { EmptyState } from '../empty-state.tsx';
import { Skeleton } from '../skeleton.tsx';

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

/** In place of rows, when search or filters leave none. */
export function NothingFound({
  search,
  filtered,
  onClear,
}: {
  search: string | undefined;
  filtered: boolean;
  onClear: () => void;
}) {
  const clear = filtered
    ? search
      ? t`Clear the search and the filters`
      : t`Clear the filters`
    : t`Clear the search`;
  return (
    <EmptyState
      title={search ? t`Nothing found for “${search}”` : t`Nothing matches the filters`}
      action={<Button onClick={onClear}>{clear}</Button>}
    >
      {filtered ? t`Other rows may be hidden by the filters.` : t`Try fewer or other words.`}
    </EmptyState>
  );
}
