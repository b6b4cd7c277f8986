import { batchMaximum } from '@vestibule/contract/rules/limits';
import { describe, expect, test } from 'vitest';
import { maximumBytes } from '../../../../lib/tables/file-text.ts';
import { readTextFile } from './test-list.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const people = (content: string | Uint8Array) =>
  readTextFile(content).entries.map(({ email, name }) => `${name} <${email}>`);

const umlauts = 'E-Mail;Name\nanna@example.com;Änne Müßig\n';
const utf16 = (text: string, order: 'le' | 'be', mark: boolean) => {
  const units = (mark ? `\uFEFF${text}` : text).split('').map((character) => character.charCodeAt(0));
  return Uint8Array.from(
    units.flatMap((unit) => (order === 'le' ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255])),
  );
};
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

describe('encodings (K2)', () => {
  test.each([
    ['UTF-8', bytesOf(umlauts)],
    ['UTF-8 with a byte order mark', bytesOf(`\uFEFF${umlauts}`)],
    ['UTF-16 little-endian', utf16(umlauts, 'le', true)],
    ['UTF-16 big-endian', utf16(umlauts, 'be', true)],
    ['UTF-16 little-endian without a mark', utf16(umlauts, 'le', false)],
    ['UTF-16 big-endian without a mark', utf16(umlauts, 'be', false)],
    ['Latin-1', latin1(umlauts)],
  ])('readTable reads a list in %s (K2)', (_, bytes) => {
    expect(people(bytes)).toEqual(['Änne Müßig <anna@example.com>']);
  });

  test('the characters that Windows-1252 adds to Latin-1 are read (K2)', () => {
    expect(people(Uint8Array.from([...bytesOf('email,name\na@x.de,'), 0x8a, 0x92]))).toEqual(['Š’ <a@x.de>']);
  });
});

describe('cells (K2)', () => {
  test.each([',', ';', '\t', '|'])('the delimiter %j is detected (K2)', (delimiter) => {
    expect(people(`name${delimiter}email\nAnna Berg${delimiter}anna@x.de\nBob${delimiter}bob@x.de`)).toEqual([
      'Anna Berg <anna@x.de>',
      'Bob <bob@x.de>',
    ]);
  });

  test('quoted cells may contain quotes, delimiters and line breaks (K2)', () => {
    expect(
      people('email,name,note\r\n"a@x.de","Berg, ""Ann"" Anna","one\r\ntwo"\r\nb@x.de,Bob,\r\n\r\n,,\r\n'),
    ).toEqual(['Berg, "Ann" Anna <a@x.de>', 'Bob <b@x.de>']);
  });

  test.each(['sep=;\n', '"sep=;"\r\n', 'sep=;;;\n', 'SEP=;\r'])(
    "Excel's delimiter line %j is not a row (K2)",
    (line) => {
      const list = readTextFile(`${line}E-Mail;Name\na@x.de;Anna, the first`);
      expect(list.entries).toMatchObject([{ email: 'a@x.de', name: 'Anna, the first', row: 2 }]);
    },
  );

  test('texts that are written as formulas are read (K2)', () => {
    expect(people(`="email",="name"\n="a@x.de",="Anna"\n"=""b@x.de""",`)).toEqual([
      'Anna <a@x.de>',
      ' <b@x.de>',
    ]);
  });

  test('row numbers match those of a spreadsheet, with titles, blank rows and multi-line cells (K2)', () => {
    const rowsOf = (content: string) => readTextFile(content).entries.map(({ row }) => row);
    expect(rowsOf('sep=;\nE-Mail;Name\na@x.de;"Anna\nBerg"\n\n;\nb@x.de;Bob\n')).toEqual([2, 5]);
    expect(rowsOf('a@x.de\nb@x.de')).toEqual([1, 2]);
  });

  test('rows with missing or additional cells are accepted (K2)', () => {
    expect(people('name,email\nAnna\nBob,bob@x.de,1,2,3')).toEqual(['Anna <>', 'Bob <bob@x.de>']);
  });
});

