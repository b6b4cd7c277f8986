import { afterEach, describe, expect, test, vi } from 'vitest';
import { cellText, type GridColumn } from '../grid-column.ts';
import { conditionsOf, filterStateOf, withFilter, type GridFilter } from '../grid-query.ts';
import { draftOfDays, filterDraftOf, filterOf } from './filter-draft.ts';
import { filterText } from './filter-text.ts';
import { knownFilters, knownOrder, readFilters } from './read-filters.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

type AnyColumn = GridColumn<never>;
const column = (id: string, filter: NonNullable<AnyColumn['filter']>): AnyColumn => ({
  id,
  title: id.charAt(0).toUpperCase() + id.slice(1),
  kind: 'text',
  text: () => '',
  filter,
});
const name = column('name', { kind: 'text', optional: true });
const joined = column('joined', { kind: 'date' });
const due: AnyColumn = { id: 'due', title: 'Due', kind: 'day', day: () => null, filter: { kind: 'date' } };
const age = column('age', { kind: 'number' });
const values = ['a', 'b', 'c', 'd'].map((value) => ({ value, label: value.toUpperCase() }));
const status = column('status', { kind: 'set', values });
const draft = (of: AnyColumn, part: object) => filterOf(of, { ...filterDraftOf(of, []), ...part });

