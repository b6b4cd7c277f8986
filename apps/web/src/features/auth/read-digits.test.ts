import { expect, test } from 'vitest';
import { readDigits } from './read-digits.ts';

test.each([
  ['012345', '012345'],
  [' 012 345\n', '012345'],
  ['Code: 012-345.', '012345'],
  ['٠١٢٣٤٥٦٧٨٩', '0123456789'],
  ['۰۱۲۳۴۵۶۷۸۹', '0123456789'],
  ['０１２３４５６７８９', '0123456789'],
])('the code in %j has the digits %s (M8)', (text, digits) => {
  expect(readDigits(text)).toBe(digits);
});
