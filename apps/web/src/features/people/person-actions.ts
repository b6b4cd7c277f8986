/** Actions for people. Reversible changes run immediately and can be undone; others require a confirmation first. */
import type { Person } from '@vestibule/contract/people';
import { changeMany, changeOne, personChanges, type PersonChange } from './person-changes.ts';
import { countOf } from './person-texts.ts';
import { runBulkAction } from '../../ui/dialog/bulk-action.ts';
import type { PanelAction } from '../../ui/grid/side-panel.tsx';
import type { SelectedRows } from '../../ui/grid/grid-selection.ts';

export function personActionsOf(
  person: Person,
  {
    ownId,
    onOpenDialog,
    onChanged,
  }: { ownId: string; onOpenDialog: (change: PersonChange) => void; onChanged: () => void },
): PanelAction[] {
  return personChanges()
    .filter((change) => change.isOffered(person))
    .map((change) => ({
      label: change.label,
      danger: change.danger,
      main: change.isMain,
      onSelect: () =>
        // A user who disables their own account cannot undo this.
        change.undoneBy && person.id !== ownId
          ? changeOne(change, person, { onChanged }).then(onChanged)
          : onOpenDialog(change),
    }));
}

/**
 * Changes selected rows immediately and offers undo. If the change cannot be undone or "all matching rows" are selected, asks for
 * confirmation instead.
 */
export function runBulkPersonAction(
  change: PersonChange,
  selected: SelectedRows<Person>,
  { onOpenDialog, onChanged }: { onOpenDialog: () => void; onChanged: () => void },
): Promise<void> | void {
  if (!change.undoneBy || !('ids' in selected.selection)) return onOpenDialog();
  return runBulkAction(selected, {
    act: (progress) => changeMany(change, selected.selection, progress, { onChanged }),
    nameOf: ({ displayName }) => displayName,
    countOf,
    onDone: onChanged,
  });
}
