import { expect, test } from 'vitest';
import { durationText } from './attachment-words.ts';

test.each([
  [0.2, '5 seconds'],
  [42, '45 seconds'],
  [100, '2 minutes'],
  [3_500, '59 minutes'],
  [8_000, '3 hours'],
])('%d seconds are "%s" (K7)', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
