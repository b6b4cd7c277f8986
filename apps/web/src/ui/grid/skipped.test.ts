import { describe, expect, test } from 'vitest';
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
const skipReason = ({ state }: { state: string }) => ({ open, gone })[state] ?? null;

describe('withoutSkipped', () => {
  test('removes rows with a skip reason and counts them per reason (J2)', () => {
    expect(withoutSkipped(selected, skipReason)).toMatchObject({
      selection: { ids: ['2'] },
      count: 1,
      rows: [rows[1]],
      skipReasons: ['2 open', '1 gone'],
    });
  });

  test('returns the same selection if no row is skipped or the rows are unknown (J2)', () => {
    expect(withoutSkipped(selected, () => null)).toBe(selected);
    const all = { ...selected, selection: { all: { total: 9 } }, rows: [] };
    expect(withoutSkipped(all, skipReason)).toBe(all);
  });
});
