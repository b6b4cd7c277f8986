/** The command palette: opens screens, and finds people, invitations, files and settings. */
import { plural, t } from '@lingui/core/macro';
import { useRouter, type RegisteredRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { UserDetail } from '@vestibule/contract/profile/me';
import type { Finder, FinderContext, FinderResult } from '../../lib/finder.ts';
import { useOfferedScreens, type OfferedScreen } from '../../lib/offered-screens.ts';
import { Button } from '../../ui/button.tsx';
import { CommandDialog, type CommandGroup, type Command } from '../../ui/dialog/command-dialog.tsx';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { describeFailure } from '../../language/call-failure.ts';
import { useDebounced } from '../../ui/events/use-debounced.ts';
import { bestFirst, matches } from './palette-match.ts';
import { i18n, type MessageDescriptor } from '@lingui/core';
import { IconKeyboard } from '@tabler/icons-react';

export type PaletteProps = FinderContext & {
  user: UserDetail;
  onShortcuts: () => void;
  onClose: () => void;
};

export default function PaletteDialog({ user, signInMethods, onShortcuts, onClose }: PaletteProps) {
  const router = useRouter();
  const [text, setText] = useState('');
  const typed = text.trim();
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
  const groups: CommandGroup[] = [
    { title: t`Screens`, commands: bestEntries(typed, own.screens) },
    { title: t`Actions`, commands: bestEntries(typed, own.actions) },
    ...found.groups.map(({ finder, results }) => ({
      title: finder.title,
      commands: entriesOf(finder, results),
    })),
    ...(typed ? found.finders : []).map((finder) => ({
      title: finder.title,
      commands: bestEntries(typed, entriesOf(finder, finder.places ?? [])),
    })),
  ].filter(({ commands }) => commands.length > 0);
  const count = groups.reduce((sum, { commands }) => sum + commands.length, 0);

  return (
    <CommandDialog
      title={t`Search and commands`}
      placeholder={user.IsAdmin ? t`A screen, a person, an action …` : t`A screen, a file, an action …`}
      text={text}
      onText={setText}
      groups={groups}
      busy={found.busy}
      status={found.busy ? t`Searching …` : statusOf(count)}
      note={
        <>
          {count === 0 && !found.busy && !found.failure && (
            <p className="command-note">
              {t`Nothing matches “${typed}”. Try fewer letters, or another part of the name.`}
            </p>
          )}
          {found.failure && (
            <div className="command-note" role="alert">
              {found.failure.title}. {found.failure.message}
              <Button size="small" onClick={found.retry}>
                {t`Try again`}
              </Button>
            </div>
          )}
        </>
      }
      onClose={onClose}
    />
  );
}

function statusOf(count: number): string {
  if (count === 0) return t`Nothing found`;
  return plural(count, { one: '# entry', other: '# entries' });
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

/** `words` are search synonyms. */
type Entry = Command & { words?: string };

const maximumEntries = 8;

function createEntry(id: string, label: string, Icon: Finder['icon'], onChoose: () => unknown): Command {
  return { id, label, icon: <Icon size={20} stroke={1.75} />, onChoose };
}

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
