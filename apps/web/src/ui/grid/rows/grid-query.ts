/** What a grid asks a server for, and the words for it. The server's side of the same is `listQuery` of the contract. */
import { plural, t } from '@lingui/core/macro';
import { formatDay, formatNumber } from '../../../language/formats.ts';
import type { GridColumn } from '../columns/grid-column.ts';

/** The order of the rows; `column` is the id of a `GridColumn`. */
export type GridSort = {
  column: string;
  direction: 'asc' | 'desc';
};

/** One condition on one column, as a server is asked for it; all of a grid's conditions hold together. */
export type GridCondition =
  | { column: string; is: 'contains'; text: string }
  | { column: string; is: 'oneOf'; values: string[] }
  /** From `from` up to, but without, `to`: numbers, or moments in ISO 8601. */
  | { column: string; is: 'between'; from?: string | number; to?: string | number }
  | { column: string; is: 'empty' | 'filled' };

/** A condition as it is shown and kept: days may be counted from today, both included, and go on with the calendar. */
export type GridFilter = GridCondition | ({ column: string; is: 'days' } & GridDays);

/** So many days after today, or before it where they are negative. */
export type GridDays = { from?: number; to?: number };

/** Which rows, without saying which part of them. */
export type GridQuestion = {
  /** What stands in the search box, trimmed; absent when that is empty. */
  search?: string;
  /** Absent when there is none. */
  filters?: readonly GridCondition[];
};

/** One page of rows that a grid asks for. */
export type GridQuery = {
  sort?: GridSort;
  /** Rows before the first one. */
  offset: number;
  /** With 0 it is only counted how many there are. */
  limit: number;
} & GridQuestion;

/** What is typed about one column, before it is a filter: days as `2026-11-21`, everything as text. */
export type FilterDraft = {
  is: GridCondition['is'];
  text: string;
  values: readonly string[];
  from: string;
  to: string;
  /** Where `from` and `to` go on with the calendar. */
  days: GridDays | null;
};

type AnyColumn = GridColumn<never>;

/** A question with nothing in it that says nothing, so that equal questions look equal. */
export function questionOf(search: string, filters: readonly GridCondition[]): GridQuestion {
  const words = search.trim();
  return { ...(words && { search: words }), ...(filters.length > 0 && { filters }) };
}

/** What a server is asked for by these filters today. */
export function conditionsOf(filters: readonly GridFilter[]): GridCondition[] {
  return filters.map((filter) => {
    if (filter.is !== 'days') return filter;
    const { column, from, to } = filter;
    return {
      column,
      is: 'between',
      ...(from !== undefined && { from: dayFromToday(from).toISOString() }),
      ...(to !== undefined && { to: dayFromToday(to + 1).toISOString() }),
    };
  });
}

/** The filters with another condition on a column, or none (null). */
export function withFilter(
  filters: readonly GridFilter[],
  column: string,
  filter: GridFilter | null,
): readonly GridFilter[] {
  const others = filters.filter((one) => one.column !== column);
  return filter ? [...others, filter] : others;
}

/** What a column can be asked, besides whether it is empty. */
const questionOfKind = { text: 'contains', set: 'oneOf', date: 'between', number: 'between' } as const;

/** Only the filters that the columns know: a kept view or an address may be older than the screen. */
export function knownFilters(columns: readonly AnyColumn[], filters: readonly GridFilter[]): GridFilter[] {
  return filters.filter(({ column, is }) => {
    const kind = columns.find(({ id }) => id === column)?.filter?.kind;
    return (
      kind &&
      (is === 'empty' || is === 'filled' || is === questionOfKind[kind] || (is === 'days' && kind === 'date'))
    );
  });
}

/** Filters out of an address, in which anybody can write anything: what is none is left out. */
export function readFilters(value: unknown): GridFilter[] {
  return Array.isArray(value) ? value.filter(isFilter) : [];
}

function isFilter(value: unknown): value is GridFilter {
  const { column, is, text, values, from, to } = Object(value) as Record<string, unknown>;
  if (typeof column !== 'string') return false;
  const isBound = (bound: unknown) =>
    bound === undefined ||
    Number.isFinite(bound) ||
    (typeof bound === 'string' && !Number.isNaN(Date.parse(bound)));
  switch (is) {
    case 'contains':
      return typeof text === 'string';
    case 'oneOf':
      return Array.isArray(values) && values.every((one) => typeof one === 'string');
    case 'between':
      return isBound(from) && isBound(to) && (from ?? to) !== undefined;
    case 'days':
      return [from, to].every(isDay) && (from ?? to) !== undefined;
    default:
      return is === 'empty' || is === 'filled';
  }
}

