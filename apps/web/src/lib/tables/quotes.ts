/** Pairs of quotation marks around names and cells. */

/** Closing marks by their opening mark. */
const pairs = new Map([
  ['"', '"'],
  ["'", "'"],
  ['‘', '’'],
  ['‚', '‘’'],
  ['“', '”'],
  ['„', '“”'],
  ['«', '»'],
  ['»', '«'],
]);

export const isOpeningQuote = (character: string | undefined) => pairs.has(character ?? '');

/** Maximum length of a text within quotation marks, longer than any name. */
const quotedMaximum = 120;

/** Returns the index of the mark that closes the one at `open`, or -1. An apostrophe within a word closes nothing. */
export function closingQuote(line: string, open: number): number {
  const closing = pairs.get(line[open] ?? '') ?? '';
  if (closing === '"') {
    for (let at = open + 1; at < line.length; at += 1) {
      if (line[at] === '\\') at += 1;
      else if (line[at] === '"') return at;
    }
    return -1;
  }
  for (let at = open + 1; at < Math.min(line.length, open + quotedMaximum); at += 1) {
    const character = line[at] ?? '';
    if (character === '@') return -1;
    if (closing.includes(character) && ' \t\u00a0<,;'.includes(line[at + 1] ?? ',')) return at;
  }
  return -1;
}

/** Removes the quotation marks around a text, and the escapes within it. Outlook writes `"'Bob Stone'"`. */
export function unquote(text: string): string {
  const trimmed = text.trim();
  const [open = '', content, close = ''] = /^(.)(.*)(.)$/su.exec(trimmed)?.slice(1) ?? [];
  const closing = pairs.get(open);
  if (content === undefined || !closing?.includes(close)) return trimmed;
  // `"Bob" and "Cy"` are two pairs.
  if (open === '"')
    return /^(?:[^"\\]|\\.)*$/s.test(content) ? unquote(content.replaceAll(/\\(.)/g, '$1')) : trimmed;
  return content.includes(open) || content.includes(close) ? trimmed : content.trim();
}

/** Removes blanks before the quotation mark of a cell: papaparse accepts `"Berg, Anna"` only directly after the delimiter. */
export function withoutBlanksBeforeQuotes(content: string, delimiter: string): string {
  const separator = delimiter.replace(/[\\\]^-]/, '\\$&');
  if (!new RegExp(`(?:^|[${separator}\\n])[^\\S\\n]+"`).test(content)) return content;
  const blanks = delimiter === '\t' ? '[^\\S\\t\\n]*' : '[^\\S\\n]*';
  // Matches whole quoted cells, so that no delimiter within one counts.
  const cell = new RegExp(`(?<=^|[${separator}\\n])${blanks}("[^"]*(?:""[^"]*)*")`, 'g');
  return content.replaceAll(cell, '$1');
}
