/** The command palette. Its entries come from the routes' `staticData`. */
import { plural, t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { announceChange } from '../../lib/live-changes.ts';
import type { FinderContext, Target } from '../../lib/finder.ts';
import { Button } from '../../ui/button.tsx';
import { CommandDialog } from '../../ui/dialog/command-dialog.tsx';
import { ownEntries, recentEntries } from './palette-entries.tsx';
import { groupsFor } from './palette-groups.tsx';
import { storeRecent, type RecentChoice } from './recent-choices.ts';
import { usePaletteResults } from './use-palette-results.ts';

export type PaletteProps = Pick<FinderContext, 'user' | 'signInMethods' | 'show'> & {
  onSignOut: () => void;
  onShortcuts: () => void;
  onClose: () => void;
};

export default function PaletteDialog({
  user,
  signInMethods,
  show,
  onSignOut,
  onShortcuts,
  onClose,
}: PaletteProps) {
  const router = useRouter();
  const [text, setText] = useState('');
  const typed = text.trim();
  const goTo = (target: Target) => void router.navigate(target as never);
  const finding: FinderContext = { user, signInMethods, show, go: goTo, announceChange };
  const found = usePaletteResults(text, finding);

  const go = (place: RecentChoice & { target: Target }) => {
    storeRecent(place);
    goTo(place.target);
  };
  const own = useMemo(() => {
    const entries = ownEntries(router, user.IsAdmin, go, { setText, onShortcuts, onSignOut });
    const known = Object.values(entries).flat();
    return { ...entries, recent: recentEntries(router, user.IsAdmin, go, known) };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the dialog is open for one person and one moment
  }, []);

  const groups = typed
    ? groupsFor(text, own, found, { setText, go })
    : [
        { title: t`Recent`, commands: own.recent },
        { title: t`Screens`, commands: own.screens },
        { title: t`Actions`, commands: own.doing.filter(({ id }) => !id.startsWith('export')) },
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
