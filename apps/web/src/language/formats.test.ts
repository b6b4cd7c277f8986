import { expect, test } from 'vitest';
import { formatEnd, formatSize } from './formats.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1_000, '1,000 bytes'],
  [1_024, '1 kB'],
  [1_300_000, '1.24 MB'],
  [5 * 1024 ** 3, '5 GB'],
  [12.3 * 1024 ** 4, '12.3 TB'],
])('%d bytes are "%s" (K7)', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test('formatEnd returns the date, the time and the time zone', () => {
  expect(formatEnd('2026-11-28T00:28:00Z')).toMatch(/28.*2026.*\d\d:28.* \S+$/);
});
