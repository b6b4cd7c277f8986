/**
 * What keeps a text a text where a spreadsheet reads it (security 43): in files of comma-separated values and on the
 * clipboard. Spreadsheets split at what their country uses, whatever the file was written with, and not all of them honour
 * quotes in the middle of what is a line to them. So a formula may begin after any of those separators too.
 * Source: OWASP, "CSV Injection"; what Excel, LibreOffice and Google Sheets do when they open or paste.
 */

/** Where some spreadsheet begins a new cell. */
const separators = String.raw`,;|\t\r\n`;

/**
 * A number or a telephone number with its sign. Nothing in it can be calculated, so it is left as it is: -5, +49 30 1234;
 * not 49-30-1234 with a sign before it.
 */
const signed = String.raw`[+-]\d[\d .,()]*%?`;
const signedNumber = new RegExp(`^${signed}$`);

/**
 * Where a formula begins, at the start of the text or of what may be a cell, behind quotes and spaces; the wide forms of East
 * Asian keyboards included.
 */
const formula = new RegExp(
  String.raw`(^[\s"]*|[${separators}][ \u00A0"]*(?!${signed}(?:$|[${separators}])))(?=[=+\-@＝＋－＠])`,
  'g',
);

/** The text with an apostrophe before each place where a spreadsheet would begin a formula. */
export function withoutFormulas(text: string): string {
  return signedNumber.test(text) ? text : text.replaceAll(formula, "$1'");
}

/** The text without the apostrophes of `withoutFormulas`. Other apostrophes stay. */
export function withoutApostrophes(text: string): string {
  const restored = text.replaceAll(
    new RegExp(String.raw`(^[\s"]*|[${separators}][ \u00A0"]*)'(?=[=+\-@＝＋－＠])`, 'g'),
    '$1',
  );
  return restored !== text && withoutFormulas(restored) === text ? restored : text;
}

/** The text as a cell between commas (RFC 4180), in quotes where any spreadsheet would begin another cell. */
export function commaSeparatedCell(text: string): string {
  return quoteIf(/[",;|\t\r\n]|^\s|\s$/, withoutFormulas(text));
}

/** Rows as text for the clipboard: tabs between cells, line breaks between rows. */
export function tabSeparated(rows: readonly (readonly string[])[]): string {
  return rows
    .map((cells) => cells.map((cell) => quoteIf(/[\t\r\n"]/, withoutFormulas(cell))).join('\t'))
    .join('\n');
}

function quoteIf(pattern: RegExp, text: string): string {
  return pattern.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
