import { expect, test } from 'vitest';
import { bestFirst, scoreOf } from './palette-match.ts';

test.each([
  ['peo', 'People', ''],
  ['PEOPLE', 'People', ''],
  ['berg ann', 'Ann Berg', ''],
  ['muller', 'Jörg Müller', ''],
  ['dark', 'Theme: Ink', 'dark'],
  ['', 'Anything', ''],
])('scoreOf matches %j with %j', (typed, label, more) => {
  expect(scoreOf(typed, label, more)).toBeGreaterThan(0);
});

test('scoreOf is 0 if a typed word is missing', () => {
  expect(scoreOf('ann smith', 'Ann Berg')).toBe(0);
});

test('scoreOf ranks the start of the label before the start of a word, a part of a word and the detail', () => {
  const scores = [
    scoreOf('set', 'Settings'),
    scoreOf('set', 'Open set'),
    scoreOf('set', 'Reset'),
    scoreOf('set', 'Other', 'set'),
  ];
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  expect(new Set(scores).size).toBe(scores.length);
});

test.each(['Anna-Lena Berg', "Rosa O'Lena", 'Lena (Anna)', 'Helena Lena'])(
  'scoreOf finds the start of a word in %j',
  (name) => {
    expect(scoreOf('lena', name)).toBeGreaterThan(scoreOf('lena', 'Helena'));
  },
);

test('bestFirst ranks names before addresses and keeps the order of ties', () => {
  const people = [
    { label: 'Zoe Gray', detail: 'zoe@anna.example' },
    { label: 'Yves Gray', detail: 'yves@anna.example' },
    { label: 'Johanna Gray', detail: 'johanna@example.com' },
    { label: 'Gray, Anna', detail: 'g@example.com' },
    { label: 'Anna Gray', detail: 'a@example.com' },
  ];
  expect(bestFirst('anna', people).map(({ label }) => label)).toEqual([
    'Anna Gray',
    'Gray, Anna',
    'Johanna Gray',
    'Zoe Gray',
    'Yves Gray',
  ]);
});
