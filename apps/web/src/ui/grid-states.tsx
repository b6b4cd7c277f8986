// What a grid shows where rows are missing: on their way, not found, or not to be had.
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { Skeleton } from './skeleton.tsx';

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
        Some rows could not be loaded. {message}
        {reference && <span className="reference">Reference {reference}</span>}
      </span>
      <Button size="small" onClick={onRetry}>
        Try again
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
  const what = filtered ? (search ? 'the search and the filters' : 'the filters') : 'the search';
  return (
    <EmptyState
      title={search ? `Nothing found for “${search}”` : 'Nothing matches the filters'}
      action={<Button onClick={onClear}>{`Clear ${what}`}</Button>}
    >
      {filtered ? 'Other rows may be hidden by the filters.' : 'Try fewer or other words.'}
    </EmptyState>
  );
}
