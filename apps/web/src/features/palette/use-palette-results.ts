/** Loads the finders and searches them for the typed text. */
import { t } from '@lingui/core/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UserDetail } from '@vestibule/contract/profile/me';
import { describeFailure } from '../../language/call-failure.ts';
import type { FinderContext } from '../../lib/finder.ts';
import { useOfferedScreens } from '../../lib/offered-screens.ts';
import { useDebounced } from '../../ui/events/use-debounced.ts';
import { bestFirst, matches } from './palette-match.ts';

const debounceMs = 150;
const minimumLength = 2;
const maximumResults = 5;

/** While a search runs, results of the previous text are shown if they match the new one. */
export function usePaletteResults(text: string, user: UserDetail, context: FinderContext) {
  const searched = useDebounced(text, debounceMs);
  const loading = useFinders(user, context);
  const { finders = [], failure: loadFailure } = loading.data ?? {};
  const query = useQuery({
    queryKey: ['palette', searched, finders.length],
    enabled: searched.length >= minimumLength && loading.isSuccess,
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      Promise.all(
        finders.map(async (finder) => {
          const search = async () => finder.search?.(searched, signal);
          const [outcome] = await Promise.allSettled([search()]);
          return { finder, outcome };
        }),
      ),
  });
  const isSearchable = text.length >= minimumLength;
  const isOld = query.isPlaceholderData || searched !== text;
  const outcomes = isSearchable ? (query.data ?? []) : [];
  const failed = outcomes.flatMap(({ finder, outcome }) =>
    outcome.status === 'rejected' ? [{ finder, reason: outcome.reason as unknown }] : [],
  );
  return {
    finders,
    busy: loading.isPending || (isSearchable && (isOld || query.isFetching)),
    groups: outcomes.map(({ finder, outcome }) => {
      const results = (outcome.status === 'fulfilled' && outcome.value) || [];
      const current = results.filter((result) => !isOld || matches(text, result));
      return { finder, results: bestFirst(text, current).slice(0, maximumResults) };
    }),
    failure: loadFailure
      ? { title: t`Could not be loaded`, message: describeFailure(loadFailure.reason).message }
      : failed.length > 0 && !isOld
        ? {
            title: t`Could not be searched: ${failed.map(({ finder }) => finder.title).join(', ')}`,
            message: describeFailure(failed[0]?.reason).message,
          }
        : null,
    retry: () => (loadFailure ? loading.refetch() : query.refetch()),
  };
}

function useFinders(user: UserDetail, context: FinderContext) {
  const loads = useOfferedScreens(user).flatMap(({ finder }) => finder ?? []);
  return useQuery({
    queryKey: ['palette-finders', user.Id, loads.length],
    // Finders are created each time the palette opens; results refer to the finder that returned them.
    staleTime: Infinity,
    gcTime: 0,
    queryFn: async () => {
      const outcomes = await Promise.allSettled(loads.map(async (load) => (await load()).default(context)));
      const finders = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      // The other finders work without those that fail.
      const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
      for (const { reason } of failed) console.error(reason);
      return {
        finders: finders.toSorted((one, other) => one.order - other.order),
        failure: failed[0] && { reason: failed[0].reason as unknown },
      };
    },
  });
}
