/** Actions for people. Reversible changes run immediately and can be undone; others require a confirmation first. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { actOnPeople, type Person } from '@vestibule/contract/people';
import { type RemovalFileOptions, fileRetentionDays } from '@vestibule/contract/people/removed';
import type { RouteRequest } from '@vestibule/contract/route';
import { lazy, useState, type ReactNode } from 'react';
import { changeOne, personChanges, skipReason, type PersonChange } from './person-changes.ts';
import { countOf } from './person-texts.ts';
import { call } from '../../lib/call.ts';
import { changeAtOnce, type BulkChange, type SkippedRows } from '../../ui/dialog/bulk-action.ts';
import type { Question } from '../../ui/dialog/use-dialog.tsx';
import { Choice } from '../../ui/fields/choice.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import type { GridSelection } from '../../ui/grid/grid-selection.ts';
import type { PanelAction } from '../../ui/grid/side-panel.tsx';
import { PersonCell } from '../../ui/person/person.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import './people.css';

const DetailsDialog = lazy(() => import('./details-dialog.tsx'));

type ActionContext = {
  /** The signed-in user. */
  ownId: string;
  ask: (question: Question) => void;
  open: (dialog: () => ReactNode) => void;
  close: () => void;
  /** Called after each attempt, and after an undo. */
  onDone: (isRemoved: boolean) => void;
};

export function personActionsOf(person: Person, context: ActionContext): PanelAction[] {
  const { ownId, onDone, open, close } = context;
  const changes = personChanges()
    .filter((change) => change.isOffered(person))
    .map((change) => ({
      label: change.label,
      danger: change.danger,
      main: change.isMain,
      onSelect: () =>
        // A user who disables their own account cannot undo this.
        change.undoneBy && person.id !== ownId
          ? changeOne(change, person, { onChanged: () => onDone(false) }).then(() => onDone(false))
          : askToChange(change, person, context),
    }));
  return [
    {
      label: t`Change details`,
      onSelect: () =>
        open(() => <DetailsDialog person={person} onDone={() => onDone(false)} onClose={close} />),
    },
    ...changes,
  ];
}

/** The choice what happens to the files of removed people; no element for other changes. */
function createFilesChoice({ action }: PersonChange) {
  let files: RemovalFileOptions = {};
  const onChange = (options: RemovalFileOptions) => {
    files = options;
  };
  const element = action === 'remove' && <FilesChoice initial={() => files} onChange={onChange} />;
  return { chosen: () => files, element };
}

function askToChange(change: PersonChange, person: Person, { ownId, ask, onDone }: ActionContext): void {
  const files = createFilesChoice(change);
  ask({
    title: `${change.label}: ${person.displayName}`,
    confirm: change.label,
    danger: change.danger,
    text: (
      <>
        <PersonCell person={{ ...person, name: person.displayName }} />
        <p>{change.consequence}</p>
        {files.element}
        {person.id === ownId && (
          <p>
            <Trans>
              <strong>This is you.</strong> You cannot undo this yourself.
            </Trans>
          </p>
        )}
      </>
    ),
    act: async () => {
      const isChanged = await changeOne(change, person, { files: files.chosen() });
      onDone(isChanged && change.action === 'remove');
    },
  });
}

/** Returns a change for selected people. `onUndone` is called after an undo. */
export function bulkChangeOf(
  change: PersonChange,
  ownId: string,
  onUndone: () => void,
): BulkChange<Person, RouteRequest<typeof actOnPeople>['body']['selection']> {
  const files = createFilesChoice(change);
  return {
    label: change.label,
    danger: change.danger,
    consequence: (
      <>
        <p>{change.consequence}</p>
        {files.element}
      </>
    ),
    allNote: t`You are not included.`,
    skipReason: (person) => skipReason(change, person, ownId),
    canUndo: change.undoneBy !== undefined,
    act: (selection) => call(actOnPeople, { body: { action: change.action, selection, ...files.chosen() } }),
    onChanged(count, skippedRows, selection) {
      const undo = personChanges().find(({ action }) => action === change.undoneBy);
      const ids = undo ? changedIds(selection, skippedRows) : null;
      const undoIt = (undoing: PersonChange, changed: string[]) =>
        changeAtOnce(
          bulkChangeOf(undoing, ownId, onUndone),
          { selection: { ids: changed }, rows: [], clear() {} },
          { countOf },
        ).finally(onUndone);
      toast.success(change.doneToMany(count), undo && ids ? { undo: () => undoIt(undo, ids) } : {});
    },
  };
}

/** Returns the ids that were changed; null if not all skipped rows are listed. */
function changedIds(selection: GridSelection, { skipped, skippedCount }: SkippedRows): string[] | null {
  if (!('ids' in selection) || skippedCount > skipped.length) return null;
  const out = new Set(skipped.map(({ id }) => id));
  return selection.ids.filter((id) => !out.has(id));
}

/** Asks what happens to the files of removed people. */
function FilesChoice({
  initial,
  onChange,
}: {
  initial: () => RemovalFileOptions;
  onChange: (options: RemovalFileOptions) => void;
}) {
  const [{ files = 'handOver', handOverTo = '' }, setOptions] = useState(initial);
  const choose = (options: RemovalFileOptions) => {
    const to = options.handOverTo?.trim();
    onChange({ files: options.files, ...(to && { handOverTo: to }) });
    setOptions(options);
  };
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
          onChange={(value) => choose({ files: value })}
        />
      </div>
      {files === 'handOver' ? (
        <TextField
          label={t`Hand over to`}
          description={t`The e-mail address of a member. Leave empty for yourself.`}
          type="email"
          autoComplete="off"
          value={handOverTo}
          onChange={(event) => choose({ files, handOverTo: event.currentTarget.value })}
        />
      ) : (
        <p>{t`Until then you can hand them over under Removed people.`}</p>
      )}
    </div>
  );
}
