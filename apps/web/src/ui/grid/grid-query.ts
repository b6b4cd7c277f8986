/** Sort order and filters of a grid. `listQuery` of the contract is the server's counterpart. */
import type { GridColumn } from './grid-column.ts';
import { dayFromToday, formatBound, rangeOf } from './filters/bounds.ts';
import { toSingleLine } from './filters/single-line.ts';

/** `column` is the id of a `GridColumn`. */
export type GridSort = { column: string; direction: 'asc' | 'desc' };

/** A condition on one column, as sent to the server. All conditions must hold. */
export type GridCondition =
  | { column: string; is: 'contains'; text: string }
  | { column: string; is: 'oneOf'; values: string[] }
  /** A range of numbers, ISO 8601 times, or days such as `2026-12-31`. `from` is inclusive, `to` is exclusive. */
  | { column: string; is: 'between'; from?: string | number; to?: string | number }
  | { column: string; is: 'empty' | 'filled' };

/** A condition as stored and displayed. `days` are relative to today; both bounds are included. */
export type GridFilter = GridCondition | ({ column: string; is: 'days' } & GridDays);

/** Days after today; negative for days before. */
export type GridDays = { from?: number; to?: number };

/** Search and conditions that select the rows. */
export type GridFilterState = {
  /** Trimmed text of the search; absent if empty. */
  search?: string;
  /** Absent if empty. */
  filters?: readonly GridCondition[];
};

export type GridPageRequest = {
  sort?: GridSort;
  offset: number;
  /** Maximum number of rows. With 0, rows are only counted. */
  limit: number;
} & GridFilterState;

/** Omits empty parts, so that equal states have equal JSON. */
export function filterStateOf(search: string, filters: readonly GridCondition[]): GridFilterState {
  const searchText = toSingleLine(search);
  return { ...(searchText && { search: searchText }), ...(filters.length > 0 && { filters }) };
}

/** Converts relative days to times, or to days for columns of days. */
export const conditionsOf = (
  filters: readonly GridFilter[],
  columns: readonly Pick<GridColumn<never>, 'id' | 'kind'>[],
): GridCondition[] =>
  filters.map((filter) => {
    if (filter.is !== 'days') return filter;
    const { column, from, to } = filter;
    const kind = columns.find(({ id }) => id === column)?.kind;
    return {
      column,
      is: 'between',
      ...rangeOf(
        from === undefined ? from : formatBound(kind, dayFromToday(from)),
        to === undefined ? to : formatBound(kind, dayFromToday(to + 1)),
      ),
    };
  });

/** Replaces or, with null, removes the filter of a column. */
export function withFilter(
  filters: readonly GridFilter[],
  column: string,
  filter: GridFilter | null,
): readonly GridFilter[] {
  const others = filters.filter((other) => other.column !== column);
  return filter ? [...others, filter] : others;
}
