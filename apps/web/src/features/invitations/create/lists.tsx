/** Dropped and pasted lists. */
import { t } from '@lingui/core/macro';
import { QuietButton } from '../../../ui/button.tsx';
import { countRows } from '../invitation-texts.ts';
import { chooseReading, type ChangeLists } from './change-lists.ts';
import type { NamedList } from './invite-draft.ts';
import { ListReading } from './list-reading.tsx';

export function Lists({
  lists,
  onChange,
  onProblem,
}: {
  lists: readonly NamedList[];
  onChange: ChangeLists;
  onProblem: (sentence: string) => void;
}) {
  return (
    <ul className="invite-lists" aria-label={t`Lists`}>
      {lists.map((list) => (
        <li key={list.id}>
          <div>
            <strong>{list.title}</strong>: {countRows(list.entries.length)}
            <ListReading
              list={list}
              onChoose={(choices) => void chooseReading(list, choices, { change: onChange, onProblem })}
            />
          </div>
          <QuietButton
            aria-label={t`Remove ${list.title}`}
            onClick={() => onChange((before) => before.filter(({ id }) => id !== list.id))}
          >
            {t`Remove`}
          </QuietButton>
        </li>
      ))}
    </ul>
  );
}
