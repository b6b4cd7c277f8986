import { describeFailure } from '../language/call-failure.ts';
import { Failure } from './failure.tsx';
import { Skeleton } from './skeleton.tsx';

/** In the place of an answer that is not there: grey lines while it is on its way, after a failure what to do about it. */
export function Loading({
  query: { data, error, refetch },
  title,
  lines,
}: {
  query: { data: unknown; error: unknown; refetch: () => Promise<unknown> };
  /** That it could not be loaded. */
  title: string;
  /** How many grey lines. */
  lines: number;
}) {
  if (data !== undefined) return null;
  if (!error) return <Skeleton lines={lines} />;
  return <Failure title={title} {...describeFailure(error)} onRetry={() => refetch()} />;
}
