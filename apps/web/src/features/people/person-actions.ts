/** What is offered for people: done at once where it can be taken back, asked about else. */
import type { Person } from '@vestibule/contract/people';
import { changeMany, changeOne, personChanges, type PersonChange } from './person-changes.ts';
import { countOf } from './person-texts.ts';
import { runBulkAction } from '../../ui/dialog/bulk-action.ts';
import type { PanelAction } from '../../ui/grid/detail-panel/side-panel.tsx';
import type { SelectedRows } from '../../ui/grid/selection/grid-selection.ts';

/** Who acts, how they are asked, and what follows a change. */
type Acting<Asked> = { ownId: string; onAsk: (asked: Asked) => void; onChanged: () => void };

export type AskedOfOne = { change: PersonChange; person: Person };
export type AskedOfMany = { change: PersonChange; selected: SelectedRows<Person> };

/** For one; the main ones are buttons where there is room for them. */
export function actionsOf(person: Person, { ownId, onAsk, onChanged }: Acting<AskedOfOne>): PanelAction[] {
  return personChanges()
    .filter((change) => change.isOffered(person))
    .map((change) => ({
      label: change.label,
      danger: change.danger,
      main: change.isMain,
      onSelect: () =>
        // Whoever disables themselves can undo nothing.
        change.undoneBy && person.id !== ownId
          ? changeOne(change, person, { onChanged }).then(onChanged)
          : onAsk({ change, person }),
    }));
}

/** For many: chosen people are seen, so that what was done to them can be taken back; "all that match" are asked about. */
export function actOnMany(
  change: PersonChange,
  selected: SelectedRows<Person>,
  { onAsk, onChanged }: Omit<Acting<AskedOfMany>, 'ownId'>,
): Promise<void> | void {
  if (!change.undoneBy || !('ids' in selected.selection)) return onAsk({ change, selected });
  return runBulkAction(selected, {
    act: (progress) => changeMany(change, selected.selection, progress, { onChanged }),
    nameOf: ({ displayName }) => displayName,
    countOf,
    onDone: onChanged,
  });
}
