/** The command palette: opens screens, and finds people, invitations, files and settings. */
import { plural, t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { UserDetail } from '@vestibule/contract/profile/me';
import type { Finder, FinderContext, FinderResult } from '../../lib/finder.ts';
import { useOfferedScreens } from '../../lib/offered-screens.ts';
import { Button } from '../../ui/button.tsx';
import { CommandDialog, type CommandGroup } from '../../ui/dialog/command-dialog.tsx';
import { bestEntries, createEntry, routeEntries, type Entry } from './palette-entries.tsx';
import { usePaletteResults } from './use-palette-results.ts';

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
