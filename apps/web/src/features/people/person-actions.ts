/** Actions for people. Reversible changes run immediately with an undo, others ask first. */
import type { Person } from '@vestibule/contract/people';
import { changeMany, changeOne, personChanges, type PersonChange } from './person-changes.ts';
import { countOf } from './person-texts.ts';
import { runBulkAction } from '../../ui/dialog/bulk-action.ts';
import type { PanelAction } from '../../ui/grid/detail-panel/side-panel.tsx';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';

type ActionContext<Confirmation> = {
  ownId: string;
  onOpenDialog: (confirmation: Confirmation) => void;
  onChanged: () => void;
};

export type PersonConfirmation = { change: PersonChange; person: Person };
export type BulkConfirmation = { change: PersonChange; selected: SelectedRows<Person> };

export function actionsOf(
  person: Person,
  { ownId, onOpenDialog, onChanged }: ActionContext<PersonConfirmation>,
): PanelAction[] {
  return personChanges()
    .filter((change) => change.isOffered(person))
    .map((change) => ({
      label: change.label,
      danger: change.danger,
      main: change.isMain,
      onSelect: () =>
        // Disabling oneself cannot be undone.
        change.undoneBy && person.id !== ownId
          ? changeOne(change, person, { onChanged }).then(onChanged)
          : onOpenDialog({ change, person }),
    }));
}

/** Changes selected rows immediately and offers undo. Asks first for "all matching rows". */
export function actOnMany(
  change: PersonChange,
  selected: SelectedRows<Person>,
  { onOpenDialog, onChanged }: Omit<ActionContext<BulkConfirmation>, 'ownId'>,
): Promise<void> | void {
  if (!change.undoneBy || !('ids' in selected.selection)) return onOpenDialog({ change, selected });
  return runBulkAction(selected, {
    act: (progress) => changeMany(change, selected.selection, progress, { onChanged }),
    nameOf: ({ displayName }) => displayName,
    countOf,
    onDone: onChanged,
  });
}
