/** Groups of the palette for a typed text: results, static entries, and actions. */
import { t } from '@lingui/core/macro';
import { IconBolt } from '@tabler/icons-react';
import type { FinderResult, FinderAction, Target } from '../../lib/finder.ts';
import type { CommandGroup } from '../../ui/dialog/command-dialog.tsx';
import { bestEntries, createEntry, type Entry } from './palette-entries.tsx';
import { scoreOf } from './palette-match.ts';
import { readObject } from './palette-commands.ts';
import { storeRecent, type RecentChoice } from './recent-choices.ts';
import type { FoundGroup, usePaletteResults } from './use-palette-results.ts';

type PaletteActions = {
  setText: (text: string) => void;
  go: (place: RecentChoice & { target: Target }) => void;
};

/** Maximum number of results that list their actions. */
const maximumObjects = 3;

/** Returns groups in order: actions named in the text first, settings last. */
export function groupsFor(
  text: string,
  own: { screens: Entry[]; doing: Entry[]; themes: Entry[] },
  { finders, groups }: Pick<ReturnType<typeof usePaletteResults>, 'finders' | 'groups'>,
  { setText, go }: PaletteActions,
): CommandGroup[] {
  const typed = text.trim();
  const object = readObject(text);
  const thing = (one: FinderResult, icon: Entry['icon']): Entry => ({
    ...one,
    icon,
    onChoose: () => go(one),
    ...(one.actions && one.actions.length > 0 && { onMore: () => setText(`${one.name ?? one.label}, `) }),
  });
  const withIcon = (icon: FoundGroup['finder']['icon'], found: readonly FinderResult[]): Entry[] =>
    found.map((one) => thing(one, createEntry('', '', icon).icon));
  const local = (title: string, entries: Entry[]): CommandGroup => ({
    title,
    commands: bestEntries(typed, entries),
  });

  const verbs = finders.flatMap(({ icon, verbs: known = [] }) =>
    known
      .filter(({ label }) => !groups.some(({ verb, things }) => verb?.label === label && things.length > 0))
      .map(({ label }) => ({
        ...createEntry(`verb-${label}`, t`${label} …`, icon),
        stays: true,
        onChoose: () => setText(`${label} `),
      })),
  );
  const ofText = groups.filter(({ verb }) => !verb);
  const all = ofText.flatMap((group) => group.things);
  return [
    ...groups.flatMap((group) => (group.verb ? [verbGroup(group, group.verb)] : [])),
    ...(object ? all.slice(0, maximumObjects).map((one) => actionsGroup(one, object.action)) : []),
    local(t`Screens`, own.screens),
    local(t`Actions`, [...own.doing, ...uniqueById(verbs)]),
    local(t`Themes`, own.themes),
    ...ofText.map(({ finder, things: found }) => ({
      title: finder.title,
      commands: withIcon(finder.icon, found),
    })),
    ...(object ? [] : all.slice(0, 1).map((one) => actionsGroup(one))),
    ...finders.map(({ title, icon, places = [] }) => local(title, withIcon(icon, places))),
  ].filter(({ commands }) => commands.length > 0);
}

function verbGroup({ finder, things }: FoundGroup, verb: NonNullable<FoundGroup['verb']>): CommandGroup {
  return {
    title: `${finder.title}: ${verb.label}`,
    commands: things.flatMap((one) => {
      const action = verb.of(one);
      const { label, detail } = one;
      if (!action) return [];
      return [
        { ...actionEntry(one, action, t`${verb.label}: ${label}`), id: `${verb.label}-${one.id}`, detail },
      ];
    }),
  };
}

function actionsGroup(one: FinderResult, wanted = ''): CommandGroup {
  return {
    title: t`Actions: ${one.label}`,
    commands: (one.actions ?? [])
      .filter(({ label }) => !wanted || scoreOf(wanted, label) > 0)
      .map((action) => actionEntry(one, action, action.label)),
  };
}

function actionEntry(one: FinderResult, action: FinderAction, label: string): Entry {
  return {
    ...createEntry(`${one.id}-${action.label}`, label, IconBolt),
    onChoose() {
      storeRecent(one);
      return action.onSelect();
    },
  };
}

/** Actions of the same name from several finders are merged. */
function uniqueById(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((one) => [one.id, one])).values()];
}
