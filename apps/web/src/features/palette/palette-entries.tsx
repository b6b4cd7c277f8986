/** Palette entries of the routes: screens and their actions. */
import { t } from '@lingui/core/macro';
import { i18n, type MessageDescriptor } from '@lingui/core';
import { IconKeyboard } from '@tabler/icons-react';
import type { RegisteredRouter } from '@tanstack/react-router';
import type { Finder, FinderContext } from '../../lib/finder.ts';
import type { OfferedScreen } from '../../lib/offered-screens.ts';
import type { Command } from '../../ui/dialog/command-dialog.tsx';
import { bestFirst, matches } from './palette-match.ts';

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
export type Entry = Command & { words?: string };

const maximumEntries = 8;

export function createEntry(
  id: string,
  label: string,
  Icon: Finder['icon'],
  onChoose: () => unknown,
): Command {
  return { id, label, icon: <Icon size={20} stroke={1.75} />, onChoose };
}

/** Returns the entries that match the text best. If the text is empty, returns all entries. */
export function bestEntries(text: string, entries: readonly Entry[]): readonly Entry[] {
  if (!text) return entries;
  const matching = entries.filter((entry) => matches(text, entry));
  return bestFirst(text, matching).slice(0, maximumEntries);
}

/** Returns the entries of the screens and their actions, in the order of the menu. */
export function routeEntries(
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
