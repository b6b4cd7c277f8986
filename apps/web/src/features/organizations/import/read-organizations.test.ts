import { describe, expect, test } from 'vitest';
import { readOrganizations } from './import-dialog.tsx';

const read = (content: string | Uint8Array<ArrayBuffer>) => readOrganizations(new Blob([content]));
const rows = async (content: string | Uint8Array<ArrayBuffer>) =>
  (await read(content)).rows.map(({ row, name, slug, seatLimit, expiresOn }) =>
    [row, name, slug, seatLimit, expiresOn].join('|'),
  );
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

describe('organizations of a table (R1)', () => {
  test.each([
    ['commas', 'Name,Short name,Seats,Last day\nAcme,acme,25,2027-12-31\n'],
    [
      'semicolons of Excel, with its declaration',
      'sep=;\r\nFirma;Kürzel;Lizenzen;Gültig bis\r\nAcme;acme;25;31.12.2027',
    ],
    ['tabs', 'Organisation\tSlug\tPlätze\tLetzter Tag\nAcme\tacme\t25\t31.12.2027\n'],
    ['another order', 'Seats;Expires;Customer\n25;2027-12-31;Acme'],
    ['no titles', 'Acme;acme;25;2027-12-31'],
  ])('are read with %s', async (_, content) => {
    expect((await rows(content)).map((row) => row.replace(/^\d+\|/, ''))).toEqual([
      'Acme|acme|25|2027-12-31',
    ]);
  });

  test('have the number of their row, and a short name of their name', async () => {
    const content = 'Customers of 2027\n\nName;Seats\n\n"Müller; Söhne";5\nBolt & Co;';
    expect(await rows(content)).toEqual(['5|Müller; Söhne|mueller-soehne|5|', '6|Bolt & Co|bolt-co||']);
  });

  test.each<[string, Uint8Array<ArrayBuffer>, string | null]>([
    ['UTF-8 with a byte order mark', new TextEncoder().encode('\ufeffName\nMüller'), null],
    ['UTF-16', new Uint8Array(Buffer.from('\ufeffName\tSeats\r\nMüller\t', 'utf16le')), null],
    ['Windows-1252', latin1('Name;Seats\r\nMüller;\r\nSeñor Søn;'), 'windows-1252'],
  ])('are read in %s', async (_, content, encoding) => {
    const table = await read(content);
    expect(table.rows[0]).toMatchObject({ name: 'Müller', slug: 'mueller' });
    expect(table.encoding?.used ?? null).toBe(encoding);
  });

  test('are read in the encoding that the user chooses', async () => {
    const file = new Blob([latin1('Name\r\nM\xfcller')]);
    expect((await readOrganizations(file, 'windows-1251')).rows).toMatchObject([{ name: 'Mьller' }]);
  });

  test('keep unclear days and numbers, for the check by the server', async () => {
    expect(await rows('Name,Seats,Last day\nAcme,many,12/31/2027')).toEqual(['2|Acme|acme|many|12/31/2027']);
  });

  test('formulas are no content', async () => {
    expect(await rows("Name\n'=Acme")).toEqual(['2|=Acme|acme||']);
  });

  test.each([
    ['', 'empty'],
    ['Name;Seats\n', 'contains no organizations'],
    ['PK\u0003\u0004', 'Excel workbook'],
    [`Name\n${'Acme\n'.repeat(1_001)}`, 'more than 1,000 organizations'],
  ])('a file without usable rows is refused: %j', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  test('1,000 rows are accepted', async () => {
    expect((await read(`Name\n${'Acme\n'.repeat(1_000)}`)).rows).toHaveLength(1_000);
  });
});
