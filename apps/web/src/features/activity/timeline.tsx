/** Entries of the log one below the other, newest first; more of them on demand. */
import { t } from '@lingui/core/macro';
import type { Activity } from '@vestibule/contract/activity';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { entrySentence } from './activity-texts.ts';
import '../../ui/record-list.css';
import './activity.css';

// The dashboard has a timeline, of which nobody may open an entry.
const EntryDialog = lazy(() => import('./entry-dialog.tsx'));

/** By their name while they are inside. */
const calledActor = ({ actor, actorPerson }: Activity) => actorPerson?.displayName ?? actor;

export function Timeline({
  entries,
  about,
  onMore,
}: {
  entries: readonly Activity[];
  /** The person whose timeline it is: they are not named again. */
  about: { email: string };
  /** Fetches older ones; absent when there are none. */
  onMore?: (() => unknown) | undefined;
}) {
  const [shown, setShown] = useState<Activity | null>(null);
  return (
    <>
      <ol className="timeline activity-timeline">
        {entries.map((entry) => (
          <li key={entry.id}>
            <button type="button" onClick={() => setShown(entry)}>
              {entrySentence(entry, about.email)}
            </button>
            <small>
              <Moment at={entry.at} />
              {entry.actor !== about.email && t`, by ${calledActor(entry)}`}
              {entry.tokenName && t`, with the access token “${entry.tokenName}”`}
            </small>
          </li>
        ))}
      </ol>
      {onMore && <Button onClick={onMore}>{t`Show older entries`}</Button>}
      <Suspense>{shown && <EntryDialog entry={shown} onClose={() => setShown(null)} />}</Suspense>
    </>
  );
}
