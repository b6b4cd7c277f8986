/**
 * The command palette: every screen, action, theme, person, invitation and file that somebody may open, found by
 * typing. Screens and actions come from the routes themselves (`staticData`), so a new screen is in it at once.
 */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { i18n, type MessageDescriptor } from '@lingui/core';
import {
  IconArrowRight,
  IconDownload,
  IconHistory,
  IconKeyboard,
  IconLanguage,
  IconLogout,
  IconPalette,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter, type RegisteredRouter, type StaticDataRouteOption } from '@tanstack/react-router';
import type { UserDetail } from '@vestibule/contract/profile/me';
import { useEffect, useMemo, useState, type ComponentType } from 'react';
import { languageName } from '../../language/language-name.ts';
import { languages } from '../../language/language.ts';
import { describeFailure } from '../../lib/call-failure.ts';
import { gridServer } from '../../lib/grids.ts';
import { Button } from '../../ui/button.tsx';
import { CommandDialog, type Command, type CommandGroup } from '../../ui/dialog/command-dialog.tsx';
import { runExport } from '../../ui/grid/export/run-export.ts';
import { switchLanguage } from '../../ui/switch-language.ts';
import { themeName } from '../../ui/themes/theme-name.ts';
import { chooseTheme } from '../../ui/themes/theme-switch.ts';
import { themes } from '../../ui/themes/themes.ts';
import { scoreOf } from './palette-match.ts';
import { sources } from './palette-sources.ts';
import { keepRecent, readRecent, type Place } from './recent-choices.ts';
import { themeKey } from './shortcuts.ts';

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface StaticDataRouteOption {
    /** What can be done on the screen from anywhere, by the palette; `search` makes the screen begin with it. */
    actions?: readonly {
      label: MessageDescriptor;
      words?: MessageDescriptor;
      search: Record<string, unknown>;
    }[];
    /** The path that exports all of the screen's list. */
    exportAs?: `/${string}`;
  }
}

/** What the dialogs of the palette take. */
export type PaletteProps = {
  user: UserDetail;
  onSignOut: () => void;
  onShortcuts: () => void;
  onClose: () => void;
};

type Icon = ComponentType<{ size?: number; stroke?: number }>;
/** An entry, and other words by which it is found. */
type Entry = Command & { words?: string };

const pauseMilliseconds = 150;
const shortest = 2;
const most = 8;

