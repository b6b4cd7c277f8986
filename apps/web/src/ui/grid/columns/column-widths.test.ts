import { expect, test } from 'vitest';
import { isCrowded, keptColumn, keptWidth, leastWidth, readPlaced } from './column-widths.ts';
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

test('a column has room for its title in any language, beside the button of its filter (J2)', () => {
  const date = { ...text('at'), kind: 'date-time', time: () => null, minWidth: 160 } as const;
  expect(leastWidth({ ...date, title: 'When' })).toBe(160);
  expect(leastWidth({ ...date, title: 'Letzte Anmeldung' })).toBeGreaterThanOrEqual(185);
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
  const left = readPlaced(
    [inGrid('name', leastWidth(person), 'left', null), ...others],
    placed,
    leastWidth(person),
  );
  expect(left[0]).toEqual({ column: person, hidden: false, pinned: false });
  expect(left[2]).toMatchObject({ width: 200 });
  const sized = readPlaced([inGrid('name', 400, 'left', null), ...others], placed, leastWidth(person));
  expect(sized[0]).toEqual({ column: person, hidden: false, pinned: false, width: 400 });
  const chosen = readPlaced([inGrid('name', 300, 'left', null), ...others], placed, null);
  expect(chosen[0]).toEqual({ column: person, hidden: false, pinned: true, width: 300 });
});

test('somebody takes less room where the two columns beside them would not be in sight (J2)', () => {
  const four = placeColumns([person, text('status'), text('expires'), text('role')], null);
  const least = leastWidth(person);
  expect(keptWidth(four, 800, true)).toBeNull();
  expect(keptWidth(four, 700, true)).toBe(least);
  const close = keptWidth(four, 600, true) ?? least;
  expect(close).toBeLessThan(least);
  // With the columns of our own, which are as wide as they are.
  expect(close + 2 * 132 + 104).toBeLessThanOrEqual(600);
  // What somebody has chosen stays.
  const chosen = four.map((one, index) => (index === 0 ? { ...one, width: 333 } : one));
  expect(keptWidth(chosen, 600, true)).toBe(333);
});
