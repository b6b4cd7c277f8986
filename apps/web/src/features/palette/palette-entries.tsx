/** Entries of the command palette: screens and their actions, and what finders find. */
import { i18n, type MessageDescriptor } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { IconKeyboard } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter, type RegisteredRouter } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import type { UserDetail } from '@vestibule/contract/profile/me';
import { describeFailure } from '../../language/call-failure.ts';
import type { Finder, FinderContext, FinderResult } from '../../lib/finder.ts';
import { useOfferedScreens, type OfferedScreen } from '../../lib/offered-screens.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { bestFirst, matches } from './palette-match.ts';

export type Entry = {
  /** Unique in the list. */
  id: string;
  label: string;
  /** Second line, such as an e-mail address. */
  detail?: string | undefined;
  icon?: ReactNode;
  /** Global keyboard shortcut, such as `Ctrl Alt 3`. */
  keys?: string | undefined;
  /** Search synonyms. */
  words?: string;
  onChoose: () => unknown;
};

/** Returns groups of entries that match the text, without empty groups. */
export function usePaletteGroups(
  typed: string,
  { user, signInMethods, onShortcuts }: FinderContext & { user: UserDetail; onShortcuts: () => void },
) {
  const router = useRouter();
  const offered = useOfferedScreens(user);
  const found = usePaletteResults(typed, user, { signInMethods });
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the number of screens says which are offered
  const own = useMemo(() => routeEntries(router, offered, onShortcuts), [offered.length]);

  const entriesOf = ({ icon }: Finder, results: readonly FinderResult[]): Entry[] =>
    results.map((result) => ({
      ...result,
      ...createEntry(result.id, result.label, icon, () => {
        if ('href' in result.target) window.location.assign(result.target.href);
        else void router.navigate(result.target as never);
      }),
    }));
  const groups: { title: string; entries: readonly Entry[] }[] = [
    { title: t`Screens`, entries: bestEntries(typed, own.screens) },
    { title: t`Actions`, entries: bestEntries(typed, own.actions) },
    ...found.groups.map(({ finder, results }) => ({
      title: finder.title,
      entries: entriesOf(finder, results),
    })),
    ...(typed ? found.finders : []).map((finder) => ({
      title: finder.title,
      entries: bestEntries(typed, entriesOf(finder, finder.places ?? [])),
    })),
  ].filter(({ entries }) => entries.length > 0);
  return { groups, busy: found.busy, failure: found.failure, retry: found.retry };
}

const debounceMs = 150;
const minimumLength = 2;
const maximumResults = 5;

/** While a search runs, results of the previous text are shown if they match the new one. */
function usePaletteResults(text: string, user: UserDetail, context: FinderContext) {
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
  const findFailure = () => {
    if (loadFailure)
      return { title: t`Could not be loaded`, message: describeFailure(loadFailure.reason).message };
    if (failed.length === 0 || isOld) return null;
    const titles = failed.map(({ finder }) => finder.title).join(', ');
    return {
      title: t`Could not be searched: ${titles}`,
      message: describeFailure(failed[0]?.reason).message,
    };
  };
  return {
    finders,
    busy: loading.isPending || (isSearchable && (isOld || query.isFetching)),
    groups: outcomes.map(({ finder, outcome }) => {
      const results = (outcome.status === 'fulfilled' && outcome.value) || [];
      const current = results.filter((result) => !isOld || matches(text, result));
      return { finder, results: bestFirst(text, current).slice(0, maximumResults) };
    }),
    failure: findFailure(),
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

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can extend the library's interface
  interface StaticDataRouteOption {
    /** Actions of the screen that the palette lists. Each opens the screen with the query parameters in `search`. */
    actions?: readonly {
      label: MessageDescriptor;
      words?: MessageDescriptor;
      search: Record<string, unknown>;
    }[];
    /** Loaded when the palette opens, for users who may open the route. */
    finder?: () => Promise<{ default: (context: FinderContext) => Finder }>;
  }
}

const maximumEntries = 8;

const createEntry = (id: string, label: string, Icon: Finder['icon'], onChoose: () => unknown): Entry => ({
  id,
  label,
  icon: <Icon size={20} stroke={1.75} />,
  onChoose,
});

/** Returns the entries that match the text best. If the text is empty, returns all entries. */
function bestEntries(text: string, entries: readonly Entry[]): readonly Entry[] {
  if (!text) return entries;
  const matching = entries.filter((entry) => matches(text, entry));
  return bestFirst(text, matching).slice(0, maximumEntries);
}

/** Returns the entries of the screens and their actions, in the order of the menu. */
function routeEntries(
  router: RegisteredRouter,
  offered: readonly OfferedScreen[],
  onShortcuts: () => void,
): { screens: Entry[]; actions: Entry[] } {
  const routes = offered
    .flatMap(({ to, menu, actions = [] }) => (menu ? [{ to, menu, actions }] : []))
    .toSorted((one, other) => one.menu.order - other.menu.order);
  const open = (to: string, search?: Record<string, unknown>) => () =>
    void router.navigate({ to, search } as never);
  return {
    screens: routes.map(({ to, menu }) =>
      createEntry(`screen-${to}`, i18n._(menu.label), menu.icon, open(to)),
    ),
    actions: [
      ...routes.flatMap(({ to, menu, actions }) =>
        actions.map(({ label, words, search }) => ({
          ...createEntry(`action-${label.id}`, i18n._(label), menu.icon, open(to, search)),
          ...(words && { words: i18n._(words) }),
        })),
      ),
      {
        ...createEntry('shortcuts', t`Keyboard shortcuts`, IconKeyboard, onShortcuts),
        words: t`keys help`,
        keys: '?',
      },
    ],
  };
}
