/** Sort order and filters of a grid, and their texts. `listQuery` of the contract is the server's counterpart. */
import { plural, t } from '@lingui/core/macro';
import { formatDay, formatNumber } from '../../language/formats.ts';
import { formatMoment } from '../../language/moment.ts';
import type { GridColumn } from './grid-column.ts';

/** `column` is the id of a `GridColumn`. */
export type GridSort = {
  column: string;
  direction: 'asc' | 'desc';
};

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

/** Field values of a column's filter: days as `2026-11-21`, numbers as text. */
export type FilterDraft = {
  is: GridCondition['is'];
  text: string;
  values: readonly string[];
  from: string;
  to: string;
  /** Set if `from` and `to` are relative to today. */
  days: GridDays | null;
};

type MomentBounds = { from?: string | number; to?: string | number };

type AnyColumn = GridColumn<never>;

/** Omits empty parts, so that equal states have equal JSON. */
export function filterStateOf(search: string, filters: readonly GridCondition[]): GridFilterState {
  const searchText = toSingleLine(search);
  return { ...(searchText && { search: searchText }), ...(filters.length > 0 && { filters }) };
}

/** Converts relative days to times, or to days for columns of days. */
export function conditionsOf(
  filters: readonly GridFilter[],
  columns: readonly Pick<AnyColumn, 'id' | 'kind'>[],
): GridCondition[] {
  return filters.map((filter) => {
    if (filter.is !== 'days') return filter;
    const { column, from, to } = filter;
    const kind = columns.find(({ id }) => id === column)?.kind;
    return {
      column,
      is: 'between',
      ...bounds(
        from === undefined ? from : formatBound(kind, dayFromToday(from)),
        to === undefined ? to : formatBound(kind, dayFromToday(to + 1)),
      ),
    };
  });
}

/** Formats local midnight as a bound of a column. Days have no time zone. */
const formatBound = (kind: AnyColumn['kind'] | undefined, midnight: Date): string =>
  kind === 'day' ? formatDateField(midnight) : midnight.toISOString();

const isDayText = (bound: string | number | undefined): bound is string =>
  typeof bound === 'string' && /^\d{4}-\d\d-\d\d$/.test(bound);

/** Replaces or, with null, removes the filter of a column. */
export function withFilter(
  filters: readonly GridFilter[],
  column: string,
  filter: GridFilter | null,
): readonly GridFilter[] {
  const others = filters.filter((other) => other.column !== column);
  return filter ? [...others, filter] : others;
}

/** Condition of each kind of column, besides `empty` and `filled`. */
const conditionByKind = { text: 'contains', set: 'oneOf', date: 'between', number: 'between' } as const;

/** Returns the valid filters that suit their columns: a stored view or an address may be older than the screen. */
export function knownFilters(columns: readonly AnyColumn[], filters: readonly GridFilter[]): GridFilter[] {
  return readFilters(filters).filter((filter) => {
    const column = columns.find(({ id }) => id === filter.column);
    const kind = column?.filter?.kind;
    if (!kind) return false;
    if (filter.is === 'empty' || filter.is === 'filled') return true;
    if (filter.is === 'days') return kind === 'date';
    if (filter.is === 'between' && isDayText(filter.from ?? filter.to) !== (column.kind === 'day'))
      return false;
    return filter.is === conditionByKind[kind];
  });
}

/** Returns the order if the list can be sorted by its column. */
export function knownOrder(columns: readonly AnyColumn[], order: GridSort | undefined): GridSort | undefined {
  const column = columns.find(({ id }) => id === order?.column);
  return column && (column.sortable ?? true) ? order : undefined;
}

/** Returns the filters in an address whose values have the right types. The server checks their limits. */
export function readFilters(value: unknown): GridFilter[] {
  return Array.isArray(value) ? value.flatMap(readFilter) : [];
}

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
        ? [{ column, is, ...bounds(from, to) }]
        : [];
    case 'days':
      return isDay(from) && isDay(to) && (from ?? to) !== undefined
        ? [{ column, is, ...bounds(from, to) }]
        : [];
    default:
      return is === 'empty' || is === 'filled' ? [{ column, is }] : [];
  }
}

/** Returns the text as one line without control characters. Empty if all of it is invisible. */
function toSingleLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return /[^\s\p{Cf}\u115f\u1160\u3164\uffa0]/u.test(line) ? line : '';
}