describe('grid filters', () => {
  test('filterOf converts days to local midnights and includes the last day (J2)', () => {
    const filter = draft(joined, { from: '2026-03-28', to: '2026-03-29' });
    expect(filter).toEqual({
      column: 'joined',
      is: 'between',
      from: new Date(2026, 2, 28).toISOString(),
      // The bound is midnight after the last day, also across a daylight saving change.
      to: new Date(2026, 2, 30).toISOString(),
    });
    expect(filterDraftOf(joined, [filter!])).toMatchObject({ from: '2026-03-28', to: '2026-03-29' });
    expect(filterText(joined, filter!)).toMatch(/Mar 28, 2026 – Mar 29, 2026/);
    expect(filterText(joined, draft(joined, { to: '2026-03-29' })!)).toMatch(/up to Mar 29, 2026/);
    expect(draft(joined, { from: 'nonsense' })).toBeNull();
  });

  test('date bounds that are not midnight are shown with their times', () => {
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
    const shared: GridFilter = { column: 'joined', is: 'between', from: at(25, 18), to: at(26, 18) };
    expect(filterText(joined, shared)).toMatch(/^Joined: Nov 25, 2026, 6:00\sPM – Nov 26, 2026, 6:00\sPM$/);
    expect(filterText(joined, { column: 'joined', is: 'between', to: at(26, 18) })).toMatch(
      /^Joined: up to Nov 26, 2026, 6:00\sPM$/,
    );
    expect(filterDraftOf(joined, [shared])).toMatchObject({ from: '2026-11-25', to: '2026-11-26' });
  });

  test('days relative to today follow the calendar and are sent as whole days (J2)', () => {
    const week = filterOf(joined, { ...filterDraftOf(joined, []), ...draftOfDays({ from: 0, to: 7 }) })!;
    expect(week).toEqual({ column: 'joined', is: 'days', from: 0, to: 7 });
    expect(filterText(joined, week)).toBe('Joined: Next 7 days');
    expect(filterText(joined, { column: 'joined', is: 'days', from: -6, to: 0 })).toBe('Joined: Last 7 days');
    expect(filterText(joined, { column: 'joined', is: 'days', from: 0, to: 0 })).toBe('Joined: Today');
    expect(filterDraftOf(joined, [week])).toMatchObject({ is: 'between', days: { from: 0, to: 7 } });
    expect(knownFilters([joined, status], [week, { ...week, column: 'status' }])).toEqual([week]);
    vi.setSystemTime(new Date(2026, 2, 28, 15));
    const [condition] = conditionsOf([week], [joined]);
    expect(condition).toEqual(draft(joined, { from: '2026-03-28', to: '2026-04-04' }));
    vi.setSystemTime(new Date(2026, 2, 29, 1));
    expect(conditionsOf([week], [joined])).toEqual([draft(joined, { from: '2026-03-29', to: '2026-04-05' })]);
  });

  test('bounds of days have no time zone', () => {
    vi.stubEnv('TZ', 'America/Los_Angeles');
    const filter = draft(due, { from: '2026-03-28', to: '2026-12-31' })!;
    expect(filter).toEqual({ column: 'due', is: 'between', from: '2026-03-28', to: '2027-01-01' });
    expect(filterDraftOf(due, [filter])).toMatchObject({ from: '2026-03-28', to: '2026-12-31' });
    expect(filterText(due, filter)).toBe('Due: Mar 28, 2026 – Dec 31, 2026');
    expect(draft(due, { from: 'nonsense' })).toBeNull();
    vi.setSystemTime(new Date(2026, 2, 28, 23, 30));
    expect(conditionsOf([{ column: 'due', is: 'days', from: -6, to: 0 }], [due])).toEqual([
      { column: 'due', is: 'between', from: '2026-03-22', to: '2026-03-29' },
    ]);
    expect(cellText({ ...due, kind: 'day', day: () => '2026-12-31' }, undefined as never)).toBe(
      'Dec 31, 2026',
    );
  });

  test('knownFilters drops bounds of times for a column of days, and the reverse', () => {
    const days: GridFilter = { column: 'due', is: 'between', from: '2026-03-28' };
    const times: GridFilter = { column: 'due', is: 'between', to: '2026-03-28T00:00:00Z' };
    expect(knownFilters([due], [days, times])).toEqual([days]);
    expect(knownFilters([{ ...joined, id: 'due' }], [days, times])).toEqual([times]);
  });

  test('filterOf swaps bounds in the wrong order and compares numbers numerically (J2)', () => {
    expect(draft(age, { from: '10', to: '9' })).toEqual({ column: 'age', is: 'between', from: 9, to: 11 });
    expect(draft(joined, { from: '2026-05-02', to: '2026-05-01' })).toEqual(
      draft(joined, { from: '2026-05-01', to: '2026-05-02' }),
    );
    expect(filterText(age, { column: 'age', is: 'between', from: 1000 })).toBe('Age: from 1,000');
    expect(filterDraftOf(age, [{ column: 'age', is: 'between', from: 9, to: 11 }])).toMatchObject({
      from: '9',
      to: '10',
    });
  });

  test('filterOf returns null for a draft that matches all rows (J2)', () => {
    expect(draft(name, { text: '  ' })).toBeNull();
    expect(draft(status, { values: [] })).toBeNull();
    expect(draft(status, { values: ['a', 'b', 'c', 'd'] })).toBeNull();
    expect(draft(age, { from: '' })).toBeNull();
    expect(draft(name, { is: 'empty' })).toEqual({ column: 'name', is: 'empty' });
  });

  test('filterText describes filters in words (J2)', () => {
    expect(filterText(name, { column: 'name', is: 'contains', text: 'ann' })).toBe('Name: contains “ann”');
    expect(filterText(name, { column: 'name', is: 'filled' })).toBe('Name: not empty');
    const some = (chosen: string[]): GridFilter => ({ column: 'status', is: 'oneOf', values: chosen });
    expect(filterText(status, some(['a', 'b', 'gone']))).toBe('Status: A, B, gone');
    expect(filterText(status, some(['a', 'b', 'c', 'd']))).toBe('Status: A, B and 2 more');
  });

  test('a column has one filter, and knownFilters drops filters of missing columns (J2)', () => {
    const filter: GridFilter = { column: 'name', is: 'contains', text: 'a' };
    const other: GridFilter = { column: 'name', is: 'contains', text: 'b' };
    expect(withFilter([filter], 'name', other)).toEqual([other]);
    expect(withFilter([filter], 'name', null)).toEqual([]);
    expect(knownFilters([status], [filter])).toEqual([]);
    expect(knownFilters([name], [filter])).toEqual([filter]);
    // The column was a text column before.
    expect(knownFilters([status], [{ ...filter, column: 'status' }])).toEqual([]);
    expect(filterStateOf('  x ', [])).toEqual({ search: 'x' });
    expect(filterStateOf(' ', [filter])).toEqual({ filters: [filter] });
  });

  test('readFilters drops invalid filters (K1)', () => {
    const valid: GridFilter[] = [
      { column: 'email', is: 'contains', text: 'ann' },
      { column: 'status', is: 'oneOf', values: ['pending'] },
      { column: 'createdAt', is: 'between', from: '2026-11-21T00:00:00.000Z' },
      { column: 'openedAt', is: 'filled' },
      { column: 'expiresAt', is: 'days', from: 0, to: 6 },
    ];
    const invalid = [
      null,
      'status',
      { column: 'status' },
      { column: 7, is: 'filled' },
      { column: 'email', is: 'contains' },
      { column: 'status', is: 'oneOf', values: [7] },
      { column: 'status', is: 'oneOf', values: 'pending' },
      { column: 'createdAt', is: 'between' },
      { column: 'createdAt', is: 'between', from: {} },
      { column: 'createdAt', is: 'between', from: 'yesterday' },
      { column: 'createdAt', is: 'before', to: 'x' },
      { column: 'expiresAt', is: 'days' },
      { column: 'expiresAt', is: 'days', from: 0.5 },
      { column: 'expiresAt', is: 'days', to: 1e9 },
      { column: 'email', is: 'contains', text: ' \u200b' },
      { column: 'createdAt', is: 'between', from: '2026-11-21T08:30:00Z', to: null },
    ];
    expect(readFilters([...valid, ...invalid])).toEqual(valid);
    expect(readFilters('[]')).toEqual([]);
    expect(readFilters(undefined)).toEqual([]);
  });

  test('knownOrder drops an order by a column that cannot be sorted', () => {
    const order = (of: string) => ({ column: of, direction: 'asc' }) as const;
    expect(knownOrder([name], order('name'))).toEqual(order('name'));
    expect(knownOrder([name], order('gone'))).toBe(undefined);
    expect(knownOrder([{ ...name, sortable: false }], order('name'))).toBe(undefined);
    expect(knownOrder([name], undefined)).toBe(undefined);
  });
});
