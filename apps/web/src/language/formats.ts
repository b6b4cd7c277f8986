import { i18n } from '@lingui/core';
import { sizeInUnit } from '@vestibule/contract/texts/size';

const dateFormats = new Map<string, Intl.DateTimeFormat>();

type MomentStyle = Pick<Intl.DateTimeFormatOptions, 'dateStyle' | 'timeStyle'>;

/** Returns the site's language with the browser's region: `en-IE` if the browser prefers it. */
export function regionalLocale(): string {
  return navigator.languages.find((tag) => tag.split('-')[0] === i18n.locale) ?? i18n.locale;
}

/** Formats an ISO 8601 string or Date: "21.11.2026, 14:30" by default. */
export function formatMoment(
  moment: string | Date,
  style: MomentStyle = { dateStyle: 'medium', timeStyle: 'short' },
): string {
  const key = `${regionalLocale()} ${style.dateStyle} ${style.timeStyle}`;
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(regionalLocale(), style);
  dateFormats.set(key, format);
  return format.format(typeof moment === 'string' ? new Date(moment) : moment);
}

/** Formats a day: "21.11.2026", or "21. November 2026" if `long`. */
export function formatDay(moment: string | Date, dateStyle: 'medium' | 'long' = 'medium'): string {
  return formatMoment(moment, { dateStyle });
}

/** Formats an expiry with its time zone, since links are shared across zones: "28. November 2026 um 01:28 MEZ". */
export function formatEnd(moment: string): string {
  return new Intl.DateTimeFormat(regionalLocale(), {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(moment));
}

/** Lower-cases a label for use inside a sentence ("Search people"); German nouns stay capitalised. */
export function nounInSentence(label: string): string {
  return i18n.locale === 'de' ? label : label.toLocaleLowerCase(i18n.locale);
}

export function formatNumber(number: number, options?: Intl.NumberFormatOptions): string {
  return number.toLocaleString(regionalLocale(), options);
}

export function formatSize(bytes: number): string {
  const { value, unit } = sizeInUnit(bytes);
  return formatNumber(value, { style: 'unit', unit, unitDisplay: unit === 'byte' ? 'long' : 'short' });
}
