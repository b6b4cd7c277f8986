/** Checks filters of addresses and stored views, which may be older than the screen. */
import type { GridColumn } from '../grid-column.ts';
import type { GridFilter, GridSort } from '../grid-query.ts';
import { isDayText, rangeOf } from './bounds.ts';
import { toSingleLine } from './single-line.ts';

/** Condition of each kind of column, besides `empty` and `filled`. */
export const conditionByKind = {
  text: 'contains',
  set: 'oneOf',
  date: 'between',
  number: 'between',
} as const;

/** Returns the valid filters that suit their columns. */
export const knownFilters = (
  columns: readonly GridColumn<never>[],
  filters: readonly GridFilter[],
): GridFilter[] =>
  readFilters(filters).filter((filter) => {
    const column = columns.find(({ id }) => id === filter.column);
    const kind = column?.filter?.kind;
    if (!kind) return false;
    if (filter.is === 'empty' || filter.is === 'filled') return true;
    if (filter.is === 'days') return kind === 'date';
    if (filter.is === 'between' && isDayText(filter.from ?? filter.to) !== (column.kind === 'day'))
      return false;
    return filter.is === conditionByKind[kind];
  });

/** Returns the order if the list can be sorted by its column. */
export function knownOrder(
  columns: readonly GridColumn<never>[],
  order: GridSort | undefined,
): GridSort | undefined {
  const column = columns.find(({ id }) => id === order?.column);
  return column && (column.sortable ?? true) ? order : undefined;
}

/** Returns the filters in an address whose values have the right types. The server checks their limits. */
export const readFilters = (value: unknown): GridFilter[] =>
  Array.isArray(value) ? value.flatMap(readFilter) : [];

function readFilter(value: unknown): GridFilter[] {
  const { column, is, text, values, from, to } = Object(value) as Record<string, unknown>;
  if (typeof column !== 'string') return [];
  switch (is) {
    case 'contains': {
      const line = typeof text === 'string' ? toSingleLine(text) : '';
      return line ? [{ column, is, text: line }] : [];
    }
    case 'oneOf':
      return Array.isArray(values) && values.every((one) => typeof one === 'string')
        ? [{ column, is, values }]
        : [];
    case 'between':
      return isBound(from) && isBound(to) && (from ?? to) !== undefined
        ? [{ column, is, ...rangeOf(from, to) }]
        : [];
    case 'days':
      return isRelativeDay(from) && isRelativeDay(to) && (from ?? to) !== undefined
        ? [{ column, is, ...rangeOf(from, to) }]
        : [];
    default:
      return is === 'empty' || is === 'filled' ? [{ column, is }] : [];
  }
}

/** Returns whether the value is undefined, a number or a time. */
const isBound = (bound: unknown): bound is string | number | undefined =>
  bound === undefined ||
  typeof bound === 'number' ||
  (typeof bound === 'string' && !Number.isNaN(Date.parse(bound)));

/** Returns whether the value is undefined or a day relative to today, at most ten years before or after it. */
const isRelativeDay = (day: unknown): day is number | undefined =>
  day === undefined || (Number.isInteger(day) && Math.abs(Number(day)) <= 3_660);
