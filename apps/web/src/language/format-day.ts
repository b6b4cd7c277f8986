/** Days without a time. Separate from formats.ts, which the login screen loads. */
import { formatDay as formatDayOf } from './formats.ts';

/** Formats the day of a moment, or a day such as `2026-12-31`, which is in no time zone. */
export function formatDay(moment: string | Date, dateStyle?: 'medium' | 'long'): string {
  const isDay = typeof moment === 'string' && moment.length === 10;
  // `new Date` reads a day without a time as UTC, which is the day before in America.
  return formatDayOf(isDay ? `${moment}T00:00` : moment, dateStyle);
}
