import { expect, test } from 'vitest';
import { lineOfText, linesOfText } from '../values.ts';
import { FileName } from './file-name.ts';
import { cleanText, normalizeText, getSpellings } from './clean-text.ts';

test.each([
  ['a right-to-left override', 'Ada \u202Eecalevol\u202C', 'Ada ecalevol'],
  ['directional isolates', '\u2066Ada\u2069', 'Ada'],
  ['a direction mark', 'Ada\u200F', 'Ada'],
  ['zero-width characters', 'A\u200Bd\u2060a\uFEFF', 'Ada'],
  ['a soft hyphen', 'A\u00ADda', 'Ada'],
  ['joiners without an emoji or script that needs them', '\u200DA\u200Cda\u200D\u200D', 'Ada'],
  ['a letter without a glyph', '\u3164', ''],
])('cleanText removes invisible characters: %s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test.each(['Zoë O’Neil-Łuk', 'می‌خواهم', 'עברית', '葛󠄀城', '👩‍💻 ❤️‍🔥 🏳️‍🌈', 'ක්‍ෂ'])(
  'cleanText does not change %s',
  (text) => {
    expect(cleanText(text)).toBe(text);
  },
);

test('the schemas of lines, messages and file names remove invisible characters and repeated spaces', () => {
  expect(lineOfText(3).parse('\u202E Ada \u200B')).toBe('Ada');
  expect(lineOfText(8).parse('Ann\u00a0 \tBerg\u3000')).toBe('Ann Berg');
  expect(linesOfText(7).parse('\uFEFFAda\n\u202EBob')).toBe('Ada\nBob');
  expect(FileName.parse('a\u202Egpj.exe')).toBe('agpj.exe');
  expect(FileName.safeParse('\u200B').success).toBe(false);
});

test.each([
  ['a letter and its accent', 'Cafe\u0301', 'Café'],
  ['syllables of Hangul', '\u1112\u1161\u11ab', '한'],
  ['an accent behind a character without width', 'e\u200b\u0301', 'é'],
])('cleanText normalises to NFC: %s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test('normalizeText does not convert similar characters to ASCII', () => {
  expect(normalizeText('\u212aelvin\u037e\u1fef e\u0301')).toBe('\u212aelvin\u037e\u1fef é');
});

test('normalizeText removes combining characters after 30 in a row, whose sorting would take seconds', () => {
  const marks = '\u0316\u0301';
  expect(normalizeText(`a${marks.repeat(50_000)}b${marks}`)).toBe(
    `\u00e1${'\u0316'.repeat(15)}${'\u0301'.repeat(14)}b\u0316\u0301`,
  );
});

test('getSpellings returns the NFC and the NFD spelling of a text, or one if they are equal', () => {
  expect(getSpellings('Café')).toEqual(['Café', 'Cafe\u0301']);
  expect(getSpellings('Cafe\u0301')).toEqual(['Café', 'Cafe\u0301']);
  expect(getSpellings('Ann')).toEqual(['Ann']);
});
