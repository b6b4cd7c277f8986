import { describe, expect, test } from 'vitest';
import { nearness } from './moment.tsx';

const hours = (count: number) => count * 3_600_000;

describe('nearness', () => {
  test('is "soon" if less than three days remain, and "last" if less than one day remains', () => {
    expect([hours(73), hours(71), hours(25), hours(23), 0, hours(-1)].map(nearness)).toEqual([
      '',
      'soon',
      'soon',
      'last',
      'last',
      'last',
    ]);
  });
});
