/** Dates, times and numbers as people write them in the site's language; the one place that formats any. */
import { i18n } from '@lingui/core';
import { sizeInUnit } from '@vestibule/contract/texts/size';

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

/** The end of a link: "28. November 2026 um 01:28 MEZ". Printed or passed on, it is read in other time zones too. */
export function formatEnd(moment: string): string {
  return new Intl.DateTimeFormat(region(), {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(moment));
}

/** A name of things inside a sentence: "Search people", but "Personen durchsuchen", where nouns keep their capital. */
export function inSentence(things: string): string {
  return i18n.locale === 'de' ? things : things.toLocaleLowerCase(i18n.locale);
}

/** A number: "1.234,5". */
export function formatNumber(number: number, options?: Intl.NumberFormatOptions): string {
  return number.toLocaleString(region(), options);
}

/** A number of bytes: "1.2 MB". */
export function formatSize(bytes: number): string {
  const { value, unit } = sizeInUnit(bytes);
  return formatNumber(value, { style: 'unit', unit, unitDisplay: unit === 'byte' ? 'long' : 'short' });
}
