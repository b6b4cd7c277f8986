/**
 * Escapes formulas in CSV files and on the clipboard (security 43; OWASP, "CSV Injection"). Spreadsheets split lines at the separator of
 * their locale, even if the file uses another one, and some ignore quotes inside a line. A formula can therefore start after any of these
 * separators. Checked with Excel, LibreOffice and Google Sheets.
 */

const separators = String.raw`,;|\t\r\n`;

/** Signed number or telephone number, such as -5 or +49 30 1234. It is not escaped, because it contains nothing to calculate. */
const signed = String.raw`[+-]\d[\d .,()]*%?`;
const signedNumber = new RegExp(`^${signed}$`);

/**
 * Start of a formula: at the start of the text or of a possible cell, after quotes and spaces. Includes the full-width characters
 * of East Asian keyboards.
 */
const formula = new RegExp(
  String.raw`(^[\s"]*|[${separators}][ \u00A0"]*(?!${signed}(?:$|[${separators}])))(?=[=+\-@＝＋－＠])`,
  'g',
);

/** Inserts an apostrophe before each possible formula. */
export const escapeFormulas = (text: string): string =>
  signedNumber.test(text) ? text : text.replaceAll(formula, "$1'");

/** Removes the apostrophes that `escapeFormulas` has inserted, and no other apostrophes. */
export function unescapeFormulas(text: string): string {
  const restored = text.replaceAll(
    new RegExp(String.raw`(^[\s"]*|[${separators}][ \u00A0"]*)'(?=[=+\-@＝＋－＠])`, 'g'),
    '$1',
  );
  return restored !== text && escapeFormulas(restored) === text ? restored : text;
}

/** Returns the text as a CSV cell (RFC 4180), quoted if it contains a possible separator. */
export const formatCsvCell = (text: string): string => quoteIf(/[",;|\t\r\n]|^\s|\s$/, escapeFormulas(text));

/** Returns rows as text for the clipboard: tabs between cells, line breaks between rows. */
export const formatTabSeparated = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => cells.map((cell) => quoteIf(/[\t\r\n"]/, escapeFormulas(cell))).join('\t')).join('\n');

const quoteIf = (pattern: RegExp, text: string): string =>
  pattern.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
