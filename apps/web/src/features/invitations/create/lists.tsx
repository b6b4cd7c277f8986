/** Dropped and pasted lists. */
import { t } from '@lingui/core/macro';
import { QuietButton } from '../../../ui/button.tsx';
import { countRows } from '../invitation-texts.ts';
import { rereadList, type UpdateLists } from './change-lists.ts';
import type { NamedList } from './invite-draft.ts';
import { ListInterpretation } from './list-interpretation.tsx';

export function Lists({
  lists,
  onChange,
  onProblem,
}: {
  lists: readonly NamedList[];
  onChange: UpdateLists;
  onProblem: (message: string) => void;
}) {
  return (
    <ul className="invite-lists" aria-label={t`Lists`}>
      {lists.map((list) => (
        <li key={list.id}>
          <div>
            <strong>{list.title}</strong>: {countRows(list.entries.length)}
            <ListInterpretation
              list={list}
              onChoose={(choices) => void rereadList(list, choices, { updateLists: onChange, onProblem })}
            />
          </div>
          <QuietButton
            aria-label={t`Remove ${list.title}`}
            onClick={() => onChange((previous) => previous.filter(({ id }) => id !== list.id))}
          >
            {t`Remove`}
          </QuietButton>
        </li>
      ))}
    </ul>
  );
}
