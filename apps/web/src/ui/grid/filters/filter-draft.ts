/** The form of a column's filter: from a filter to the values of the fields, and back. */
import type { GridColumn } from '../grid-column.ts';
import type { GridCondition, GridDays, GridFilter } from '../grid-query.ts';
import { dateOfBound, dayFromToday, formatBound, formatDayText, rangeOf, startOfDay } from './bounds.ts';
import { conditionByKind } from './read-filters.ts';
import { toSingleLine } from './single-line.ts';

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

/** Returns the field values for a column's filter. */
export function filterDraftOf(
  { id, filter: kind }: GridColumn<never>,
  filters: readonly GridFilter[],
): FilterDraft {
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

export const draftOfDays = ({ from, to }: GridDays): Pick<FilterDraft, 'from' | 'to' | 'days'> => ({
  from: relativeDayText(from),
  to: relativeDayText(to),
  days: rangeOf(from, to),
});

const relativeDayText = (shift: number | undefined) =>
  shift === undefined ? '' : formatDayText(dayFromToday(shift));

/** Converts field values to a filter, or null if it would match all rows. Swaps bounds in the wrong order. */
export function filterOf(
  { id: column, kind: columnKind, filter: kind }: GridColumn<never>,
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
  return { column, is: 'between', ...rangeOf(from, to) };
}

function boundText(bound: string | number | undefined, shift: 0 | -1): string {
  if (bound === undefined) return '';
  return typeof bound === 'number' ? String(bound + shift) : formatDayText(dateOfBound(bound, shift));
}

function wholeNumber(text: string, shift: number): number | undefined {
  const number = Number.parseInt(text, 10);
  return Number.isSafeInteger(number) ? number + shift : undefined;
}
