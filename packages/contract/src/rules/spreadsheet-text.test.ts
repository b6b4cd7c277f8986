import { describe, expect, test } from 'vitest';
import { formatCsvCell, formatTabSeparated, unescapeFormulas, escapeFormulas } from './spreadsheet-text.ts';

const call = 'HYPERLINK("http://evil.example","Click")';
const hostile = [
  `=${call}`,
  `+${call}`,
  `-${call}`,
  `@SUM(A1)`,
  "-2+3+cmd|' /C calc'!A0",
  `\t=${call}`,
  `\r=${call}`,
  `  =${call}`,
  `＝${call}`,
  '-1+1',
  '+49-30-1234',
  `a;=${call}`,
  `a;"=1+1;b`,
  `a;""=1+1;b`,
  'a; @x',
  `a,=${call}`,
  `a|=${call}`,
  `a\t=${call}`,
  `a\n=${call}`,
  `a\r\n-${call}\r\nb`,
  `-5;=${call}`,
  `-5"=${call}`,
  `";=1+1`,
  `"\n=1+1`,
];
const ordinary = [
  '-5',
  '-1,234.50',
  '-12 %',
  '+49 30 123456',
  '+49 (30) 123456',
  '2026-11-22',
  '2026-11-22T08:00:00Z',
  '1; -5; +3',
  'ann@example.com',
  'He said "no", then left; and came back',
  'a = b',
  'two\nlines',
  ' spaces ',
  "O'Neil – Müller",
  'https://example.com/?a=1&b=-2',
  '',
];

/**
 * Parses cells like spreadsheets: a leading quote starts a quoted part up to its closing quote; the rest of the cell and other
 * quotes are literal.
 */
function read(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  for (let at = 0; at <= text.length;) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; at < text.length; at += 1) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') {
          cell += '"';
          at += 1;
        } else break;
      }
      at += 1;
    }
    while (at < text.length && text[at] !== separator && !/[\r\n]/.test(text[at] ?? '')) {
      cell += text[at];
      at += 1;
    }
    rows.at(-1)?.push(cell);
    if (/[\r\n]/.test(text[at] ?? '')) {
      if (text.startsWith('\r\n', at)) at += 1;
      rows.push([]);
    }
    at += 1;
  }
  return rows;
}

/** Spreadsheets ignore leading spaces, and numbers are not formulas. */
const isFormula = (cell: string) => /^\s*[=+\-@＝＋－＠]/.test(cell) && !/^\s*[+-][\d .()]+%?"?$/.test(cell);

describe.each([
  ['a CSV file', (cells: string[]) => cells.map(formatCsvCell).join(',')],
  ['the clipboard', (cells: string[]) => formatTabSeparated([cells])],
])('spreadsheet text in %s', (_, write) => {
  test.each(hostile)('%j is not read as a formula with any separator (security 43)', (text) => {
    for (const cells of [[text], ['a', text], [text, 'z'], ['x;y', text, 'z'], [text, text]])
      for (const separator of [',', ';', '\t', '|'])
        expect(read(write(cells), separator).flat().filter(isFormula)).toEqual([]);
  });
});

test.each(ordinary)('%j is read back unchanged (security 43)', (text) => {
  expect(escapeFormulas(text)).toBe(text);
  for (const cells of [[text], ['a', text, 'z'], [text, text]]) {
    expect(read(cells.map(formatCsvCell).join(','), ',')).toEqual([cells]);
    expect(read(formatTabSeparated([cells]), '\t')).toEqual([cells]);
  }
});

test('quotes texts with separators, and puts an apostrophe before formulas', () => {
  expect(formatCsvCell('a;=1+1')).toBe(`"a;'=1+1"`);
  expect(formatCsvCell('say "hi"')).toBe('"say ""hi"""');
  expect(formatTabSeparated([['a;b', 'c\td'], ['=1+1']])).toBe(`a;b\t"c\td"\n'=1+1`);
});

test.each([...hostile, ...ordinary, '+plus@example.com'])('unescapeFormulas restores %j', (text) => {
  expect(unescapeFormulas(escapeFormulas(text))).toBe(text);
});

test.each(["'quoted'", "O'Neil", "a ' = b", "'", "Rock 'n' Roll"])(
  'unescapeFormulas does not change the apostrophe of %j',
  (text) => {
    expect(unescapeFormulas(text)).toBe(text);
  },
);
