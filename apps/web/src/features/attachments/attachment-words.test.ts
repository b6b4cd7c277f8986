import { expect, test } from 'vitest';
import { durationText, sizeText } from './attachment-words.ts';

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
  expect(sizeText(bytes)).toBe(text);
});

test.each([
  [0.2, '5 seconds'],
  [42, '45 seconds'],
  [100, '2 minutes'],
  [3_500, '59 minutes'],
  [8_000, '3 hours'],
])('%d seconds are "%s" (K7)', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
