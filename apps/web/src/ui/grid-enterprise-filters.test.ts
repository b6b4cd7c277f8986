import { expect, test } from 'vitest';
import type { GridColumn } from './grid-column.ts';
import { filterDefinition, filtersOfModel, modelOfFilters } from './grid-enterprise-filters.tsx';
import { filterText, type GridFilter } from './grid-query.ts';

const text = { kind: 'text', text: () => '' } as const;
const values = [
  { value: 'admin', label: 'Administrator' },
  { value: 'member', label: 'Member' },
];
const columns: GridColumn<never>[] = [
  { ...text, id: 'name', title: 'Name', filter: { kind: 'text' } },
  { ...text, id: 'role', title: 'Role', filter: { kind: 'set', values } },
  { ...text, id: 'plain', title: 'Plain' },
];
const filters: GridFilter[] = [
  { column: 'name', is: 'contains', text: 'ann' },
  { column: 'role', is: 'oneOf', values: ['admin'] },
];

test('AG Grid Enterprise keeps our filters and gives them back (J1)', () => {
  expect(filtersOfModel(columns, modelOfFilters(columns, filters))).toEqual(filters);
  expect(modelOfFilters(columns, filters)['role']).toEqual({ filterType: 'set', values: ['admin'] });
});

test('its set filter with nothing chosen matches nothing, and says so (J1)', () => {
  const filter = filtersOfModel(columns, { role: { filterType: 'set', values: [] } }).at(0) as GridFilter;
  const role = columns.at(1) as GridColumn<never>;
  expect(filter).toEqual({ column: 'role', is: 'oneOf', values: [] });
  expect(filterText(role, filter)).toBe('Role: none');
});

test('sets have its filter, all else has ours, and what cannot be filtered has none (J1)', () => {
  const kinds = columns.map((column) => filterDefinition(column).filter as unknown);
  expect(kinds).toEqual([expect.any(Function), 'agSetColumnFilter', false]);
  expect(modelOfFilters(columns, [{ column: 'gone', is: 'empty' }])).toEqual({});
});
