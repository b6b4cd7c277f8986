/** Numbers as people type them, in the browser's region: "1.234,5" in German, "1,234.5" in English. */
import { regionalLocale } from '../../language/formats.ts';

/** Returns null for an empty text, and NaN for a text that is not a number. */
export function parseNumber(text: string, locale = regionalLocale()): number | null {
  const typed = text.trim().replace('−', '-');
  if (typed === '') return null;
  const decimal = new Intl.NumberFormat(locale).format(1.5).includes(',') ? ',' : '.';
  const group = decimal === ',' ? '.' : ',';
  // Digits in groups of three, separated as in the region or by spaces and apostrophes.
  const grouped = new RegExp(`^[-+]?[1-9]\\d{0,2}([${group}\\s'’]\\d{3})+(\\${decimal}\\d+)?$`);
  // Otherwise a comma or a point is the decimal sign, as on the numeric keypad of another language.
  const plain = /^[-+]?(\d+[.,]?\d*|[.,]\d+)$/;
  if (grouped.test(typed))
    return Number(typed.replaceAll(new RegExp(`[${group}\\s'’]`, 'g'), '').replace(',', '.'));
  return plain.test(typed) ? Number(typed.replace(',', '.')) : Number.NaN;
}

/** Formats a number for editing, without separators of thousands. Empty for null and NaN. */
export function formatForEditing(value: number | null, locale = regionalLocale()): string {
  return value === null || Number.isNaN(value)
    ? ''
    : value.toLocaleString(locale, { useGrouping: false, maximumFractionDigits: 20 });
}
