/** What happened to one person and what they did, the newest first. */
import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { listTimeline, type Person } from '@vestibule/contract/people';
import { describeFailure } from '../../lib/call-failure.ts';
import { call } from '../../lib/call.ts';
import { useChanges } from '../../lib/changes.ts';
import { Failure } from '../../ui/failure.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Timeline } from './timeline.tsx';

export default function PersonTimeline({ person }: { person: Person }) {
  const timeline = useInfiniteQuery({
    queryKey: ['person', person.id, 'timeline'],
    queryFn: ({ signal, pageParam }) =>
      call(listTimeline, {
        params: { personId: person.id },
        query: pageParam === null ? {} : { before: pageParam },
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ rows, more }) => (more ? (rows.at(-1)?.id ?? null) : null),
    staleTime: 0,
  });
  // Older ones that somebody waits for come first.
  useChanges('activity', () => void timeline.refetch({ cancelRefetch: !timeline.isFetchingNextPage }));

  if (timeline.isPending) return <Skeleton lines={4} />;
  if (timeline.isError) {
    return (
      <Failure
        title={t`The timeline could not be loaded`}
        {...describeFailure(timeline.error)}
        onRetry={() => timeline.refetch()}
      />
    );
  }
  return (
    <Timeline
      entries={timeline.data.pages.flatMap(({ rows }) => rows)}
      about={person}
      onMore={timeline.hasNextPage ? () => timeline.fetchNextPage() : undefined}
    />
  );
}
