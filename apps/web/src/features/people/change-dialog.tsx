import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { listPeople, type Person } from '@vestibule/contract/people';
import type { RemovalFileOptions } from '@vestibule/contract/people/removed';
import { useState } from 'react';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import type { GridSelection, SelectedRows } from '../../ui/grid/grid-selection.ts';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import { PersonCell } from '../../ui/person/person.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { FilesChoice, filesToSend } from './files-choice.tsx';
import { changeMany, changeOne, type PersonChange } from './person-changes.ts';
import { countOf } from './person-texts.ts';

export function ChangeDialog({
  change,
  person,
  isOneself,
  onClose,
}: {
  change: PersonChange;
  person: Person;
  isOneself: boolean;
  onClose: (changed: boolean) => void;
}) {
  const [files, setFiles] = useState<RemovalFileOptions>({});
  return (
    <ConfirmDialog
      title={`${change.label}: ${person.displayName}`}
      confirm={change.label}
      danger={change.danger}
      onClose={() => onClose(false)}
      onConfirm={async () => onClose(await changeOne(change, person, { files: filesToSend(files) }))}
    >
      <PersonCell person={{ ...person, name: person.displayName }} />
      <p>{change.consequence(person.displayName, false)}</p>
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

export function ChangeManyDialog({
  change,
  selected,
  me,
  onDone,
  onClose,
}: {
  change: PersonChange;
  selected: SelectedRows<Person>;
  /** The signed-in user, who is excluded from the change. */
  me: { Id: string; Email: string };
  onDone: () => void;
  onClose: () => void;
}) {
  const [files, setFiles] = useState<RemovalFileOptions>({});
  const isAmong = useIsAmong(me, selected);
  const selection = isAmong ? excluding(me.Id, selected.selection) : selected.selection;
  if (isAmong === undefined)
    return (
      <Dialog title={change.label} onClose={onClose}>
        <Skeleton lines={3} />
      </Dialog>
    );
  return (
    <BulkActionDialog
      title={change.label}
      danger={change.danger}
      selected={isAmong ? { ...selected, count: selected.count - 1 } : selected}
      personOf={({ id, displayName, email }) => ({ id, name: displayName, email })}
      countOf={countOf}
      onConfirm={(progress) => changeMany(change, selection, progress, { files: filesToSend(files) })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{change.consequence('', true)}</p>
      {change.action === 'remove' && <FilesChoice value={files} onChange={setFiles} />}
      {isAmong && <p>{t`You are not included.`}</p>}
    </BulkActionDialog>
  );
}

function excluding(id: string, selection: GridSelection): GridSelection {
  if (!('all' in selection)) return selection;
  const { except = [], ...all } = selection.all;
  return { all: { ...all, except: [...except, id] } };
}

/** Returns whether the user is among all matching rows; undefined while loading. */
function useIsAmong(
  { Id, Email }: { Id: string; Email: string },
  { selection }: SelectedRows<Person>,
): boolean | undefined {
  const all = 'all' in selection ? selection.all : null;
  const { search, filters = [], except = [] } = all ?? {};
  const narrowed = JSON.stringify([...filters, { column: 'email', is: 'contains', text: Email }]);
  const found = useApiQuery(listPeople, {
    key: ['people', 'among', search, narrowed],
    query: { ...(search && { search }), filters: narrowed, limit: 100 },
    enabled: all !== null && !except.includes(Id),
    gcTime: 0,
  });
  if (found.isLoading) return undefined;
  return found.data?.rows.some(({ id }) => id === Id) ?? false;
}
