import { expect, test } from 'vitest';
import { nameSkipped, skippedText } from './skipped-rows.ts';

const reasonText = { code: 'skipped.gone', message: 'No longer exists.', values: {} };
const gone = { skipped: [{ id: '1', label: '', person: null, reasonText }], skippedCount: 1 };
const ada = { id: '1', name: 'Ada', email: 'ada@example.com' };

test('somebody who is gone is shown as the list had them (J2)', () => {
  expect(nameSkipped(gone, [ada], { personOf: (row) => row }).skipped[0]?.person).toEqual(ada);
});

test('what is gone has words for a name where nobody knows it: of "all that match" the browser knows no row (J2)', () => {
  expect(nameSkipped(gone, [], {}).skipped[0]).toMatchObject({ label: 'Name unknown', person: null });
});

test('what the server has a name for goes by that (J2)', () => {
  const named = { ...gone, skipped: [{ id: '1', label: 'plan.txt', person: null, reasonText }] };
  const [one] = nameSkipped(named, [ada], { nameOf: ({ name }) => name }).skipped;
  expect(one?.label).toBe('plan.txt');
});

test('a message names three of them, each with its reason, and says that there are more (J2)', () => {
  const skipped = ['a', 'b', 'c', 'd'].map((label) => ({ id: label, label, person: null, reasonText }));
  expect(skippedText({ skipped, skippedCount: 4 })).toBe(
    'a (No longer exists.), b (No longer exists.), c (No longer exists.) …',
  );
});
