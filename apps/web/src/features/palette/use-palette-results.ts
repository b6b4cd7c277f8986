/** Loads the finders and searches them for the typed text. */
import { t } from '@lingui/core/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { describeFailure } from '../../language/call-failure.ts';
import type { Finder, FinderContext, FinderResult, FinderAction } from '../../lib/finder.ts';
import { searchesFor, searchesKey, type FinderSearch } from './palette-searches.ts';
import { routesFor } from './palette-entries.tsx';
import { bestFirst, scoreOf } from './palette-match.ts';

const debounceMilliseconds = 150;
const maximumResults = 5;

/** Results of one finder, and the requested action for each. */
export type FoundGroup = {
  finder: Finder;
  things: readonly FinderResult[];
  verb?: { label: string; of: (found: FinderResult) => FinderAction | undefined };
};

/** While a search runs, results of the previous text are shown if they match the new one. */
export function usePaletteResults(text: string, finding: FinderContext) {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), debounceMilliseconds);
    return () => clearTimeout(timer);
  }, [text]);
  const loading = useFinders(finding);
  const finders = loading.data;
  const jobs = useMemo(() => searchesFor(text, finders ?? []), [text, finders]);
  const askedJobs = useMemo(() => searchesFor(asked, finders ?? []), [asked, finders]);
  const query = useQuery({
    queryKey: ['palette', searchesKey(askedJobs)],
    enabled: askedJobs.length > 0,
    // Palette actions change the results.
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const answers = await Promise.allSettled(
        askedJobs.map(async ({ finder, verb, search }) =>
          finder.search?.({ ...(search && { search }), ...(verb && { filters: verb.filters }) }, signal),
        ),
      );
      return answers.map((answer, index) => ({ ...answer, job: askedJobs[index] as FinderSearch }));
    },
  });
  const isOld = query.isPlaceholderData || searchesKey(askedJobs) !== searchesKey(jobs);
  const answers = jobs.length > 0 ? (query.data ?? []) : [];
  const failed = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer] : []));
  const groups = answers.flatMap((answer): FoundGroup[] => {
    const job = jobs.find(
      (one) => one.finder === answer.job.finder && one.verb?.label === answer.job.verb?.label,
    );
    if (answer.status === 'rejected' || !job) return [];
    const fits = (found: FinderResult) =>
      !isOld || !job.search || scoreOf(job.search, found.label, found.detail) > 0;
    return [groupOf(job, (answer.value ?? []).filter(fits))];
  });
  return {
    finders: finders ?? [],
    busy: loading.isPending || (jobs.length > 0 && (isOld || query.isFetching)),
    groups,
    failure: loading.error
      ? { title: t`Could not be loaded`, message: describeFailure(loading.error).message }
      : failed.length > 0 && !isOld
        ? {
            title: t`Could not be searched: ${[...new Set(failed.map(({ job }) => job.finder.title))].join(', ')}`,
            message: describeFailure(failed[0]?.reason).message,
          }
        : null,
    retry: () => (loading.error ? loading.refetch() : query.refetch()),
  };
}

function useFinders(finding: FinderContext) {
  const router = useRouter();
  return useQuery({
    queryKey: ['palette-finders', finding.user.Id, finding.user.IsAdmin],
    // Finders are created each time the palette opens; results refer to the finder that returned them.
    staleTime: Infinity,
    gcTime: 0,
    queryFn: async () => {
      const routes = routesFor(router, finding.user.IsAdmin).flatMap(({ finder }) => finder ?? []);
      const found = await Promise.all(routes.map(async (load) => (await load()).default(finding)));
      return found.toSorted((one, other) => one.order - other.order);
    },
  });
}

function groupOf({ finder, verb, search }: FinderSearch, things: readonly FinderResult[]): FoundGroup {
  const bestOf = (found: readonly FinderResult[]) => bestFirst(search, found).slice(0, maximumResults);
  if (!verb) return { finder, things: bestOf(things) };
  const of = ({ actions = [] }: FinderResult) => actions.find(({ label }) => label === verb.label);
  return { finder, things: bestOf(things.filter((found) => of(found))), verb: { label: verb.label, of } };
}
