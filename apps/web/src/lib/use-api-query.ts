import { useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import type { RouteDefinition, RouteRequest, RouteResult } from '@vestibule/contract/route';
import { useEffect, useEffectEvent } from 'react';
import { call } from './call.ts';
import { followChanges } from './live-changes.ts';

/** Request parameters and query options; queries with the same `key` share their result. */
type ApiQueryOptions<R extends RouteDefinition> = RouteRequest<R> &
  Omit<UseQueryOptions<RouteResult<R>>, 'queryKey' | 'queryFn'> & {
    key: readonly unknown[];
    /** Area whose changes refetch the query. */
    changesOf?: string;
  };

export function useApiQuery<R extends RouteDefinition>(
  route: R,
  { key, changesOf, ...options }: ApiQueryOptions<R>,
): UseQueryResult<RouteResult<R>> {
  const query = useQuery<RouteResult<R>>({
    ...(options as object),
    queryKey: key,
    queryFn: ({ signal }) => call(route, { ...options, signal } as never),
  });
  const refetch = useEffectEvent(() => void query.refetch());
  useEffect(
    () => (changesOf === undefined ? undefined : followChanges([changesOf], () => refetch())),
    [changesOf],
  );
  return query;
}
