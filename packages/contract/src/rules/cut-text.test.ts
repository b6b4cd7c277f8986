import { expect, test } from 'vitest';
import { cutText } from './cut-text.ts';

test.each([
  ['a text within the limit', 'Ann', 3, 'Ann'],
  ['letters', 'Anna', 3, 'Ann'],
  ['an emoji at the limit', 'Ann😀', 4, 'Ann'],
  ['an emoji within the limit', 'Ann😀!', 5, 'Ann😀'],
  ['a family', 'Ann👩‍👩‍👧', 6, 'Ann'],
  ['a flag', '🇩🇪🇫🇷', 6, '🇩🇪'],
  ['a letter and a combining accent', 'Cafe\u0301s', 4, 'Caf'],
  ['a first character that is too long', 'e\u0301\u0302\u0303', 2, 'e\u0301'],
])('cutText cuts between characters: %s', (_what, text, maximum, cut) => {
  expect(cutText(text, maximum)).toBe(cut);
});
