/** Asks before something is done to a person or to many, names who, and says what follows. */
import { Trans } from '@lingui/react/macro';
import type { Person } from '@vestibule/contract/people';
import type { FilesOfRemoved } from '@vestibule/contract/people/removed';
import { useState } from 'react';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';
import { ManyDialog } from '../../ui/dialog/many-dialog.tsx';
import { FilesChoice, filesToSend } from './files-choice.tsx';
import { changeMany, changeOne, type PersonChange } from './person-changes.ts';
import { countOf } from './person-words.ts';

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
  const [files, setFiles] = useState<FilesOfRemoved>({});
  return (
    <ConfirmDialog
      title={`${change.label}: ${person.displayName}`}
      confirm={change.label}
      danger={change.danger}
      onClose={() => onClose(false)}
      onConfirm={async () => onClose(await changeOne(change, person, { files: filesToSend(files) }))}
    >
      <p>
        {change.consequence(person.displayName, false)} ({person.email})
      </p>
      {change.action === 'remove' && <FilesChoice value={files} onChange={setFiles} />}
      {isOneself && (
        <p>
          <Trans>
            <strong>This is you.</strong> You cannot undo this yourself.
          </Trans>
        </p>
      )}
    </ConfirmDialog>
  );
}

/** The same for many. */
export function ChangeManyDialog({
  change,
  selected,
  onDone,
  onClose,
}: {
  change: PersonChange;
  selected: SelectedRows<Person>;
  onDone: () => void;
  onClose: () => void;
}) {
  const [files, setFiles] = useState<FilesOfRemoved>({});
  return (
    <ManyDialog
      title={change.label}
      danger={change.danger}
      selected={selected}
      personOf={({ id, displayName, email }) => ({ id, name: displayName, email })}
      countOf={countOf}
      onConfirm={(progress) =>
        changeMany(change, selected.selection, progress, { files: filesToSend(files) })
      }
      onDone={onDone}
      onClose={onClose}
    >
      <p>{change.consequence('', true)}</p>
      {change.action === 'remove' && <FilesChoice value={files} onChange={setFiles} />}
      <p>
        <Trans>You are not included.</Trans>
      </p>
    </ManyDialog>
  );
}
