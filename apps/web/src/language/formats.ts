/** Formats of the screens after sign-in. */
import { i18n } from '@lingui/core';
import { sizeInUnit } from '@vestibule/contract/texts/size';
import { formatMoment, regionalLocale } from './moment.ts';

/** Formats the day of a moment, or a day such as `2026-12-31`, which is in no time zone: "21.11.2026", or "21. November 2026" if `long`. */
export function formatDay(moment: string | Date, dateStyle: 'medium' | 'long' = 'medium'): string {
  const isDay = typeof moment === 'string' && moment.length === 10;
  // `new Date` reads a day without a time as UTC, which is the day before in America.
  return formatMoment(isDay ? `${moment}T00:00` : moment, { dateStyle });
}

/** Formats an expiry with its time zone, since links are shared across zones: "28. November 2026 um 01:28 MEZ". */
export const formatEnd = (moment: string): string =>
  new Intl.DateTimeFormat(regionalLocale(), {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(moment));

/** Lower-cases a label for use inside a sentence ("Search people"); German nouns stay capitalised. */
export const nounInSentence = (label: string): string =>
  i18n.locale === 'de' ? label : label.toLocaleLowerCase(i18n.locale);

export const formatNumber = (number: number, options?: Intl.NumberFormatOptions): string =>
  number.toLocaleString(regionalLocale(), options);

export function formatSize(bytes: number): string {
  const { value, unit } = sizeInUnit(bytes);
  return formatNumber(value, { style: 'unit', unit, unitDisplay: unit === 'byte' ? 'long' : 'short' });
}
