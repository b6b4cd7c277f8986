import { expect, test } from 'vitest';
import { daySpans } from './dashboard.ts';

const spans = (now: string, timeZone: string, days = 3, daysPerSpan = 1) =>
  daySpans(Date.parse(now), { days, daysPerSpan, timeZone }).map((moment) => moment.toISOString());

test.for([
  [
    'UTC',
    '2026-11-21T08:00:00Z',
    ['2026-11-19T00:00', '2026-11-20T00:00', '2026-11-21T00:00', '2026-11-22T00:00'],
  ],
  // UTC+5:45: the next day has started there.
  [
    'Asia/Kathmandu',
    '2026-11-21T18:20:00Z',
    ['2026-11-19T18:15', '2026-11-20T18:15', '2026-11-21T18:15', '2026-11-22T18:15'],
  ],
  [
    'America/St_Johns',
    '2026-11-21T02:00:00Z',
    ['2026-11-18T03:30', '2026-11-19T03:30', '2026-11-20T03:30', '2026-11-21T03:30'],
  ],
  [
    'Europe/Berlin',
    '2026-10-26T12:00:00Z',
    ['2026-10-23T22:00', '2026-10-24T22:00', '2026-10-25T23:00', '2026-10-26T23:00'],
  ],
  [
    'Europe/Berlin',
    '2026-03-30T12:00:00Z',
    ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00'],
  ],
  // Clocks were put forward at midnight: 8 September 2024 started at 1:00.
  [
    'America/Santiago',
    '2024-09-08T12:00:00Z',
    ['2024-09-06T04:00', '2024-09-07T04:00', '2024-09-08T04:00', '2024-09-09T03:00'],
  ],
  // Clocks were put back at midnight: on 5 April 2025, 23:00 occurred twice.
  [
    'America/Santiago',
    '2025-04-06T12:00:00Z',
    ['2025-04-04T03:00', '2025-04-05T03:00', '2025-04-06T04:00', '2025-04-07T04:00'],
  ],
] as const)('days in %s start at the local midnight (K1)', ([timeZone, now, expected]) => {
  expect(spans(now, timeZone)).toEqual(expected.map((moment) => `${moment}:00.000Z`));
});

test('a year has 52 weeks, the last one ending today (K1)', () => {
  const weeks = spans('2026-11-21T08:00:00Z', 'UTC', 364, 7);
  expect(weeks).toHaveLength(53);
  expect(weeks[0]).toBe('2025-11-23T00:00:00.000Z');
  expect(weeks.at(-1)).toBe('2026-11-22T00:00:00.000Z');
});
