import { describe, expect, test } from 'vitest';
import { isolateRightToLeft } from './isolate.ts';

describe('isolateRightToLeft', () => {
  test.each([
    ['דוד כהן (2 files)', '\u2068דוד כהן\u2069 (2 files)'],
    ['5 files of محمد بن سلمان, 3 new', '5 files of \u2068محمد بن سلمان\u2069, 3 new'],
    ['דוח.pdf, סיכום.pdf', '\u2068דוח\u2069.pdf, \u2068סיכום\u2069.pdf'],
    ["ג'ורג' ו-כהן: 7", "\u2068ג'ורג' ו-כהן\u2069: 7"],
    ['מֹשֶׁה 1', '\u2068מֹשֶׁה\u2069 1'],
  ])('isolates each run of right-to-left words: %s', (text, expected) => {
    expect(isolateRightToLeft(text)).toBe(expected);
    expect(isolateRightToLeft(expected)).toBe(expected);
  });

  test('does not change texts without right-to-left words', () => {
    for (const text of ['', 'Ann Berg (2)', 'Łukasz Ωmega 北京 🦜', 'ann@example.com'])
      expect(isolateRightToLeft(text)).toBe(text);
  });
});
