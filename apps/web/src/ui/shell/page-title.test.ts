import { describe, expect, test } from 'vitest';
import { titleOf } from './page-title.ts';

describe('titleOf', () => {
  test.for([
    [0, 'People'],
    [1, '(1) People'],
    [99, '(99) People'],
    [1_000, '(99+) People'],
  ] as const)('returns the title for %i pending items: %s (K1)', ([waiting, title]) => {
    expect(titleOf({ title: 'People', waiting })).toBe(title);
  });

  test('puts the progress first (K7)', () => {
    expect(titleOf({ title: 'People', waiting: 2, progress: '45%' })).toBe('45% · (2) People');
  });
});
