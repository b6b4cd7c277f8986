import { expect, test } from 'vitest';
import type { GridColumn } from './grid-column.ts';
import { filtersOfModel, modelOfFilters } from './grid-enterprise-filters.ts';
import type { GridFilter } from './grid-query.ts';

const text = { kind: 'text', text: () => '' } as const;
const columns: GridColumn<never>[] = [
  { ...text, id: 'name', title: 'Name', filter: { kind: 'text', optional: true } },
  {
    ...text,
    id: 'role',
    title: 'Role',
    filter: {
      kind: 'set',
      values: [
        { value: 'admin', label: 'Administrator' },
        { value: 'member', label: 'Member' },
      ],
    },
  },
  { ...text, id: 'age', title: 'Age', filter: { kind: 'number' } },
  { ...text, id: 'joined', title: 'Joined', filter: { kind: 'date' } },
];
const day = (date: number) => new Date(2026, 4, date).toISOString();

const cases: GridFilter[] = [
  { column: 'name', is: 'contains', text: 'ann' },
  { column: 'name', is: 'empty' },
  { column: 'name', is: 'filled' },
  { column: 'role', is: 'oneOf', values: ['admin'] },
  { column: 'age', is: 'between', from: 3, to: 6 },
  { column: 'age', is: 'between', from: 0 },
  { column: 'age', is: 'between', to: 6 },
  { column: 'joined', is: 'between', from: day(1), to: day(3) },
  { column: 'joined', is: 'between', from: day(1) },
  { column: 'joined', is: 'between', to: day(3) },
];

for (const filter of cases)
  test(`AG Grid Enterprise shows and gives back ${JSON.stringify(filter)} (J1)`, () => {
    const model = modelOfFilters(columns, [filter]);
    expect(Object.keys(model)).toEqual([filter.column]);
    expect(filtersOfModel(columns, model)).toEqual([filter]);
  });

test('a filter of a column that is gone is shown nowhere (J1)', () => {
  expect(modelOfFilters(columns, [{ column: 'gone', is: 'empty' }])).toEqual({});
  expect(filtersOfModel(columns, { gone: { type: 'contains', filter: 'x' } })).toEqual([]);
});
