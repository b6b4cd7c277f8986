import { describeFailure } from '../language/call-failure.ts';
import { Failure } from './failure.tsx';
import { Skeleton } from './skeleton.tsx';

/** Skeleton while a query is loading, or its error with a retry button. */
export function Loading({
  query: { data, error, refetch },
  title,
  lines,
}: {
  query: { data: unknown; error: unknown; refetch: () => Promise<unknown> };
  /** Title of the error. */
  title: string;
  /** Number of skeleton lines. */
  lines: number;
}) {
  if (data !== undefined) return null;
  if (!error) return <Skeleton lines={lines} />;
  return <Failure title={title} {...describeFailure(error)} onRetry={() => refetch()} />;
}
