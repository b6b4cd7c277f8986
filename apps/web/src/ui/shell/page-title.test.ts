import { expect, test } from 'vitest';
import { titleOf } from './page-title.ts';

test.for([
  [0, 'People'],
  [1, '(1) People'],
  [99, '(99) People'],
  [1_000, '(99+) People'],
] as const)('with %i things waiting the title is %s (K1)', ([waiting, title]) => {
  expect(titleOf({ title: 'People', waiting })).toBe(title);
});

test('how far something is stands before all else (K7)', () => {
  expect(titleOf({ title: 'People', waiting: 2, progress: '45%' })).toBe('45% · (2) People');
});