/** Nobody looks further than ten years. */
const isDay = (day: unknown) =>
  day === undefined || (Number.isInteger(day) && Math.abs(Number(day)) <= 3_660);

/** How a column's filter is shown to be changed. */
export function draftOf({ id, filter: kind }: AnyColumn, filters: readonly GridFilter[]): FilterDraft {
  const filter = filters.find(({ column }) => column === id);
  const draft: FilterDraft = { is: 'contains', text: '', values: [], from: '', to: '', days: null };
  if (kind?.kind === 'set') draft.is = 'oneOf';
  if (kind?.kind === 'date' || kind?.kind === 'number') draft.is = 'between';
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

/** Days counted from today as a draft shows them. */
export function draftOfDays({ from, to }: GridDays): Pick<FilterDraft, 'from' | 'to' | 'days'> {
  const day = (shift: number | undefined) => (shift === undefined ? '' : dayOf(dayFromToday(shift)));
  const days = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  return { from: day(from), to: day(to), days };
}

/** The filter that a draft means, or null where it narrows nothing. Bounds in the wrong order are turned round. */
export function filterOf({ id: column, filter: kind }: AnyColumn, draft: FilterDraft): GridFilter | null {
  if (draft.is === 'empty' || draft.is === 'filled') return { column, is: draft.is };
  if (draft.is === 'contains') {
    const text = draft.text.trim();
    return text ? { column, is: 'contains', text } : null;
  }
  if (draft.is === 'oneOf') {
    const all = kind?.kind === 'set' && draft.values.length === kind.values.length;
    return draft.values.length > 0 && !all ? { column, is: 'oneOf', values: [...draft.values] } : null;
  }
  if (draft.days) return { column, is: 'days', ...draft.days };
  const number = kind?.kind === 'number';
  const wrong = draft.from && draft.to && (number ? +draft.from > +draft.to : draft.from > draft.to);
  const [first, last] = wrong ? [draft.to, draft.from] : [draft.from, draft.to];
  const from = number ? wholeNumber(first, 0) : startOfDay(first, 0);
  const to = number ? wholeNumber(last, 1) : startOfDay(last, 1);
  if (from === undefined && to === undefined) return null;
  return { column, is: 'between', ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** A filter in words: "Status: Active, Disabled". */
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
        (value) => (kind?.kind === 'set' && kind.values.find((one) => one.value === value)?.label) || value,
      );
      const more = labels.length > 3 ? ` ${t`and ${formatNumber(labels.length - 2)} more`}` : '';
      return `${title}: ${labels.slice(0, more ? 2 : 3).join(', ')}${more}`;
    }
    case 'days':
      return `${title}: ${daysText(filter)}`;
    case 'between': {
      const from = boundWords(filter.from, 0);
      const to = boundWords(filter.to, -1);
      if (from && to) return `${title}: ${from === to ? from : `${from} – ${to}`}`;
      return from ? t`${title}: from ${from}` : t`${title}: up to ${to}`;
    }
  }
}

/** Days counted from today in words: "Next 7 days". */
export function daysText({ from, to }: GridDays): string {
  if (from === 0 && to === 0) return t`Today`;
  if (from === 0 && to !== undefined) return t`Next ${plural(to, { one: '# day', other: '# days' })}`;
  if (to === 0 && from !== undefined) return t`Last ${plural(1 - from, { one: '# day', other: '# days' })}`;
  const day = (shift: number | undefined) => (shift === undefined ? '…' : formatDay(dayFromToday(shift)));
  return `${day(from)} – ${day(to)}`;
}

/** The bound as the person thinks of it: `to` included, so one day or one unit less than what is asked for. */
function boundWords(bound: string | number | undefined, shift: 0 | -1): string {
  if (bound === undefined) return '';
  return typeof bound === 'number' ? formatNumber(bound + shift) : formatDay(shifted(bound, shift));
}

function boundText(bound: string | number | undefined, shift: 0 | -1): string {
  if (bound === undefined) return '';
  return typeof bound === 'number' ? String(bound + shift) : dayOf(shifted(bound, shift));
}

function shifted(moment: string, days: number): Date {
  const date = new Date(moment);
  date.setDate(date.getDate() + days);
  return date;
}

/** A day where the person is, as date fields write it. */
function dayOf(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The beginning of a day where the person is. */
function dayFromToday(shift: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + shift);
}

function startOfDay(day: string, shift: number): string | undefined {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return undefined;
  const start = new Date(year, month - 1, date + shift);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

function wholeNumber(text: string, shift: number): number | undefined {
  const number = Number.parseInt(text, 10);
  return Number.isSafeInteger(number) ? number + shift : undefined;
}
