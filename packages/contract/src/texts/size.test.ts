import { expect, test } from 'vitest';
import { megabyte, sizeInUnit } from './size.ts';

test.each([
  [0, 0, 'byte'],
  [1, 1, 'byte'],
  [1_023, 1_023, 'byte'],
  [1_024, 1, 'kilobyte'],
  [1_536, 1.5, 'kilobyte'],
  [1_023 * 1_024, 1_023, 'kilobyte'],
  [5 * megabyte, 5, 'megabyte'],
  [5_242_881, 5, 'megabyte'],
  [5 * 1_024 * megabyte, 5, 'gigabyte'],
  [3_000 * 1_024 ** 4, 3_000, 'terabyte'],
])('sizeInUnit converts %d bytes to %d %s', (bytes, value, unit) => {
  expect(sizeInUnit(bytes)).toEqual({ value, unit });
});
