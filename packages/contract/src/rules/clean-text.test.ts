import { expect, test } from 'vitest';
import { lineOfText, linesOfText } from '../values.ts';
import { FileName } from './file-name.ts';
import { cleanText, normalizeText, spellingsOf } from './clean-text.ts';

test.each([
  ['turned around', 'Ada \u202Eecalevol\u202C', 'Ada ecalevol'],
  ['isolated', '\u2066Ada\u2069', 'Ada'],
  ['a mark of direction', 'Ada\u200F', 'Ada'],
  ['without width', 'A\u200Bd\u2060a\uFEFF', 'Ada'],
  ['a soft hyphen', 'A\u00ADda', 'Ada'],
  ['joiners that join nothing', '\u200DA\u200Cda\u200D\u200D', 'Ada'],
  ['a blank letter', '\u3164', ''],
])('what nobody sees is taken out: %s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test.each(['Zoë O’Neil-Łuk', 'می‌خواهم', 'עברית', '葛󠄀城', '👩‍💻 ❤️‍🔥 🏳️‍🌈', 'ක්‍ෂ'])('%s stays as it is', (text) => {
  expect(cleanText(text)).toBe(text);
});

test('every text that people give comes without what nobody sees: lines, messages, names of files', () => {
  expect(lineOfText(3).parse('\u202E Ada \u200B')).toBe('Ada');
  expect(linesOfText(7).parse('\uFEFFAda\n\u202EBob')).toBe('Ada\nBob');
  expect(FileName.parse('a\u202Egpj.exe')).toBe('agpj.exe');
  expect(FileName.safeParse('\u200B').success).toBe(false);
});

test.each([
  ['a letter and its accent', 'Cafe\u0301', 'Café'],
  ['syllables of Hangul', '\u1112\u1161\u11ab', '한'],
  ['an accent behind a character without width', 'e\u200b\u0301', 'é'],
])('a text is normalised to NFC: %s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test('no character becomes ASCII by normalising', () => {
  expect(normalizeText('\u212aelvin\u037e\u1fef e\u0301')).toBe('\u212aelvin\u037e\u1fef é');
});

test('returns both spellings of a text, and one where they are the same', () => {
  expect(spellingsOf('Café')).toEqual(['Café', 'Cafe\u0301']);
  expect(spellingsOf('Cafe\u0301')).toEqual(['Café', 'Cafe\u0301']);
  expect(spellingsOf('Ann')).toEqual(['Ann']);
});
