import { describe, expect, test } from 'vitest';
import { nearness } from './time-element.ts';

const hours = (count: number) => count * 3_600_000;

describe('nearness', () => {
  test('is "soon" in the last three days and "last" in the last day', () => {
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