/** Returns whether the value is undefined, a number or a time. */
const isBound = (bound: unknown): bound is string | number | undefined =>
  bound === undefined ||
  typeof bound === 'number' ||
  (typeof bound === 'string' && !Number.isNaN(Date.parse(bound)));

/** Returns whether the value is undefined or a day relative to today, at most ten years before or after it. */
const isDay = (day: unknown): day is number | undefined =>
  day === undefined || (Number.isInteger(day) && Math.abs(Number(day)) <= 3_660);

/** Returns the field values for a column's filter. */
export function filterDraftOf({ id, filter: kind }: AnyColumn, filters: readonly GridFilter[]): FilterDraft {
  const filter = filters.find(({ column }) => column === id);
  const is = conditionByKind[kind?.kind ?? 'text'];
  const draft: FilterDraft = { is, text: '', values: [], from: '', to: '', days: null };
  if (!filter) return draft;
  if (filter.is === 'days') return { ...draft, ...draftOfDays(filter) };
  draft.is = filter.is;
  if (filter.is === 'contains') draft.text = filter.text;
  if (filter.is === 'oneOf') draft.values = filter.values;
  if (filter.is === 'between') {
    draft.from = boundText(filter.from, 0);
    draft.to = boundText(filter.to, -1);
  }
  return draft;
}

export function draftOfDays({ from, to }: GridDays): Pick<FilterDraft, 'from' | 'to' | 'days'> {
  const day = (shift: number | undefined) =>
    shift === undefined ? '' : formatDateField(dayFromToday(shift));
  return { from: day(from), to: day(to), days: bounds(from, to) };
}

/** Converts field values to a filter, or null if it would match all rows. Swaps bounds in the wrong order. */
export function filterOf(
  { id: column, kind: columnKind, filter: kind }: AnyColumn,
  draft: FilterDraft,
): GridFilter | null {
  if (draft.is === 'empty' || draft.is === 'filled') return { column, is: draft.is };
  if (draft.is === 'contains') {
    const text = toSingleLine(draft.text);
    return text ? { column, is: 'contains', text } : null;
  }
  if (draft.is === 'oneOf') {
    const all = kind?.kind === 'set' && draft.values.length === kind.values.length;
    return draft.values.length > 0 && !all ? { column, is: 'oneOf', values: [...draft.values] } : null;
  }
  if (draft.days) return { column, is: 'days', ...draft.days };
  const isNumber = kind?.kind === 'number';
  const isReversed = draft.from && draft.to && (isNumber ? +draft.from > +draft.to : draft.from > draft.to);
  const [first, last] = isReversed ? [draft.to, draft.from] : [draft.from, draft.to];
  const bound = (text: string, shift: 0 | 1) => {
    if (isNumber) return wholeNumber(text, shift);
    const midnight = startOfDay(text, shift);
    return midnight && formatBound(columnKind, midnight);
  };
  const [from, to] = [bound(first, 0), bound(last, 1)];
  if (from === undefined && to === undefined) return null;
  return { column, is: 'between', ...bounds(from, to) };
}

/** Describes a filter: "Status: Active, Disabled". */
export function filterText({ title, filter: kind }: AnyColumn, filter: GridFilter): string {
  switch (filter.is) {
    case 'contains':
      return t`${title}: contains “${filter.text}”`;
    case 'empty':
      return t`${title}: empty`;
    case 'filled':
      return t`${title}: not empty`;
    case 'oneOf': {
      if (filter.values.length === 0) return t`${title}: none`;
      const labels = filter.values.map(
        (value) =>
          (kind?.kind === 'set' && kind.values.find((other) => other.value === value)?.label) || value,
      );
      const more = labels.length > 3 ? ` ${t`and ${formatNumber(labels.length - 2)} more`}` : '';
      return `${title}: ${labels.slice(0, more ? 2 : 3).join(', ')}${more}`;
    }
    case 'days':
      return `${title}: ${formatDays(filter)}`;
    case 'between': {
      const { from, to } = formatBounds(filter);
      if (from && to) return `${title}: ${from === to ? from : `${from} – ${to}`}`;
      return from ? t`${title}: from ${from}` : t`${title}: up to ${to}`;
    }
  }
}

