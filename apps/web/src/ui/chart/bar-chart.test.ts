import { describe, expect, test } from 'vitest';
import { axisMaximum } from './bar-chart.tsx';

describe('axisMaximum', () => {
  test.for([
    [0, 2],
    [1, 2],
    [3, 4],
    [10, 10],
    [11, 20],
    [37, 40],
    [99, 100],
    [101, 200],
    [1_234_567, 2_000_000],
  ] as const)('an axis for values up to %i ends at %i', ([value, end]) => {
    expect(axisMaximum(value)).toBe(end);
  });
});
