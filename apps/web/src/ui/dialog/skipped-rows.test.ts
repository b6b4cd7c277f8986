import { describe, expect, test } from 'vitest';
import { nameSkipped, skippedText } from './skipped-rows.ts';

const reasonText = { code: 'skipped.gone', message: 'No longer exists.', values: {} };
const gone = { skipped: [{ id: '1', label: '', person: null, reasonText }], skippedCount: 1 };
const ada = { id: '1', name: 'Ada', email: 'ada@example.com' };

describe('skipped rows', () => {
  test("nameSkipped returns the grid's name and address of a person who no longer exists (J2)", () => {
    expect(nameSkipped(gone, [ada], { personOf: (row) => row }).skipped[0]?.person).toEqual(ada);
  });

  test('nameSkipped returns a placeholder if neither server nor client has a name (J2)', () => {
    expect(nameSkipped(gone, [], {}).skipped[0]).toMatchObject({ label: 'Name unknown', person: null });
  });

  test("nameSkipped prefers the server's name (J2)", () => {
    const named = { ...gone, skipped: [{ id: '1', label: 'plan.txt', person: null, reasonText }] };
    const [one] = nameSkipped(named, [ada], { nameOf: ({ name }) => name }).skipped;
    expect(one?.label).toBe('plan.txt');
  });

  test('skippedText contains three names with reasons and an ellipsis if there are more (J2)', () => {
    const skipped = ['a', 'b', 'c', 'd'].map((label) => ({ id: label, label, person: null, reasonText }));
    expect(skippedText({ skipped, skippedCount: 4 })).toBe(
      'a (No longer exists.), b (No longer exists.), c (No longer exists.) …',
    );
  });
});
