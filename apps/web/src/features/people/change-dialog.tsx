import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Person } from '@vestibule/contract/people';
import { type RemovalFileOptions, fileRetentionDays } from '@vestibule/contract/people/removed';
import { useState } from 'react';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';
import { BulkActionDialog } from '../../ui/dialog/bulk-action-dialog.tsx';
import { PersonCell } from '../../ui/person/person.tsx';
import { changeMany, changeOne, type PersonChange } from './person-changes.ts';
import { countOf } from './person-texts.ts';
import { Choice } from '../../ui/fields/choice.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import './people.css';

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
  onDone,
  onClose,
}: {
  change: PersonChange;
  selected: SelectedRows<Person>;
  onDone: () => void;
  onClose: () => void;
}) {
  const [files, setFiles] = useState<RemovalFileOptions>({});
  return (
    <BulkActionDialog
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
      {'all' in selected.selection && <p>{t`You are not included.`}</p>}
    </BulkActionDialog>
  );
}

function FilesChoice({
  value,
  onChange,
}: {
  value: RemovalFileOptions;
  onChange: (value: RemovalFileOptions) => void;
}) {
  const { files = 'handOver', handOverTo = '' } = value;
  return (
    <div className="people-stack">
      <div>
        <p className="field-label">{t`What happens to the files`}</p>
        <Choice
          label={t`What happens to the files`}
          options={[
            { value: 'handOver', label: t`Hand over` },
            { value: 'delete', label: t`Delete them after ${fileRetentionDays} days` },
          ]}
          value={files}
          onChange={(chosen) => onChange({ files: chosen })}
        />
      </div>
      {files === 'handOver' ? (
        <TextField
          label={t`Hand over to`}
          description={t`The e-mail address of a member. Leave empty for yourself.`}
          type="email"
          autoComplete="off"
          value={handOverTo}
          onChange={(event) => onChange({ files, handOverTo: event.currentTarget.value })}
        />
      ) : (
        <p>{t`Until then you can hand them over under Removed people.`}</p>
      )}
    </div>
  );
}

/** Returns the options without an empty address. */
function filesToSend({ files, handOverTo = '' }: RemovalFileOptions): RemovalFileOptions {
  const to = handOverTo.trim();
  return { ...(files && { files }), ...(to !== '' && { handOverTo: to }) };
}
