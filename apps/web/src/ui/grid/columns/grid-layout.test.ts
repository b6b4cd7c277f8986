import { expect, test } from 'vitest';
import type { GridColumn } from './grid-column.ts';
import { changeColumn, layoutOf, moveColumn, placeColumns, seenColumns } from './grid-layout.ts';

const column = (id: string, hidden = false): GridColumn<string> => ({
  id,
  title: id,
  kind: 'text',
  text: (row) => row,
  ...(hidden && { hidden }),
});
const columns = [column('a'), column('b'), column('c', true)];
const ids = (placed: { column: { id: string } }[]) => placed.map((one) => one.column.id).join('');

test('columns stand as the person left them; new ones follow, those that are gone are forgotten (J2)', () => {
  const placed = placeColumns(columns, {
    columns: [{ id: 'gone' }, { id: 'b', width: 200.4 }, { id: 'a', hidden: true }],
  });
  expect(ids(placed)).toBe('bac');
  expect(layoutOf(placed, false)).toEqual({
    columns: [
      { id: 'b', width: 200 },
      { id: 'a', hidden: true },
      { id: 'c', hidden: true },
    ],
  });
  expect(placeColumns(columns, layoutOf(placeColumns(columns, null), false))).toEqual(
    placeColumns(columns, null),
  );
});

test('a layout that shows nothing is not taken (J2)', () => {
  const nothing = { columns: columns.map(({ id }) => ({ id, hidden: true })) };
  expect(placeColumns(columns, nothing)).toEqual(placeColumns(columns, null));
});

test('a pinned column goes before the others and moves among its own (J2)', () => {
  const placed = changeColumn(placeColumns(columns, null), 'b', { pinned: true });
  expect(ids(placed)).toBe('bac');
  expect(ids(moveColumn(placed, 'a', -1))).toBe('bac');
  expect(ids(moveColumn(placed, 'a', 1))).toBe('bca');
  expect(ids(moveColumn(placed, 'c', 1))).toBe('bac');
});

test('a name and an address that share a cell are two columns of a copy or a file (J2)', () => {
  const person: GridColumn<string> = {
    id: 'person',
    title: 'Person',
    kind: 'person',
    text: (row) => row,
    person: () => null,
    shows: 'c',
  };
  const placed = placeColumns([person, ...columns], null);
  expect(seenColumns(placed).map(({ id }) => id)).toEqual(['person', 'c', 'a', 'b']);
  // Shown by itself, it stands where the person has put it.
  const shown = changeColumn(placed, 'c', { hidden: false });
  expect(seenColumns(shown).map(({ id }) => id)).toEqual(['person', 'a', 'b', 'c']);
  const without = changeColumn(placed, 'person', { hidden: true });
  expect(seenColumns(without).map(({ id }) => id)).toEqual(['a', 'b']);
});

test('how high rows are is kept with the columns (J2)', () => {
  const placed = placeColumns(columns, null);
  expect(layoutOf(placed, true)).toMatchObject({ density: 'compact' });
  expect(layoutOf(placed, false)).not.toHaveProperty('density');
});