function bounds<Bound>(from: Bound | undefined, to: Bound | undefined): { from?: Bound; to?: Bound } {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** Describes relative days: "Next 7 days". */
export function formatDays({ from, to }: GridDays): string {
  if (from === 0 && to === 0) return t`Today`;
  if (from === 0 && to !== undefined) return t`Next ${plural(to, { one: '# day', other: '# days' })}`;
  if (to === 0 && from !== undefined) return t`Last ${plural(1 - from, { one: '# day', other: '# days' })}`;
  const day = (shift: number | undefined) => (shift === undefined ? '…' : formatDay(dayFromToday(shift)));
  return `${day(from)} – ${day(to)}`;
}

/** Formats both bounds. For whole days, `to` is shown as the last day; other times include the time of day. */
function formatBounds(range: MomentBounds): { from: string; to: string } {
  const format = (bound: string | number | undefined, shift: 0 | -1) => {
    if (bound === undefined) return '';
    if (typeof bound === 'number') return formatNumber(bound + shift);
    return isWholeDays(range) ? formatDay(dateWithOffset(bound, shift)) : formatMoment(bound);
  };
  return { from: format(range.from, 0), to: format(range.to, -1) };
}

function boundText(bound: string | number | undefined, shift: 0 | -1): string {
  if (bound === undefined) return '';
  return typeof bound === 'number' ? String(bound + shift) : formatDateField(dateWithOffset(bound, shift));
}

/** Returns a bound as a date. With the shift -1, returns the day before a day, and the last millisecond before a moment. */
function dateWithOffset(bound: string, shift: 0 | -1): Date {
  return (isDayText(bound) && startOfDay(bound, shift)) || new Date(Date.parse(bound) + shift);
}

/** Returns whether each bound is a day or local midnight. */
function isWholeDays({ from, to }: MomentBounds): boolean {
  return [from, to].every((bound) => {
    if (typeof bound !== 'string' || isDayText(bound)) return true;
    const date = new Date(bound);
    return date.getTime() === new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  });
}

/** Formats a local date as the value of a date field. */
function formatDateField(date: Date): string {
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Returns local midnight of a day relative to today. */
function dayFromToday(shift: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + shift);
}

function startOfDay(day: string, shift: number): Date | undefined {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return undefined;
  const start = new Date(year, month - 1, date + shift);
  return Number.isNaN(start.getTime()) ? undefined : start;
}

function wholeNumber(text: string, shift: number): number | undefined {
  const number = Number.parseInt(text, 10);
  return Number.isSafeInteger(number) ? number + shift : undefined;
}

/** Search parameters of a grid. For an absent parameter, the screen's default applies. */
export type GridAddress = {
  /** Id of a tab. */
  tab?: string | undefined;
  /** Text of the search box. */
  q?: string | undefined;
  /** Column id, preceded by a minus for descending order. */
  sort?: string | undefined;
  filters?: GridFilter[] | undefined;
};

/**
 * Returns the valid search parameters. Invalid parameters are undefined instead of missing: the router keeps parameters that the result
 * does not name.
 */
export function readGridAddress({ tab, q, sort, filters }: Record<string, unknown>): GridAddress {
  const validFilters = readFilters(filters);
  // The router parses digits as a number.
  const searchText = toSingleLine(typeof q === 'string' || typeof q === 'number' ? String(q) : '').slice(
    0,
    200,
  );
  return {
    tab: typeof tab === 'string' && /^\w{1,40}$/.test(tab) ? tab : undefined,
    q: searchText || undefined,
    sort: typeof sort === 'string' && /^-?\w{1,40}$/.test(sort) ? sort : undefined,
    filters: validFilters.length > 0 ? validFilters : undefined,
  };
}

/** Tab, search, filters and order of a grid. */
export type GridListState = {
  tab: string | undefined;
  search: string;
  filters: readonly GridFilter[];
  order: GridSort | undefined;
};

/** Returns the list state of an address. */
export function parseListState(
  { tab, q = '', sort, filters = [] }: GridAddress,
  defaultSort: GridSort | undefined,
): GridListState {
  const [, minus, column] = /^(-?)(\w+)$/.exec(sort ?? '') ?? [];
  const order = column ? ({ column, direction: minus ? 'desc' : 'asc' } as const) : defaultSort;
  return { tab, search: q, filters, order };
}

/** Returns the address of a list state. Defaults are undefined instead of missing, so that the router removes them. */
export function addressOf(
  { tab, search, filters, order }: GridListState,
  defaultSort: GridSort | undefined,
): GridAddress {
  const text = order && `${order.direction === 'desc' ? '-' : ''}${order.column}`;
  const isUsual = JSON.stringify(order) === JSON.stringify(defaultSort);
  return {
    tab,
    q: search.trim() || undefined,
    sort: isUsual ? undefined : text,
    filters: filters.length > 0 ? [...filters] : undefined,
  };
}
