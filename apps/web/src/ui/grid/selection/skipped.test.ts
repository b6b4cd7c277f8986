import { expect, test } from 'vitest';
import { withoutSkipped } from './skipped.ts';

const open = (count: number) => `${count} open`;
const gone = (count: number) => `${count} gone`;
const rows = [
  { id: 1, state: 'open' },
  { id: 2, state: 'expired' },
  { id: 3, state: 'open' },
  { id: 4, state: 'gone' },
];
const selected = { selection: { ids: ['1', '2', '3', '4'] }, count: 4, rows, clear() {} };
const whyNot = ({ state }: { state: string }) => ({ open, gone })[state] ?? null;

test('what is not done to some of the selected rows is said, with how many they are (J2)', () => {
  expect(withoutSkipped(selected, whyNot)).toMatchObject({
    selection: { ids: ['2'] },
    count: 1,
    rows: [rows[1]],
    leftOut: ['2 open', '1 gone'],
  });
});

test('nothing is said where it is done to all, and of rows that nobody here knows (J2)', () => {
  expect(withoutSkipped(selected, () => null)).toBe(selected);
  const all = { ...selected, selection: { all: { total: 9 } }, rows: [] };
  expect(withoutSkipped(all, whyNot)).toBe(all);
});
