/** Activity by and about one person, newest first. */
import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { listTimeline, type Person } from '@vestibule/contract/people';
import { call } from '../../lib/call.ts';
import { useChanges } from '../../lib/live-changes.ts';
import { Loading } from '../../ui/states.tsx';
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
  // A refetch must not cancel the loading of older entries.
  useChanges('activity', () => void timeline.refetch({ cancelRefetch: !timeline.isFetchingNextPage }));

  if (!timeline.data)
    return <Loading query={timeline} title={t`The timeline could not be loaded`} lines={4} />;
  return (
    <Timeline
      entries={timeline.data.pages.flatMap(({ rows }) => rows)}
      about={person}
      onMore={timeline.hasNextPage ? () => timeline.fetchNextPage() : undefined}
    />
  );
}
