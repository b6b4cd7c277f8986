import { expect, test } from 'vitest';
import { createShortCodes } from './short-code.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const { codeOf, hashOf } = createShortCodes(Buffer.from('a secret of the tests, 32 characters or more'));
const ids = Array.from(
  { length: 4_000 },
  (_, index) => `0192f0c1-2345-7abc-8def-${String(index).padStart(12, '0')}`,
);

const numberOf = (code: string) =>
  code.split('').reduce((number, character) => number * 58n + BigInt(alphabet.indexOf(character)), 0n);

test('each of the 128 bits of a code is set in about half of the codes, even for similar ids (security 16)', () => {
  const numbers = ids.map((id) => numberOf(codeOf(id)));
  expect(new Set(numbers).size).toBe(ids.length);
  const ones = Array.from(
    { length: 128 },
    (_, bit) => numbers.filter((number) => (number >> BigInt(bit)) & 1n).length,
  );
  // Six standard deviations of a binomial distribution.
  const most = 6 * Math.sqrt(ids.length / 4);
  for (const count of ones) expect(Math.abs(count - ids.length / 2)).toBeLessThan(most);
  // Codes of adjacent ids differ in about half of their bits.
  const differing = numbers.slice(1).map((number, index) => {
    const difference = number ^ (numbers[index] as bigint);
    return difference.toString(2).replaceAll('0', '').length;
  });
  expect(Math.min(...differing)).toBeGreaterThan(64 - 40);
});

test('changing the version or the secret changes the code, and changing the secret changes the hash', () => {
  const other = createShortCodes(Buffer.from('another secret of the tests, 32 characters or more'));
  const [id] = ids as [string];
  const codes = [codeOf(id), codeOf(id, 1), codeOf(id, 2), other.codeOf(id)];
  expect(new Set(codes).size).toBe(codes.length);
  expect(hashOf(codes[0] as string)).toHaveLength(32);
  expect(hashOf(codes[0] as string).equals(other.hashOf(codes[0] as string))).toBe(false);
});