describe('columns (K2)', () => {
  test.each([
    ['E-Mail-Adresse', 'Name'],
    ['email', 'Full name'],
    ['Mail', 'Anzeigename'],
    ['EMAIL ADDRESS', 'Display Name'],
    ['Email', 'Contact'],
    ['Empfänger', 'Mitarbeiter'],
  ])('the titles %s and %s are recognized (K2)', (email, name) => {
    expect(people(`Nr,${name},Ort,${email}\n1,Anna,Kiel,a@x.de`)).toEqual(['Anna <a@x.de>']);
  });

  test('the last and first name in one column are the name, not the number of the employee (K2)', () => {
    const list = 'Employee #,"Last name, First name",Work Email\n1,"Berg, Anna",a@x.de';
    expect(people(list)).toEqual(['Berg, Anna <a@x.de>']);
  });

  test('first and last names are joined, and roles and messages are read (K2)', () => {
    const { entries, columns, titles } = readTextFile(
      'Nachname;Vorname;E-Mail;Rolle;Nachricht\nBerg;Anna;a@x.de;Administratorin;"Hallo\nAnna"\nStone;Bob;b@x.de;Mitglied;\nRay;Cy;c@x.de;;\nLee;Di;d@x.de;chief;',
    );
    expect(entries).toEqual([
      { email: 'a@x.de', name: 'Anna Berg', role: 'admin', message: 'Hallo\nAnna', row: 2 },
      { email: 'b@x.de', name: 'Bob Stone', role: 'member', row: 3 },
      { email: 'c@x.de', name: 'Cy Ray', row: 4 },
      { email: 'd@x.de', name: 'Di Lee', role: 'chief', row: 5 },
    ]);
    expect(titles[columns.firstName ?? -1]).toBe('Vorname');
  });

  test('are detected by content if they have no titles (K2)', () => {
    expect(people('7,Anna Berg,a@x.de\n8,Bob Stone,b@x.de')).toEqual([
      'Anna Berg <a@x.de>',
      'Bob Stone <b@x.de>',
    ]);
    expect(people('a@x.de\nb@x.de')).toEqual([' <a@x.de>', ' <b@x.de>']);
    const staff = Array.from({ length: 20 }, (_, number) => `p${number}@x.de,${number % 2 ? 'Sales' : 'IT'}`);
    expect(people(staff.join('\n'))[0]).toBe(' <p0@x.de>');
    expect(people('Anna\tBerg\ta@x.de\tHuman Resources\nBob\tStone\tb@x.de\tSales')).toEqual([
      'Anna Berg <a@x.de>',
      'Bob Stone <b@x.de>',
    ]);
  });

  test('an ambiguous title is ignored if the content does not match (K2)', () => {
    expect(people('Adresse,Kontakt per\nHafenstraße 1,a@x.de')).toEqual([' <a@x.de>']);
  });

  test('the user can choose the columns (K2)', () => {
    const text = 'Wer;Chefin;Dienstlich\nAnna Berg;chefin@x.de;anna@x.de';
    expect(readTextFile(text).columns).toMatchObject({ email: 1 });
    const { entries } = readTextFile(text, { columns: { email: 2, name: 0 } });
    expect(entries[1]).toEqual({ email: 'anna@x.de', name: 'Anna Berg', row: 2 });
    expect(readTextFile('a@x.de,Anna Berg').titles).toEqual(['column 1 (a@x.de)', 'column 2 (Anna Berg)']);
  });

  test('a cell with name and address provides both (K2)', () => {
    expect(people('email\nAnna Berg <a@x.de>\nmailto:b@x.de')).toEqual(['Anna Berg <a@x.de>', ' <b@x.de>']);
  });
});

describe('unusable files fail with a message within two seconds (K2)', () => {
  const noise = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7_919) % 251);
  const million = 'email,name\n' + 'anna@example.com,Anna Berg\n'.repeat(1_000_000);
  test.each<[string, string | Uint8Array, RegExp]>([
    ['an empty file', '', /is empty/],
    ['blank lines', '\n\n ,\n', /no rows/],
    ['titles and nothing else', 'email,name\n', /only a header row/],
    ['a PDF file', '%PDF-1.7', /PDF/],
    ['a web page', '\n<html><table><tr><td>a@x.de</td></tr></table></html>', /cannot be read.*CSV UTF-8/],
    ['a table of a web page', '<table border="1"><tr><td>a@x.de</td></tr></table>', /cannot be read/],
    ['XML', '<?xml version="1.0"?><Workbook><Cell>a@x.de</Cell></Workbook>', /cannot be read/],
    ['JSON', '[ { "email": "a@x.de" } ]', /cannot be read/],
    ['lines of JSON', '{"email":"a@x.de"}\n{"email":"b@x.de"}', /cannot be read/],
    ['noise', noise, /no text/],
    ['a list without addresses', 'name,town\nAnna,Kiel\n', /No column with e-mail addresses/],
    ['a quotation mark that is never closed', 'email\na@x.de\n"b@x.de\nc@x.de\n', /row 3/],
    ['1,000,000 rows', million, /more than 10,000 rows/],
    ['1,000,000 rows in UTF-16', utf16(million.slice(0, 6_000_000), 'le', true), /more than 10,000 rows/],
    ['one endless line', `email\n${'a'.repeat(maximumBytes)}`, /larger than 8 MB/],
    ['nothing but commas', ','.repeat(maximumBytes), /./],
  ])('readTable rejects %s (K2)', (_, content, sentence) => {
    const begun = process.cpuUsage();
    expect(() => readTextFile(content)).toThrow(
      expect.objectContaining({ name: 'UnusableFile', message: expect.stringMatching(sentence) }) as Error,
    );
    // Measures processor time, because other processes may be running.
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(2_000);
  });

  test(`${batchMaximum} rows are accepted, one more is rejected (K2)`, () => {
    const rows = (count: number) => Array.from({ length: count }, (_, at) => `p${at}@x.de,P${at}`).join('\n');
    expect(readTextFile(`email,name\n${rows(batchMaximum)}`).entries).toHaveLength(batchMaximum);
    expect(() => readTextFile(`email,name\n${rows(batchMaximum + 1)}`)).toThrow('more than 10,000 rows');
    expect(readTextFile(rows(batchMaximum)).entries).toHaveLength(batchMaximum);
  });

  test('10,000 invalid rows are read for review (K2)', () => {
    const garbage = Array.from(
      { length: 9_999 },
      (_, at) => `"@${at};""\t${'%'.repeat(at % 50)}",;\u0085,=1+1`,
    ).join('\n');
    expect(readTextFile(garbage).entries).toHaveLength(9_999);
  });
});
