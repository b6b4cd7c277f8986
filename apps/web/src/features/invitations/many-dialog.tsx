/** Asks before something is done to many invitations, and afterwards names those that it could not be done to. */
import type { Invitation } from '@vestibule/contract/invitations';
import { useState } from 'react';
import { describeFailure } from '../../lib/call-failure.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { GridSelection } from '../../ui/grid-selection.ts';
import { toast } from '../../ui/toast.tsx';
import { changeMany, type ManyChange } from './invitation-changes.ts';
import { countOf } from './invitation-words.ts';
import './invitations.css';

type Skipped = Awaited<ReturnType<typeof changeMany>>;

export function ManyDialog({
  change,
  selection,
  count,
  rows,
  onDone,
  onClose,
}: {
  change: ManyChange;
  selection: GridSelection;
  count: number;
  rows: readonly Invitation[];
  onDone: () => void;
  onClose: () => void;
}) {
  const [left, setLeft] = useState<Skipped | null>(null);

  const apply = async () => {
    try {
      const answer = await changeMany(change, selection);
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
        <ul className="invite-rows" tabIndex={0} aria-label="Left as they are">
          {left.skipped.map(({ id, label, reason }) => (
            <li key={id}>
              <div className="invite-row-who">
                {label}
                <p>{reason}</p>
              </div>
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
      confirm={`${change.label} ${countOf(count)}`}
      danger={change.danger}
      onClose={onClose}
      onConfirm={apply}
    >
      <p>{namesOf(rows, count)}</p>
      <p>{change.consequence}</p>
    </ConfirmDialog>
  );
}

/** “a@x.de, b@x.de, c@x.de and 12 more.” */
function namesOf(rows: readonly Invitation[], count: number): string {
  const named = rows.slice(0, 5).map(({ email }) => email);
  const more = count - named.length;
  if (named.length === 0) return 'All that match the search and the filters.';
  return `${named.join(', ')}${more > 0 ? ` and ${more.toLocaleString()} more` : ''}.`;
}
