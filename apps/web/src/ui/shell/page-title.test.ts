import { describe, expect, test } from 'vitest';
import { titleOf } from './page-title.ts';

describe('titleOf', () => {
  test.for([
    [0, 'People'],
    [1, '(1) People'],
    [99, '(99) People'],
    [1_000, '(99+) People'],
  ] as const)('returns the title for %i pending items: %s (K1)', ([pendingCount, title]) => {
    expect(titleOf({ title: 'People', pendingCount })).toBe(title);
  });

  test('puts the progress before the number of pending items (K7)', () => {
    expect(titleOf({ title: 'People', pendingCount: 2, progress: '45%' })).toBe('45% · (2) People');
  });
});