export default function PaletteDialog({ user, onSignOut, onShortcuts, onClose }: PaletteProps) {
  const router = useRouter();
  const [text, setText] = useState('');
  const typed = text.trim();
  const found = useFound(typed, user.IsAdmin);

  const go = (place: Place) => {
    keepRecent(place);
    void router.navigate(place.target as never);
  };
  const own = useMemo(() => {
    const { screens, actions } = entriesOf(router, user.IsAdmin, go);
    const doing: Entry[] = [
      ...actions,
      {
        ...entry('themes', t`Change the theme …`, IconPalette),
        words: t`look colours dark light`,
        stays: true,
        onChoose: () => setText(`${t`Theme`} `),
      },
      // In the words of those who look for it: whoever does not understand this page is one of them.
      ...languages.map((language) => ({
        ...entry(`language-${language}`, t`Language: ${languageName(language)}`, IconLanguage),
        words: 'language sprache',
        onChoose: () => void switchLanguage(language),
      })),
      {
        ...entry('shortcuts', t`Keyboard shortcuts`, IconKeyboard),
        words: t`keys help`,
        keys: '?',
        onChoose: onShortcuts,
      },
      { ...entry('sign-out', t`Sign out`, IconLogout), words: t`log off leave`, onChoose: onSignOut },
    ];
    return { screens, doing };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the dialog is open for one person and one moment
  }, []);

  const local: [title: string, entries: Entry[]][] = typed
    ? [
        [t`Screens`, own.screens],
        [t`Actions`, own.doing],
        [t`Themes`, themeEntries()],
      ]
    : [
        [t`Recent`, recentEntries(router, user.IsAdmin, go)],
        [t`Screens`, own.screens],
        [t`Actions`, own.doing.filter(({ id }) => !id.startsWith('export'))],
      ];
  const groups: CommandGroup[] = [
    ...local.map(([title, entries]) => ({ title, commands: best(typed, entries) })),
    ...found.groups.map(({ title, icon, places }) => ({
      title,
      commands: places.map((place) => ({
        ...entry(place.id, place.label, icon),
        detail: place.detail,
        onChoose: () => go(place),
      })),
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
              <Trans>Nothing matches “{typed}”. Try fewer letters, or another part of the name.</Trans>
            </p>
          )}
          {found.failure && (
            <div className="command-note" role="alert">
              {found.failure.title}. {found.failure.message}
              <Button size="small" onClick={found.retry}>
                <Trans>Try again</Trans>
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

function entry(id: string, label: string, IconOf: Icon): Command {
  return { id, label, icon: <IconOf size={20} stroke={1.75} />, onChoose: () => {} };
}

/** Those that fit, the best first. */
function best(typed: string, entries: Entry[]): Entry[] {
  if (!typed) return entries;
  return entries
    .map((one) => ({ one, score: scoreOf(typed, one.label, `${one.words ?? ''} ${one.detail ?? ''}`) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, typed.toLowerCase().startsWith(t`Theme`.toLowerCase()) ? themes.length : most)
    .map(({ one }) => one);
}

const themeEntries = (): Entry[] =>
  themes.map(({ id, index, kind }) => ({
    ...entry(`theme-${id}`, t`Theme: ${themeName(id)}`, IconPalette),
    words: kind === 'dark' ? t`dark look` : t`light look`,
    icon: (
      <span className="person-swatch" data-theme={id}>
        {index}
      </span>
    ),
    keys: themeKey(index),
    onChoose: () => chooseTheme(id),
  }));

type Go = (place: Place) => void;

/** Screens and actions, as the routes name them, in the order of the menu. */
function entriesOf(
  router: RegisteredRouter,
  isAdmin: boolean,
  go: Go,
): { screens: Entry[]; actions: Entry[] } {
  const routes = routesFor(router, isAdmin).flatMap(({ to, menu, ...rest }) =>
    menu ? [{ to, menu, ...rest }] : [],
  );
  const inOrder = routes.toSorted((one, other) => one.menu.order - other.menu.order);
  return {
    screens: inOrder.map(({ to, menu }) => ({
      ...entry(`screen-${to}`, i18n._(menu.label), menu.icon),
      onChoose: () => go({ id: `screen-${to}`, label: i18n._(menu.label), target: { to } }),
    })),
    actions: inOrder.flatMap(({ to, menu, actions = [], exportAs }) => [
      ...actions.map(({ label, words, search }) => ({
        ...entry(`action-${label.id}`, i18n._(label), menu.icon),
        ...(words && { words: i18n._(words) }),
        onChoose: () => void router.navigate({ to, search } as never),
      })),
      ...(exportAs ? exportEntries(i18n._(menu.label), exportAs) : []),
    ]),
  };
}

function exportEntries(label: string, path: string): Entry[] {
  return (['csv', 'xlsx'] as const).map((format) => ({
    ...entry(`export-${format}-${path}`, t`Export: ${label} (${format.toUpperCase()})`, IconDownload),
    words: t`download file excel workbook all`,
    onChoose: () => void runExport(gridServer, { path, format }, { label, total: 0 }),
  }));
}

/** What this person may open of where they last went. */
function recentEntries(router: RegisteredRouter, isAdmin: boolean, go: Go): Entry[] {
  const open = new Map(routesFor(router, isAdmin).map((route) => [route.to, route]));
  return readRecent().flatMap((place) => {
    const route = open.get(place.target.to);
    if (!route) return [];
    const icon =
      place.target.params || place.target.search ? IconHistory : (route.menu?.icon ?? IconArrowRight);
    return [
      { ...entry(`recent-${place.id}`, place.label, icon), detail: place.detail, onChoose: () => go(place) },
    ];
  });
}

function routesFor(router: RegisteredRouter, isAdmin: boolean): ({ to: string } & StaticDataRouteOption)[] {
  return Object.values(router.routesByPath)
    .map((route) => ({ to: route.fullPath, ...(route.options.staticData as StaticDataRouteOption) }))
    .filter(({ access }) => access !== 'admin' || isAdmin);
}

/** What the server finds, a moment after the last key; an answer to an older text is never shown as one to this. */
function useFound(typed: string, isAdmin: boolean) {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [typed]);
  const open = sources.filter(({ access }) => access !== 'admin' || isAdmin);
  const wanted = typed.length >= shortest && open.length > 0;
  const query = useQuery({
    queryKey: ['palette', asked],
    enabled: wanted && asked.length >= shortest,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const answers = await Promise.allSettled(open.map((source) => source.search(asked, signal)));
      return answers.map((answer, index) => ({ ...answer, source: open[index] as (typeof open)[number] }));
    },
  });
  const isOld = query.isPlaceholderData || asked !== typed;
  const answers = wanted ? (query.data ?? []) : [];
  const failed = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer] : []));
  return {
    busy: wanted && (asked !== typed || query.isFetching),
    groups: answers.flatMap((answer) =>
      answer.status === 'fulfilled'
        ? [
            {
              title: answer.source.title(),
              icon: answer.source.icon,
              // Until the answer is there, of the last one what fits this text too.
              places: answer.value.filter(({ label, detail }) => !isOld || scoreOf(typed, label, detail) > 0),
            },
          ]
        : [],
    ),
    failure:
      failed.length > 0 && !isOld
        ? {
            title: t`Could not be searched: ${failed.map(({ source }) => source.title()).join(', ')}`,
            message: describeFailure(failed[0]?.reason).message,
          }
        : null,
    retry: () => query.refetch(),
  };
}
