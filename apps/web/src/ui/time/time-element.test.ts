import { expect, test } from 'vitest';
import { nearness } from './time-element.ts';

const hours = (count: number) => count * 3_600_000;

test('an end is coloured in its last three days, and more so in the last of them', () => {
  expect([hours(73), hours(71), hours(25), hours(23), 0, hours(-1)].map(nearness)).toEqual([
    '',
    'soon',
    'soon',
    'last',
    'last',
    'last',
  ]);
});
