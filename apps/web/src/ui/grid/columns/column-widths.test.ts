import { expect, test } from 'vitest';
import { isCrowded, keptColumn, leastWidth, readPlaced } from './column-widths.ts';
import type { GridColumn } from './grid-column.ts';
import { changeColumn, placeColumns } from './grid-layout.ts';

const person: GridColumn<string> = {
  id: 'name',
  title: 'Name',
  kind: 'person',
  text: (row) => row,
  person: (row) => ({ id: row, name: row, email: '' }),
};
const text = (id: string): GridColumn<string> => ({ id, title: id, kind: 'text', text: (row) => row });
const placed = placeColumns([person, text('role'), text('from')], null);
const inGrid = (id: string, width: number, pinned: 'left' | null = null, flex: number | null = 1) => ({
  colId: id,
  hide: false,
  width,
  pinned,
  flex,
});

test('columns are crowded when the least of each does not fit, hidden ones not counted (J2)', () => {
  expect(isCrowded(placed, 610, false)).toBe(false);
  expect(isCrowded(placed, 609, false)).toBe(true);
  expect(isCrowded(placed, 610, true)).toBe(true);
  expect(isCrowded(changeColumn(placed, 'from', { hidden: true }), 500, false)).toBe(false);
});

test('who a row is about stays in sight where columns are crowded, if that stands first (J2)', () => {
  expect(keptColumn(placed, true)?.column.id).toBe('name');
  expect(keptColumn(placed, false)).toBeUndefined();
  expect(keptColumn(placeColumns([text('role'), person], null), true)).toBeUndefined();
});

test('what keeps a column in sight is not kept as somebody’s choice; a width of their own is (J2)', () => {
  const others = [inGrid('role', 140), inGrid('from', 200, null, null)];
  const left = readPlaced([inGrid('name', leastWidth(person), 'left', null), ...others], placed, true);
  expect(left[0]).toEqual({ column: person, hidden: false, pinned: false });
  expect(left[2]).toMatchObject({ width: 200 });
  const sized = readPlaced([inGrid('name', 400, 'left', null), ...others], placed, true);
  expect(sized[0]).toEqual({ column: person, hidden: false, pinned: false, width: 400 });
  const chosen = readPlaced([inGrid('name', 300, 'left', null), ...others], placed, false);
  expect(chosen[0]).toEqual({ column: person, hidden: false, pinned: true, width: 300 });
});
