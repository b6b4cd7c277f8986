import { expect, test } from 'vitest';
import { Day, listQuery } from './values.ts';

const isDay = (day: string) => Day.safeParse(day).success;

test('a day is a day of the calendar that PostgreSQL can store, without a time', () => {
  expect(['2026-12-31', '2028-02-29', '0001-01-01', '9999-12-31'].filter((day) => !isDay(day))).toEqual([]);
  const invalid = ['', '2026-02-29', '0000-01-01', '10000-01-01', '2026-12-31T00:00:00Z', '31.12.2026'];
  expect(invalid.filter(isDay)).toEqual([]);
});

test('a column is filtered between days, between times or between numbers', () => {
  const query = listQuery(['dueOn'], ['dueOn']);
  const isAccepted = (from: unknown) =>
    query.safeParse({ filters: JSON.stringify([{ column: 'dueOn', is: 'between', from }]) }).success;
  expect(['2026-12-31', '2026-12-31T08:00:00Z', 7].map(isAccepted)).toEqual([true, true, true]);
  expect(['2026-02-29', '0000-01-01', 'today'].map(isAccepted)).toEqual([false, false, false]);
});
