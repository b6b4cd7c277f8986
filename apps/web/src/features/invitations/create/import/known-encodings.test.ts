/** Lists in the encodings of Excel and DOS programs, and lists that were damaged by an export. */
import { describe, expect, test } from 'vitest';
import { peopleIn, readTextFile } from './test-list.ts';

const anna = 'Anna Berg <anna@x.example>';

describe('encodings of Excel (K2)', () => {
  const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  const list = (jörg: string, günther = '') => bytes(`Name;E-Mail\r\n${jörg};j@x.example\r\n${günther}`);
  const expected = ['Jörg Müller <j@x.example>'];

  test.each<[name: string, encoding: string, content: Uint8Array]>([
    ['CSV (Macintosh)', 'macintosh', list('J\x9arg M\x9fller')],
    ['CSV (MS-DOS)', 'cp850', list('J\x94rg M\x81ller')],
    ['CSV', 'windows-1252', list('J\xf6rg M\xfcller')],
  ])('are detected: %s', (_, encoding, content) => {
    expect(peopleIn(content)).toEqual(expected);
    expect(readTextFile(content).encoding).toMatchObject({
      used: encoding,
      samples: expect.arrayContaining([{ encoding, text: 'Jörg Müller;j@x.example' }]) as unknown,
    });
    expect(readTextFile(content).notes[0]).toMatch(/^This file is not saved as UTF-8/);
  });

  test.each([
    [
      'windows-1250',
      'Ji\xf8\xed Dvo\xf8\xe1k;j@x.example\nMa\xb3gorzata D\xb9browska;m@x.example\nTom\xe1\x9a Nov\xe1k;t@x.example',
      'Jiří Dvořák',
    ],
    ['windows-1250', 'Ond\xf8ej Hor\xe1k;o@x.example\nV\xe1clav \xc8ern\xfd;v@x.example', 'Ondřej Horák'],
    ['windows-1250', 'Gy\xf5z\xf5 Szab\xf3;g@x.example\nIldik\xf3 Sz\xfbcs;i@x.example', 'Győző Szabó'],
    ['cp852', '\xe6tefan Bal\xa0\xa7;s@x.example\nJ\xa0n Kov\xa0\x9f;j@x.example', 'Štefan Baláž'],
    ['windows-1252', 'S\xf8ren Kj\xe6r;s@x.example\n\xc5se Vad;a@x.example', 'Søren Kjær'],
    ['macintosh', 'Jo\x8bo Concei\x8d\x8bo;j@x.example\nIn\x90s Ara\x9cjo;i@x.example', 'João Conceição'],
    ['windows-1251', '\xc8\xe2\xe0\xed \xcf\xe5\xf2\xf0\xee\xe2;j@x.example\n', 'Иван Петров'],
  ])('are detected: %s', (encoding, rows, name) => {
    const found = readTextFile(bytes(`Name;E-Mail\n${rows}`));
    expect(found.encoding?.used).toBe(encoding);
    expect(found.entries[0]?.name).toBe(name);
  });

  test('one stray byte in UTF-8 changes no other letter', () => {
    const utf8 = new TextEncoder().encode('Name;E-Mail\nJörg Müller;j@x.example\nÄnne Groß;a@x.example\nG');
    const content = Uint8Array.from([...utf8, 0xfc, ...bytes('nther;g@x.example\n')]);
    expect(peopleIn(content)).toEqual([...expected, 'Änne Groß <a@x.example>', 'Günther <g@x.example>']);
    expect(readTextFile(content).encoding).toMatchObject({ used: 'utf-8' });
    expect(readTextFile(content).encoding?.samples[0]).toEqual({
      encoding: 'utf-8',
      text: 'Günther;g@x.example … Jörg Müller;j@x.example … Änne Groß;a@x.example',
    });
  });

  test('UTF-8 with as many stray bytes as non-ASCII letters is detected', () => {
    const content = Uint8Array.from([
      ...new TextEncoder().encode('Name;E-Mail\nJörg;j@x.example\nRen'),
      ...bytes('\xe9;r@x.example\n'),
    ]);
    expect(peopleIn(content)).toEqual(['Jörg <j@x.example>', 'René <r@x.example>']);
    const { encoding, notes } = readTextFile(content);
    expect(encoding).toMatchObject({ used: 'utf-8' });
    expect(notes).toEqual([
      'This file is UTF-8 with some invalid bytes. Check that names with accents are right, or choose another encoding.',
    ]);
  });

  test.each([
    ['after other non-ASCII letters', 'Jörg;j@x.example\nJ'],
    ['and is the only non-ASCII letter', 'J'],
  ])('UTF-8 is detected if its last letter is cut off %s', (_, rows) => {
    const content = new TextEncoder().encode(`E-Mail;Name\na@x.example;Anna\n${rows}ö`).slice(0, -1);
    const { encoding, notes } = readTextFile(content);
    expect(encoding).toMatchObject({ used: 'utf-8' });
    expect(notes[0]).toMatch(/^This file is UTF-8 with some invalid bytes\./);
    expect(readTextFile(content).entries.at(-1)?.email).toBe('J\ufffd');
  });

  test('a last letter in Windows-1252 is not read as a cut-off letter in UTF-8', () => {
    expect(peopleIn(bytes('E-Mail;Name\nr@x.example;Ren\xe9'))).toEqual(['René <r@x.example>']);
  });

  test('another encoding can be chosen', () => {
    const content = list('J\x9arg M\x9fller');
    expect(readTextFile(content).encoding?.samples).toContainEqual({
      encoding: 'windows-1252',
      text: 'Jšrg MŸller;j@x.example',
    });
    expect(peopleIn(content, { encoding: 'windows-1252' })).toEqual(['Jšrg MŸller <j@x.example>']);
  });

  test('no encodings are offered for a file in UTF-8', () => {
    expect(readTextFile('Name;E-Mail\nJörg;j@x.example').encoding).toBeNull();
  });

  test.each(['\x1a', '\x1a\r\n', '\x1a\0\0\0', '\0\0', '\x1a\x1a \r\n\x1a\r\n'])(
    'the end marks of DOS programs are ignored: %j',
    (mark) => {
      expect(peopleIn(list('J\x94rg M\x81ller', mark))).toEqual(expected);
      expect(peopleIn(`E-Mail;Name\nanna@x.example;Anna Berg\n${mark}`)).toEqual([anna]);
    },
  );
});
