/** Dates, times and numbers as people write them in the site's language; the one place that formats any. */
import { i18n } from '@lingui/core';

const dateFormats = new Map<string, Intl.DateTimeFormat>();

/** How a moment is written: the styles of Intl.DateTimeFormat. */
type MomentStyle = Pick<Intl.DateTimeFormatOptions, 'dateStyle' | 'timeStyle'>;

/** The site's language as the browser's region writes it: English as in Ireland for somebody who prefers `en-IE`. */
export function region(): string {
  return navigator.languages.find((tag) => tag.split('-')[0] === i18n.locale) ?? i18n.locale;
}

/** A moment (ISO 8601, or a Date): "21.11.2026, 14:30" unless another style is asked for. */
export function formatMoment(
  moment: string | Date,
  style: MomentStyle = { dateStyle: 'medium', timeStyle: 'short' },
): string {
  const key = `${region()} ${style.dateStyle} ${style.timeStyle}`;
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(region(), style);
  dateFormats.set(key, format);
  return format.format(typeof moment === 'string' ? new Date(moment) : moment);
}

/** The day of a moment: "21.11.2026", or "21. November 2026" when it is `long`. */
export function formatDay(moment: string | Date, dateStyle: 'medium' | 'long' = 'medium'): string {
  return formatMoment(moment, { dateStyle });
}

/** A name of things inside a sentence: "Search people", but "Personen durchsuchen", where nouns keep their capital. */
export function inSentence(things: string): string {
  return i18n.locale === 'de' ? things : things.toLocaleLowerCase(i18n.locale);
}

/** A number: "1.234,5". */
export function formatNumber(number: number, options?: Intl.NumberFormatOptions): string {
  return number.toLocaleString(region(), options);
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A number of bytes: "1.2 MB", of 1,000 kB, as systems and shops count. */
export function formatSize(bytes: number): string {
  // What would be rounded to 1,000 is 1 of the next.
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes * 1.0005, 1)) / 3));
  const unit = units[step] ?? 'byte';
  return formatNumber(bytes / 1000 ** step, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'byte' ? 'long' : 'short',
    maximumSignificantDigits: 3,
  });
}
