import { expect, test } from 'vitest';
import { lineOfText, linesOfText } from '../values.ts';
import { FileName } from './file-name.ts';
import { withoutInvisible } from './invisible.ts';

test.each([
  ['turned around', 'Ada \u202Eecalevol\u202C', 'Ada ecalevol'],
  ['isolated', '\u2066Ada\u2069', 'Ada'],
  ['a mark of direction', 'Ada\u200F', 'Ada'],
  ['without width', 'A\u200Bd\u2060a\uFEFF', 'Ada'],
  ['a soft hyphen', 'A\u00ADda', 'Ada'],
  ['joiners that join nothing', '\u200DA\u200Cda\u200D\u200D', 'Ada'],
  ['a blank letter', '\u3164', ''],
])('what nobody sees is taken out: %s', (_what, text, clean) => {
  expect(withoutInvisible(text)).toBe(clean);
});

test.each(['Zoë O’Neil-Łuk', 'می‌خواهم', 'עברית', '葛󠄀城', '👩‍💻 ❤️‍🔥 🏳️‍🌈', 'ක්‍ෂ'])('%s stays as it is', (text) => {
  expect(withoutInvisible(text)).toBe(text);
});

test('every text that people give comes without what nobody sees: lines, messages, names of files', () => {
  expect(lineOfText(3).parse('\u202E Ada \u200B')).toBe('Ada');
  expect(linesOfText(7).parse('\uFEFFAda\n\u202EBob')).toBe('Ada\nBob');
  expect(FileName.parse('a\u202Egpj.exe')).toBe('agpj.exe');
  expect(FileName.safeParse('\u200B').success).toBe(false);
});
