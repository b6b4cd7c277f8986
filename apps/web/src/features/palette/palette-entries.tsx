/** Palette entries that need no server: screens, actions, themes and recent choices. */
import { t } from '@lingui/core/macro';
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
import type { RegisteredRouter, StaticDataRouteOption } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { languageName } from '../../language/language-name.ts';
import { languages } from '../../language/language.ts';
import type { Finder, FinderContext, Target } from '../../lib/finder.ts';
import { gridServer } from '../../lib/lists/grids.ts';
import type { Command } from '../../ui/dialog/command-dialog.tsx';
import { runExport } from '../../ui/grid/export/run-export.ts';
import { switchLanguage } from '../../ui/switch-language.ts';
import { themeName } from '../../ui/themes/theme-name.ts';
import { chooseTheme } from '../../ui/themes/theme-switch.ts';
import { themes } from '../../ui/themes/themes.ts';
import { scoreOf } from './palette-match.ts';
import { storeRecent, readRecent } from './recent-choices.ts';
import { themeKey } from './shortcuts.ts';

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface adds to the library's
  interface StaticDataRouteOption {
    /** Actions of the screen for the palette; `search` opens the screen with them. */
    actions?: readonly {
      label: MessageDescriptor;
      words?: MessageDescriptor;
      search: Record<string, unknown>;
    }[];
    exportAs?: `/${string}`;
    /** Loaded when the palette opens, for users who may open the route. */
    finder?: () => Promise<{ default: (finding: FinderContext) => Finder }>;
  }
}

export type Entry = Command & { words?: string };

type Icon = ComponentType<{ size?: number; stroke?: number }>;
type Go = (place: { id: string; label: string; target: Target }) => void;

const maximumEntries = 8;

export function createEntry(id: string, label: string, IconOf: Icon): Command {
  return { id, label, icon: <IconOf size={20} stroke={1.75} />, onChoose: () => {} };
}

export function bestEntries(typed: string, entries: Entry[]): Entry[] {
  if (!typed) return entries;
  return entries
    .map((one) => ({ one, score: scoreOf(typed, one.label, `${one.words ?? ''} ${one.detail ?? ''}`) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, typed.toLowerCase().startsWith(t`Theme`.toLowerCase()) ? themes.length : maximumEntries)
    .map(({ one }) => one);
}

export function routesFor(
  router: RegisteredRouter,
  isAdmin: boolean,
): ({ to: string } & StaticDataRouteOption)[] {
  return Object.values(router.routesByPath)
    .map((route) => ({ to: route.fullPath, ...(route.options.staticData as StaticDataRouteOption) }))
    .filter(({ access }) => access !== 'admin' || isAdmin);
}

type PaletteActions = { setText: (text: string) => void; onShortcuts: () => void; onSignOut: () => void };

/** Screens and actions of the routes, in menu order. Chosen actions are stored as recent. */
export function ownEntries(
  router: RegisteredRouter,
  isAdmin: boolean,
  go: Go,
  { setText, onShortcuts, onSignOut }: PaletteActions,
): { screens: Entry[]; doing: Entry[]; themes: Entry[] } {
  const routes = routesFor(router, isAdmin)
    .flatMap(({ to, menu, ...rest }) => (menu ? [{ to, menu, ...rest }] : []))
    .toSorted((one, other) => one.menu.order - other.menu.order);
  const actions = routes.flatMap(({ to, menu, actions: ofScreen = [], exportAs }): Entry[] => [
    ...ofScreen.map(({ label, words, search }) => ({
      ...createEntry(`action-${label.id}`, i18n._(label), menu.icon),
      ...(words && { words: i18n._(words) }),
      onChoose: () => void router.navigate({ to, search } as never),
    })),
    ...(exportAs ? exportEntries(i18n._(menu.label), exportAs) : []),
  ]);
  return {
    screens: routes.map(({ to, menu }) => ({
      ...createEntry(`screen-${to}`, i18n._(menu.label), menu.icon),
      onChoose: () => go({ id: `screen-${to}`, label: i18n._(menu.label), target: { to } }),
    })),
    doing: [
      ...actions.map(storedAsRecent),
      {
        ...createEntry('themes', t`Change the theme …`, IconPalette),
        words: t`look colours dark light`,
        stays: true,
        onChoose: () => setText(`${t`Theme`} `),
      },
      // In English and German: users look for this when they do not understand the page.
      ...languages.map((language) =>
        storedAsRecent({
          ...createEntry(`language-${language}`, t`Language: ${languageName(language)}`, IconLanguage),
          words: 'language sprache',
          onChoose: () => void switchLanguage(language),
        }),
      ),
      storedAsRecent({
        ...createEntry('shortcuts', t`Keyboard shortcuts`, IconKeyboard),
        words: t`keys help`,
        keys: '?',
        onChoose: onShortcuts,
      }),
      { ...createEntry('sign-out', t`Sign out`, IconLogout), words: t`log off leave`, onChoose: onSignOut },
    ],
    themes: themeEntries().map(storedAsRecent),
  };
}

function storedAsRecent(command: Entry): Entry {
  const { id, label, onChoose } = command;
  return {
    ...command,
    onChoose() {
      storeRecent({ id, label });
      return onChoose();
    },
  };
}

const themeEntries = (): Entry[] =>
  themes.map(({ id, index, kind }) => ({
    ...createEntry(`theme-${id}`, t`Theme: ${themeName(id)}`, IconPalette),
    words: kind === 'dark' ? t`dark look` : t`light look`,
    icon: (
      <span className="person-swatch" data-theme={id}>
        {index}
      </span>
    ),
    keys: themeKey(index),
    onChoose: () => chooseTheme(id),
  }));

function exportEntries(label: string, path: string): Entry[] {
  return (['csv', 'xlsx'] as const).map((format) => ({
    ...createEntry(`export-${format}-${path}`, t`Export: ${label} (${format.toUpperCase()})`, IconDownload),
    words: t`download file excel workbook all`,
    onChoose: () => void runExport(gridServer, { path, format }, { label, total: 0 }),
  }));
}

/** Recent choices that are still available, with their current labels. */
export function recentEntries(
  router: RegisteredRouter,
  isAdmin: boolean,
  go: Go,
  known: readonly Entry[],
): Entry[] {
  const open = new Map(routesFor(router, isAdmin).map((route) => [route.to, route]));
  return readRecent().flatMap(({ id, label, detail, target }) => {
    const now = known.find((one) => one.id === id);
    if (now) return [{ ...now, id: `recent-${id}` }];
    const route = target && open.get(target.to);
    if (!route) return [];
    const icon = target.params || target.search ? IconHistory : (route.menu?.icon ?? IconArrowRight);
    return [
      { ...createEntry(`recent-${id}`, label, icon), detail, onChoose: () => go({ id, label, target }) },
    ];
  });
}
