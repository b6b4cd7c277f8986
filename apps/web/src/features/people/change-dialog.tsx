/** Asks before something is done to a person or to many, names who, and says what follows. */
import type { Person } from '@vestibule/contract/people';
import { useState } from 'react';
import { describeFailure } from '../../lib/call-failure.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { SelectedRows } from '../../ui/grid-selection.ts';
import { toast } from '../../ui/toast.tsx';
import { changeMany, changeOne, type PersonChange } from './person-changes.ts';
import { countOf } from './person-words.ts';
import './people.css';

export function ChangeDialog({
  change,
  person,
  isOneself,
  onClose,
}: {
  change: PersonChange;
  person: Person;
  /** Whoever acts acts on themselves. */
  isOneself: boolean;
  /** `changed` when it was done. */
  onClose: (changed: boolean) => void;
}) {
  return (
    <ConfirmDialog
      title={`${change.label}: ${person.displayName}`}
      confirm={change.label}
      danger={change.danger}
      onClose={() => onClose(false)}
      onConfirm={async () => onClose(await changeOne(change, person))}
    >
      <p>
        {change.consequence(person.displayName, false)} ({person.email})
      </p>
      {isOneself && (
        <p>
          <strong>This is you.</strong> You cannot take it back yourself.
        </p>
      )}
    </ConfirmDialog>
  );
}

type Skipped = Awaited<ReturnType<typeof changeMany>>;

/** The same for many; afterwards those are named that were left as they are. */
export function ManyDialog({
  change,
  selected: { selection, count, rows, clear },
  onDone,
  onClose,
}: {
  change: PersonChange;
  selected: SelectedRows<Person>;
  onDone: () => void;
  onClose: () => void;
}) {
  const [left, setLeft] = useState<Skipped | null>(null);

  const apply = async () => {
    try {
      const answer = await changeMany(change, selection);
      clear();
      onDone();
      if (answer.skippedCount > 0) setLeft(answer);
      else onClose();
    } catch (error) {
      const { message, reference } = describeFailure(error);
      toast.failure(message, { reference });
      onDone();
      onClose();
    }
  };

  if (left)
    return (
      <Dialog
        title={`${countOf(left.skippedCount)} left as they are`}
        onClose={onClose}
        actions={
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        }
      >
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
        <ul className="people-left" tabIndex={0} aria-label="Left as they are">
          {left.skipped.map(({ id, label, reason }) => (
            <li key={id}>
              {label}
              <small>{reason}</small>
            </li>
          ))}
        </ul>
        {left.skippedCount > left.skipped.length && (
          <p>and {(left.skippedCount - left.skipped.length).toLocaleString()} more.</p>
        )}
      </Dialog>
    );
  return (
    <ConfirmDialog
      title={`${change.label}: ${countOf(count)}`}
      confirm={`${change.label}: ${countOf(count)}`}
      danger={change.danger}
      onClose={onClose}
      onConfirm={apply}
    >
      <p>{namesOf(rows, count)}</p>
      <p>{change.consequence('They', true)}</p>
      <p>You yourself are left out.</p>
    </ConfirmDialog>
  );
}

/** “a@x.de, b@x.de, c@x.de and 12 more.” */
function namesOf(rows: readonly Person[], count: number): string {
  const named = rows.slice(0, 8).map(({ email }) => email);
  const more = count - named.length;
  if (named.length === 0) return 'All that match the search and the filters.';
  return `${named.join(', ')}${more > 0 ? ` and ${more.toLocaleString()} more` : ''}.`;
}
