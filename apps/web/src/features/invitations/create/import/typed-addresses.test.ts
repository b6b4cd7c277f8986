import { describe, expect, test } from 'vitest';
import { formatTyped, readTypedAddresses } from './typed-addresses.ts';

/** Returns `address = name`, or the address alone. */
const one = (text: string) =>
  readTypedAddresses(text).map(({ email, name }) => (name === '' ? email : `${email} = ${name}`));

const anna = 'anna@example.com = Anna Berg';
const bob = 'bob@example.com = Bob Stone';

describe('typed addresses', () => {
  test.each<[string, string[]]>([
    ['anna@example.com', ['anna@example.com']],
    [
      'a@x.de, b@x.de; c@x.de\nd@x.de\r\ne@x.de\tf@x.de',
      ['a@x.de', 'b@x.de', 'c@x.de', 'd@x.de', 'e@x.de', 'f@x.de'],
    ],
    ['a@x.de b@x.de  c@x.de', ['a@x.de', 'b@x.de', 'c@x.de']],
    ['Anna Berg <anna@example.com>', [anna]],
    ['<anna@example.com>', ['anna@example.com']],
    ['\u202Aanna@example.com\u202C, b\u200Bob@example.com', ['anna@example.com', 'bob@example.com']],
    [
      '"Berg, Anna" <anna@example.com>, bob@example.com',
      ['anna@example.com = Berg, Anna', 'bob@example.com'],
    ],
    ['"Anna \\"Ann\\" Berg" <anna@example.com>', ['anna@example.com = Anna "Ann" Berg']],
    [`"'Anna Berg'" <anna@example.com>`, [anna]],
    [
      'Berg, Anna <anna@example.com>; Müller, Max <max@example.com>',
      ['anna@example.com = Berg, Anna', 'max@example.com = Müller, Max'],
    ],
    ['Anna\tBerg\tanna@example.com\nbob@example.com\tBob Stone', [anna, bob]],
    ['Anna Berg anna@example.com', [anna]],
    ['Anna Berg,anna@example.com', [anna]],
    ['Berg; Anna; anna@example.com', ['anna@example.com = Berg Anna']],
    ['"Berg, Anna",anna@example.com', ['anna@example.com = Berg, Anna']],
    ['anna@example.com, Anna Berg', [anna]],
    ['anna@example.com Anna Berg', [anna]],
    ['anna@example.com - Anna Berg', [anna]],
    ['anna@example.com (Anna Berg)', [anna]],
    ['Anna Berg,anna@example.com\nbob@example.com', [anna, 'bob@example.com']],
    ['Anna Berg,anna@example.com\nBob Stone,bob@example.com\n', [anna, bob]],
    ['anna@example.com, Anna Berg\nbob@example.com, Bob Stone', [anna, bob]],
    ['Anna,Berg,anna@example.com\nBob,Stone,bob@example.com', [anna, bob]],
    ['Anna Berg - anna@example.com\nBob Stone: bob@example.com', [anna, bob]],
    ['To: anna@example.com (Anna Berg)\nCc: Bob Stone <bob@example.com>', [anna, bob]],
    ['a@x.de，b@x.de；c@x.de、d@x.de', ['a@x.de', 'b@x.de', 'c@x.de', 'd@x.de']],
    ['a@x.de, bob.x.de\nb@x.de, dora.x.de', ['a@x.de', 'bob.x.de', 'b@x.de', 'dora.x.de']],
    ['a@x.de, bob\nb@x.de', ['a@x.de', 'bob', 'b@x.de']],
    ['mailto:anna@example.com', ['anna@example.com']],
    ['anna＠example.com', ['anna@example.com']],
    ['田中＠営業 <tanaka@example.com>', ['tanaka@example.com = 田中＠営業']],
    ['anna @example.com', ['anna @example.com']],
    ['anna@ example.com', ['anna@ example.com']],
    ['Anna @ Example <anna@example.com>', ['anna@example.com = Anna @ Example']],
    ['anna@example.com…', ['anna@example.com']],
    ['Anna Berg • anna@example.com', [anna]],
    ['Lab 2 anna@example.com', ['anna@example.com = Lab 2']],
    ['anna@example.com +49 30 1234', ['anna@example.com']],
    ['anna@example.com\t+49 30 1234', ['anna@example.com']],
    ['anna@example.com\t2026-01-31\tAnna Berg', [anna]],
    ['anna@example.com Tel: 01234', ['anna@example.com Tel: 01234']],
    ['anna@example.com (at the office)', ['anna@example.com = at the office']],
    ["'anna@example.com'", ['anna@example.com']],
    ['Anna "the boss <anna@example.com>, b@x.de', ['anna@example.com = Anna "the boss', 'b@x.de']],
    ['"never closed <a@x.de>, b@x.de', ['a@x.de = "never closed', 'b@x.de']],
    ...[
      'Anna, anna@x.de, Bob, bob@x.de',
      'anna@x.de, Anna, bob@x.de, Bob',
      'Anna\nanna@x.de\nBob\nbob@x.de',
      'Anna\n<anna@x.de>\nBob\n<bob@x.de>',
      '1\tAnna\tanna@x.de\n2\tBob\tbob@x.de',
      'Anna <anna@x.de> and Bob <bob@x.de>',
      'Von: Anna <anna@x.de>\nGesendet: Montag, 30. November 2026 09:12\nAn: Bob <bob@x.de>\nBetreff: Treffen, neu',
      'Anna\tanna@x.de\tSales\nBob\tbob@x.de\t+49 30 1234',
      'Anna <anna@x.de>\tSales\nBob <bob@x.de>\tIT',
    ].map((text): [string, string[]] => [text, ['anna@x.de = Anna', 'bob@x.de = Bob']]),
    ['Berg, Anna (anna@x.de); Stone, Bob [bob@x.de]', ['anna@x.de = Berg, Anna', 'bob@x.de = Stone, Bob']],
    ['anna@x.de;Berg;Anna', ['anna@x.de = Berg Anna']],
    ...[
      'a@x.de and b@x.de',
      'Mail: a@x.de, E-mail: b@x.de',
      'a@x.de / b@x.de.',
      'a@x.de | mailto:b@x.de?subject=Hi',
    ].map((text): [string, string[]] => [text, ['a@x.de', 'b@x.de']]),
    ['  \n;;, ,\t\n', []],
    [
      'Anna <anna.p@x.example> Bob <bob.p@x.example>\n<cy@x.example><di@x.example>',
      ['anna.p@x.example = Anna', 'bob.p@x.example = Bob', 'cy@x.example', 'di@x.example'],
    ],
    [
      '1. num@x.example\n- dash@x.example\n• Bob Stone <bob@x.example>\n•tight@x.example\n12) Cy cy@x.example\n* star@x.example',
      [
        'num@x.example',
        'dash@x.example',
        'bob@x.example = Bob Stone',
        'tight@x.example',
        'cy@x.example = Cy',
        'star@x.example',
      ],
    ],
    ['1.\tAnna\tBerg\tanna@x.example', ['anna@x.example = Anna Berg']],
    ['-dash@x.example', ['-dash@x.example']],
    [
      '1) a@x.de, 2) Bob <b@x.de>; 3. c@x.de, 4. Di <d@x.de>',
      ['a@x.de', 'b@x.de = Bob', 'c@x.de', 'd@x.de = Di'],
    ],
    [
      '→ a@x.de\n○ b@x.de\n✓ c@x.de\n☐ d@x.de\n[ ] e@x.de\n[x] Fay <f@x.de>\n- [x] 2. g@x.de\n✔️ h@x.de',
      ['a@x.de', 'b@x.de', 'c@x.de', 'd@x.de', 'e@x.de', 'f@x.de = Fay', 'g@x.de', 'h@x.de'],
    ],
    [
      '1. Anna <a@x.de> 2. Bob <b@x.de>\n1. c@x.de 2. d@x.de',
      ['a@x.de = Anna', 'b@x.de = Bob', 'c@x.de', 'd@x.de'],
    ],
    [
      '2 Brothers <two@x.de>, A. Berg <a@x.de>; v. Berg <v@x.de>\nC & A <c@x.de>\nI. Stone i@x.de',
      [
        'two@x.de = 2 Brothers',
        'a@x.de = A. Berg',
        'v@x.de = v. Berg',
        'c@x.de = C & A',
        'i@x.de = I. Stone',
      ],
    ],
    [
      'Anna <mailto:a@x.de>\nDi [mailto:d@x.de]\ne@x.de <mailto:e@x.de>',
      ['a@x.de = Anna', 'd@x.de = Di', 'e@x.de'],
    ],
    ['b@x.de <a@x.de>\nCy c@x.de d@x.de <e@x.de>', ['b@x.de', 'a@x.de', 'Cy c@x.de d@x.de', 'e@x.de']],
    [
      `'Anna Berg' <a@x.de>, “Stone, Bob” <b@x.de>; 'Ray, Cy' <c@x.de>, 't Hooft <t@x.de>, O'Neil <o@x.de>`,
      [
        'a@x.de = Anna Berg',
        'b@x.de = Stone, Bob',
        'c@x.de = Ray, Cy',
        "t@x.de = 't Hooft",
        "o@x.de = O'Neil",
      ],
    ],
  ])('readTypedAddresses parses %j as %j (K2)', (text, expected) => {
    expect(one(text)).toEqual(expected);
  });

  test('invalid addresses are kept for the review (K2)', () => {
    expect(one('anna.example.com, bob@example.com')).toEqual(['anna.example.com', 'bob@example.com']);
    expect(one('anna.example.com; Bob <bob@example.com>')).toEqual([
      'anna.example.com',
      'bob@example.com = Bob',
    ]);
    expect(one('anna.example.com')).toEqual(['anna.example.com']);
    expect(one('bob@example.com anna')).toEqual(['bob@example.com anna']);
    expect(one('bob@example.com and anna.example.com')).toEqual(['bob@example.com and anna.example.com']);
    expect(one('a b@c d@e.de')).toEqual(['a b@c d@e.de']);
    expect(one('bob@example.com, anna')).toEqual(['bob@example.com', 'anna']);
    expect(one('anna\nbob@example.com')).toEqual(['anna', 'bob@example.com']);
  });

  test('100 kB of any text are parsed in linear time (K2)', () => {
    for (const text of [
      '"'.repeat(1e5),
      '<'.repeat(1e5),
      'a'.repeat(1e5),
      '"a'.repeat(5e4),
      'a@b.de,'.repeat(1.5e4),
      ' '.repeat(1e5),
      '<@'.repeat(5e4),
      `${'<@'.repeat(5e4)}>`,
      'x '.repeat(5e4),
      "'a".repeat(5e4),
      '“a'.repeat(5e4),
      "'a,".repeat(3e4),
      '1) '.repeat(3e4),
      '[ ]'.repeat(3e4),
      `"${'<@>'.repeat(3e4)}" <a@x.de>`,
      `a@x.de (${'a@'.repeat(5e4)}`,
    ]) {
      const begun = process.cpuUsage();
      readTypedAddresses(text);
      // Processor time in milliseconds. Linear time takes less than 100 ms, quadratic time minutes.
      expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(5_000);
    }
  });

  test('formatTyped returns text that is read as the same recipients (K2)', () => {
    const text = 'Anna Berg <anna@x.de>\n"Stone, \\"Bob\\"" <bob@x.de>\nc@x.de';
    expect(readTypedAddresses(text).map(formatTyped).join('\n')).toBe(text);
  });
});
