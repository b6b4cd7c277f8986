import { t } from '@lingui/core/macro';
import type { Activity } from '@vestibule/contract/activity';
import { lazy, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { LazyPart } from '../../ui/shell/lazy-part.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { entrySentence } from './activity-texts.ts';
import '../../ui/record-list.css';
import './activity.css';

// Loaded on demand: few users of the dashboard open an entry.
const EntryDialog = lazy(() => import('./entry-dialog.tsx'));

const actorName = ({ actor, actorPerson }: Activity) => actorPerson?.displayName ?? actor;

export function Timeline({
  entries,
  about,
  onMore,
}: {
  entries: readonly Activity[];
  /** The person whose timeline is shown. Entries omit the name of this person. */
  about: { email: string };
  /** Loads older entries; undefined if there are none. */
  onMore?: (() => unknown) | undefined;
}) {
  const [shown, setShown] = useState<Activity | null>(null);
  const close = () => setShown(null);
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
              {entry.actor !== about.email && t`, by ${actorName(entry)}`}
              {entry.tokenName && t`, with the access token “${entry.tokenName}”`}
            </small>
          </li>
        ))}
      </ol>
      {onMore && <Button onClick={onMore}>{t`Show older entries`}</Button>}
      <LazyPart onClose={close}>{shown && <EntryDialog entry={shown} onClose={close} />}</LazyPart>
    </>
  );
}
