/** What a route of the contract answers, as a query of the page: kept under a `key` for all who ask the same. */
import { useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import type { RouteDefinition, RouteRequest, RouteResult } from '@vestibule/contract/route';
import { useEffect, useEffectEvent } from 'react';
import { call } from './call.ts';
import { followChanges } from './live-changes.ts';

/** What is sent, and how the query is kept. */
type Question<R extends RouteDefinition> = RouteRequest<R> &
  Omit<UseQueryOptions<RouteResult<R>>, 'queryKey' | 'queryFn'> & {
    key: readonly unknown[];
    /** Asked again when something of this area has changed elsewhere. */
    changesOf?: string;
  };

export function useApiQuery<R extends RouteDefinition>(
  route: R,
  { key, changesOf, ...question }: Question<R>,
): UseQueryResult<RouteResult<R>> {
  const query = useQuery<RouteResult<R>>({
    ...(question as object),
    queryKey: key,
    queryFn: ({ signal }) => call(route, { ...question, signal } as never),
  });
  const askAgain = useEffectEvent(() => void query.refetch());
  useEffect(
    () => (changesOf === undefined ? undefined : followChanges([changesOf], () => askAgain())),
    [changesOf],
  );
  return query;
}
