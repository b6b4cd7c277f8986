/** The formats that the login screen loads. */
import { i18n } from '@lingui/core';

const dateFormats = new Map<string, Intl.DateTimeFormat>();

type MomentStyle = Pick<Intl.DateTimeFormatOptions, 'dateStyle' | 'timeStyle'>;

/** Returns the site's language with the browser's region: `en-IE` if the browser prefers it. */
export const regionalLocale = (): string =>
  navigator.languages.find((tag) => tag.split('-')[0] === i18n.locale) ?? i18n.locale;

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
