import { i18n } from '@lingui/core';
import { afterEach, expect, test } from 'vitest';
import { relativeMoment } from './relative.ts';

afterEach(() => i18n.activate('en'));

const now = Date.parse('2026-11-22T12:00:00Z');
const minutes = (count: number) => relativeMoment(now + count * 60_000, now);

test('relativeMoment rounds down to whole units', () => {
  i18n.activate('en');
  expect([0.5, -1, -59, -60, -150].map(minutes)).toEqual([
    'now',
    '1 minute ago',
    '59 minutes ago',
    '1 hour ago',
    '2 hours ago',
  ]);
  expect(minutes(6.9 * 24 * 60)).toBe('in 6 days');
  expect([7 * 24 * 60 - 1, 24 * 60 - 1, 59.99].map(minutes)).toEqual([
    'in 7 days',
    'in 24 hours',
    'in 60 minutes',
  ]);
  expect(minutes(-40 * 24 * 60)).toBe('1 month ago');
  expect(minutes(-800 * 24 * 60)).toBe('2 years ago');
});

test('relativeMoment uses the language of the site', () => {
  i18n.activate('de');
  expect([-0.2, -150, 6 * 24 * 60].map(minutes)).toEqual(['jetzt', 'vor 2 Stunden', 'in 6 Tagen']);
});
