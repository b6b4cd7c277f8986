import { expect, test } from 'vitest';
import { addressesAsText, readTypedAddresses } from './typed-addresses.ts';

const one = (text: string) => readTypedAddresses(text).map(({ email, name }) => [email, name]);

test.each<[string, [string, string][]]>([
  ['anna@example.com', [['anna@example.com', '']]],
  [
    'a@x.de, b@x.de; c@x.de\nd@x.de\r\ne@x.de\tf@x.de',
    ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => [`${letter}@x.de`, '']),
  ],
  [
    'a@x.de b@x.de  c@x.de',
    [
      ['a@x.de', ''],
      ['b@x.de', ''],
      ['c@x.de', ''],
    ],
  ],
  ['Anna Berg <anna@example.com>', [['anna@example.com', 'Anna Berg']]],
  ['<anna@example.com>', [['anna@example.com', '']]],
  [
    '"Berg, Anna" <anna@example.com>, bob@example.com',
    [
      ['anna@example.com', 'Berg, Anna'],
      ['bob@example.com', ''],
    ],
  ],
  ['"Anna \\"Ann\\" Berg" <anna@example.com>', [['anna@example.com', 'Anna "Ann" Berg']]],
  [
    'Berg, Anna <anna@example.com>; Müller, Max <max@example.com>',
    [
      ['anna@example.com', 'Berg, Anna'],
      ['max@example.com', 'Müller, Max'],
    ],
  ],
  [
    'Anna\tBerg\tanna@example.com\nbob@example.com\tBob Stone',
    [
      ['anna@example.com', 'Anna Berg'],
      ['bob@example.com', 'Bob Stone'],
    ],
  ],
  ['Anna Berg anna@example.com', [['anna@example.com', 'Anna Berg']]],
  ['mailto:anna@example.com', [['anna@example.com', '']]],
  ["'anna@example.com'", [['anna@example.com', '']]],
  [
    'Anna "the boss <anna@example.com>, b@x.de',
    [
      ['anna@example.com', 'Anna "the boss'],
      ['b@x.de', ''],
    ],
  ],
  [
    '"never closed <a@x.de>, b@x.de',
    [
      ['a@x.de', '"never closed'],
      ['b@x.de', ''],
    ],
  ],
  ['  \n;;, ,\t\n', []],
])('%j is read as %j (K2)', (text, expected) => {
  expect(one(text)).toEqual(expected);
});

test('what is no address is kept, for the dry run to say so (K2)', () => {
  expect(one('anna.example.com, bob@example.com')).toEqual([
    ['anna.example.com', ''],
    ['bob@example.com', ''],
  ]);
  expect(one('anna.example.com; Bob <bob@example.com>')).toEqual([
    ['anna.example.com', ''],
    ['bob@example.com', 'Bob'],
  ]);
  expect(one('anna.example.com')).toEqual([['anna.example.com', '']]);
  expect(one('a b@c d@e.de')).toEqual([['a b@c d@e.de', '']]);
  expect(one('bob@example.com, somebody')).toEqual([
    ['bob@example.com', ''],
    ['somebody', ''],
  ]);
});

test('a megabyte of anything is read in no time (K2)', () => {
  for (const text of [
    '"'.repeat(1e6),
    '<'.repeat(1e6),
    'a'.repeat(1e6),
    '"a'.repeat(5e5),
    'a@b.de,'.repeat(1.5e5),
    ' '.repeat(1e6),
    '<@'.repeat(5e5),
    `${'<@'.repeat(5e5)}>`,
    'x '.repeat(5e5),
  ]) {
    const begun = process.cpuUsage();
    readTypedAddresses(text);
    // Time of the processor: others may be at work beside this.
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(1_000);
  }
});

test('corrected rows go back into the field where they fit, and stay a list where they do not (K2)', () => {
  const text = 'Anna Berg <anna@x.de>\n"Stone, \\"Bob\\"" <bob@x.de>\nc@x.de';
  expect(addressesAsText(readTypedAddresses(text))).toBe(text);
  expect(addressesAsText([{ email: 'a@x.de', name: '', role: 'admin' }])).toBeNull();
  expect(
    addressesAsText([
      { email: 'not an address', name: '' },
      { email: '', name: 'Nobody' },
    ]),
  ).toBeNull();
  expect(
    addressesAsText(Array.from({ length: 201 }, (_, at) => ({ email: `p${at}@x.de`, name: '' }))),
  ).toBeNull();
});
