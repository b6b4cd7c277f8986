import { expect, test } from 'vitest';
import { scoreOf } from './palette-match.ts';

test.each([
  ['peo', 'People', ''],
  ['PEOPLE', 'People', ''],
  ['berg ann', 'Ann Berg', ''],
  ['muller', 'Jörg Müller', ''],
  ['dark', 'Theme: Ink', 'dark'],
  ['', 'Anything', ''],
])('%j finds %j', (typed, label, more) => {
  expect(scoreOf(typed, label, more)).toBeGreaterThan(0);
});

test('every typed word has to be somewhere', () => {
  expect(scoreOf('ann smith', 'Ann Berg')).toBe(0);
});

test('the start of the name goes before the start of a word, a part of a word and what stands beside', () => {
  const scores = [
    scoreOf('set', 'Settings'),
    scoreOf('set', 'Open set'),
    scoreOf('set', 'Reset'),
    scoreOf('set', 'Other', 'set'),
  ];
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  expect(new Set(scores).size).toBe(scores.length);
});
