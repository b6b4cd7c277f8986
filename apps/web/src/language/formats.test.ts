import { expect, test } from 'vitest';
import { formatSize } from './formats.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [1_234_567, '1.23 MB'],
  [999_400, '999 kB'],
  [999_999, '1 MB'],
  [5_000_000_000, '5 GB'],
  [12_345_678_901_234, '12.3 TB'],
])('%d bytes are "%s" (K7)', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
