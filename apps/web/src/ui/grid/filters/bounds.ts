/** Bounds of ranges: numbers, times, and days as `2026-12-31`, which are also the values of date fields. */
import type { GridColumn } from '../grid-column.ts';

/** Omits absent bounds. */
export const rangeOf = <Bound>(
  from: Bound | undefined,
  to: Bound | undefined,
): { from?: Bound; to?: Bound } => ({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) });

/** Formats local midnight as a bound of a column. Days have no time zone. */
export const formatBound = (kind: GridColumn<never>['kind'] | undefined, midnight: Date): string =>
  kind === 'day' ? formatDayText(midnight) : midnight.toISOString();

export const isDayText = (bound: string | number | undefined): bound is string =>
  typeof bound === 'string' && /^\d{4}-\d\d-\d\d$/.test(bound);

export function formatDayText(date: Date): string {
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Returns local midnight of a day relative to today. */
export function dayFromToday(shift: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + shift);
}

/** Returns local midnight of the day `shift` days after `day`, or undefined if `day` is none. */
export function startOfDay(day: string, shift: number): Date | undefined {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return undefined;
  const start = new Date(year, month - 1, date + shift);
  return Number.isNaN(start.getTime()) ? undefined : start;
}

/** Returns a bound as a date. With the shift -1, returns the day before a day, and the last millisecond before a moment. */
export const dateOfBound = (bound: string, shift: 0 | -1): Date =>
  (isDayText(bound) && startOfDay(bound, shift)) || new Date(Date.parse(bound) + shift);
