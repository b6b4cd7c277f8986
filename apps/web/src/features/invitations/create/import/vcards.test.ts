import { expect, test } from 'vitest';
import { readTextFile } from './test-list.ts';

const read = (lines: string[]) => readTextFile(lines.join('\r\n'));

test('vCards are read as one recipient each, with the preferred address (K2)', () => {
  const { entries } = read([
    'BEGIN:VCARD',
    'VERSION:3.0',
    'N:Berg;Anna;;;',
    'FN:Anna Berg\\, Dr.',
    'EMAIL;type=INTERNET;type=HOME:anna@home.example',
    'item1.EMAIL;type=INTERNET;type=pref:anna@work.example',
    'PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQ==',
    'TEL:+49 30 1234',
    'END:VCARD',
    'BEGIN:VCARD',
    'VERSION:2.1',
    'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4D=C3=BCller;=4A=C3=BC=',
    '=72=67;;;',
    'EMAIL;HOME:juerg@',
    ' work.example',
    'END:VCARD',
    'begin:vcard',
    'fn:Without an address',
    'end:vcard',
  ]);
  expect(entries).toEqual([
    { email: 'anna@work.example', name: 'Anna Berg, Dr.', row: 1 },
    { email: 'juerg@work.example', name: 'Jürg Müller', row: 2 },
  ]);
});

test('a vCard without an address is rejected (K2)', () => {
  expect(() => read(['BEGIN:VCARD', 'FN:Anna', 'END:VCARD'])).toThrow('This file has no rows.');
});
