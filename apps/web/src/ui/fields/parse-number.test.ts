import { expect, test } from 'vitest';
import { formatForEditing, parseNumber } from './number-field.tsx';

test.each([
  ['de', '1,5', 1.5],
  ['de', '1.5', 1.5],
  ['de', '1.500', 1500],
  ['de', '1.234.567,25', 1234567.25],
  ['de', '0.500', 0.5],
  ['de-CH', '1’234.5', 1234.5],
  ['en', '1.5', 1.5],
  ['en', '1,5', 1.5],
  ['en', '1,500', 1500],
  ['en', '1.500', 1.5],
  ['fr', '1 234,5', 1234.5],
  ['en', ' -12 ', -12],
  ['en', '−12', -12],
  ['en', '.5', 0.5],
  ['en', '12.', 12],
])('in %s, "%s" is %d', (locale, text, number) => {
  expect(parseNumber(text, locale)).toBe(number);
});

test.each(['1,2,3', '12a', '1e3', '--1', '.', '-', 'Infinity', '0x10', '1.2.3'])(
  '"%s" is not a number',
  (text) => {
    expect(parseNumber(text, 'en')).toBeNaN();
  },
);

test('an empty text has no number', () => {
  expect(parseNumber('  ', 'en')).toBeNull();
});

test.each([
  ['de', 1234.5, '1234,5'],
  ['en', 1234.5, '1234.5'],
  ['en', 0.000001, '0.000001'],
  ['en', null, ''],
  ['en', Number.NaN, ''],
])('in %s, the field of %d contains "%s"', (locale, number, text) => {
  expect(formatForEditing(number, locale)).toBe(text);
});
