// Our filters in AG Grid's words and back, for its own filters and its panel of filters.
import type { ColDef, FilterModel } from 'ag-grid-community';
import type { GridColumn } from './grid-column.ts';
import { draftOf, filterOf, type FilterDraft, type GridFilter } from './grid-query.ts';

type AnyColumn = GridColumn<never>;

const emptiness = ['blank', 'notBlank'];
/** AG Grid's own have no bound that includes its day; rows are filtered by the server, so nothing is ever tried here. */
const dayOptions = [
  'inRange',
  { displayKey: 'from', displayName: 'From', predicate: () => true, numberOfInputs: 1 as const },
  { displayKey: 'upTo', displayName: 'Up to', predicate: () => true, numberOfInputs: 1 as const },
];

/** AG Grid's filter for a column of ours. */
export function filterDefinition({ filter }: AnyColumn): ColDef {
  if (!filter) return { filter: false, suppressFiltersToolPanel: true };
  const shared = { maxNumConditions: 1, buttons: ['apply', 'clear'], closeOnApply: true };
  const optional = 'optional' in filter && filter.optional ? emptiness : [];
  switch (filter.kind) {
    case 'text':
      return {
        filter: 'agTextColumnFilter',
        filterParams: { ...shared, filterOptions: ['contains', ...optional] },
      };
    case 'date':
      return {
        filter: 'agDateColumnFilter',
        filterParams: { ...shared, filterOptions: [...dayOptions, ...optional] },
      };
    case 'number':
      return {
        filter: 'agNumberColumnFilter',
        filterParams: {
          ...shared,
          filterOptions: ['inRange', 'greaterThanOrEqual', 'lessThanOrEqual'],
        },
      };
    case 'set':
      return {
        filter: 'agSetColumnFilter',
        filterParams: {
          ...shared,
          values: filter.values.map(({ value }) => value),
          suppressSorting: true,
          valueFormatter: ({ value }: { value: string | null }) =>
            filter.values.find((one) => one.value === value)?.label ?? value ?? '',
        },
      };
  }
}

/** Our filters as AG Grid shows them. */
export function modelOfFilters(columns: readonly AnyColumn[], filters: readonly GridFilter[]): FilterModel {
  return Object.fromEntries(
    filters.flatMap((filter) => {
      const column = columns.find(({ id }) => id === filter.column);
      return column?.filter ? [[column.id, modelOf(column, filter)]] : [];
    }),
  );
}

function modelOf(column: AnyColumn, filter: GridFilter): object {
  const kind = column.filter?.kind;
  const filterType = kind ?? 'text';
  if (filter.is === 'oneOf') return { filterType, values: filter.values };
  if (filter.is === 'contains') return { filterType, type: 'contains', filter: filter.text };
  if (filter.is !== 'between') return { filterType, type: filter.is === 'empty' ? 'blank' : 'notBlank' };
  const { from, to } = draftOf(column, filter);
  if (kind === 'number') {
    if (from && to) return { filterType, type: 'inRange', filter: Number(from), filterTo: Number(to) };
    return { filterType, type: from ? 'greaterThanOrEqual' : 'lessThanOrEqual', filter: Number(from || to) };
  }
  const day = (text: string) => `${text} 00:00:00`;
  if (from && to) return { filterType, type: 'inRange', dateFrom: day(from), dateTo: day(to) };
  return { filterType, type: from ? 'from' : 'upTo', dateFrom: day(from || to) };
}

/** What AG Grid shows as our filters. */
export function filtersOfModel(columns: readonly AnyColumn[], model: FilterModel): GridFilter[] {
  return Object.entries(model).flatMap(([id, one]) => {
    const column = columns.find((candidate) => candidate.id === id);
    const filter = column && filterOf(column, draftOfModel(column, one as Model));
    return filter ? [filter] : [];
  });
}

interface Model {
  type?: string;
  filter?: string | number | null;
  filterTo?: number | null;
  dateFrom?: string | null;
  dateTo?: string | null;
  values?: (string | null)[];
}

function draftOfModel(column: AnyColumn, model: Model): FilterDraft {
  const draft = draftOf(column, undefined);
  if (model.type === 'blank') return { ...draft, is: 'empty' };
  if (model.type === 'notBlank') return { ...draft, is: 'filled' };
  if (model.values) return { ...draft, values: model.values.filter((value) => value !== null) };
  if (draft.is === 'contains') return { ...draft, text: String(model.filter ?? '') };
  const first = model.dateFrom?.slice(0, 10) ?? String(model.filter ?? '');
  const last = model.dateTo?.slice(0, 10) ?? String(model.filterTo ?? '');
  return model.type === 'upTo' || model.type === 'lessThanOrEqual'
    ? { ...draft, to: first }
    : { ...draft, from: first, to: last };
}
