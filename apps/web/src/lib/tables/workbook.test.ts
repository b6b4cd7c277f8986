import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { readTable } from '../../features/invitations/create/import/table-entries.ts';
import { maximumBytes } from './file-text.ts';
import { readWorkbook } from './workbook.ts';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006/relationships';

const text = (address: string, content: string) =>
  `<c r="${address}" t="inlineStr"><is><t>${content}</t></is></c>`;
const row = (number: number, ...cells: string[]) => `<row r="${number}">${cells.join('')}</row>`;

/** A workbook with the rows of each sheet as XML. */
function workbook(sheets: Record<string, string>, sharedTexts = ''): Record<string, string> {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  return {
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${names
      .map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}">${names
      .map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`))
      .join(
        '',
      )}${relation('s', 'styles', 'styles.xml')}${relation('t', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${main}">${sharedTexts}</sst>`,
    ...Object.fromEntries(
      names.map((name, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet xmlns="${main}"><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
  };
}

const zip = (parts: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)])));
const read = (parts: Record<string, string>) => readWorkbook(zip(parts), false);

const titles = row(1, text('A1', 'Name'), text('B1', 'E-Mail'));

test('cells of all kinds are read as their text, in their rows (K2)', async () => {
  const sharedTexts = `<si><r><t>Jürgen </t></r><r><t>Müller</t></r></si><si><t>会田</t><rPh sb="0" eb="2"><t>あいだ</t></rPh></si>`;
  const sheet = [
    titles,
    row(3, '<c r="A3" t="s"><v>0</v></c>', '<c r="B3" t="str"><f>A1</f><v>j@x.example</v></c>'),
    row(4, '<c r="A4" t="s"><v>1</v></c>', text('B4', 'a@x.example'), '<c r="C4"><v>7</v></c>'),
    row(
      5,
      text('A5', 'O&apos;Brien &amp; Co'),
      '<c r="C5" s="1"><v>46387</v></c>',
      '<c r="D5" t="b"><v>1</v></c>',
    ),
    row(6, text('A6', 'two\nlines'), '<c r="B6" t="e"><v>#REF!</v></c>'),
  ].join('');
  const file = await read(workbook({ List: sheet }, sharedTexts));
  expect(file).toEqual({
    text: [
      'Name\tE-Mail\t\t',
      '\t\t\t',
      'Jürgen Müller\tj@x.example\t\t',
      '会田\ta@x.example\t7\t',
      "O'Brien & Co\t\t2026-12-31\ttrue",
      '"two\nlines"\t\t\t',
    ].join('\n'),
    encoding: null,
    notes: [],
  });
  expect(readTable(file, false).entries.slice(0, 2)).toEqual([
    { email: 'j@x.example', name: 'Jürgen Müller', row: 3 },
    { email: 'a@x.example', name: '会田', row: 4 },
  ]);
});

test('the sheet with addresses is read, and other sheets are named (K2)', async () => {
  const people = titles + row(2, text('A2', 'Anna'), text('B2', 'anna@x.example'));
  const sheets = { 'Read me': row(1, text('A1', 'Fill in')), People: people, Empty: '', 'A&amp;B': people };
  const file = await read(workbook(sheets));
  expect(file.text).toBe('Name\tE-Mail\nAnna\tanna@x.example');
  expect(readTable(file, false).notes).toEqual([
    'Only the sheet “People” is read. Other sheets: Read me, A&B.',
  ]);
});

test('a sheet without addresses is read, too: organizations have none (R1)', async () => {
  const file = await read(
    workbook({ Empty: '', List: row(1, text('A1', 'Name')) + row(2, text('A2', 'Acme')) }),
  );
  expect(file.text).toBe('Name\nAcme');
});

test('names of elements can have a prefix, as in exports of Microsoft Forms (K2)', async () => {
  const parts = workbook({ List: row(1, text('A1', 'a@x.example')) });
  for (const name of Object.keys(parts).filter((part) => part.endsWith('.xml')))
    parts[name] = (parts[name] ?? '').replaceAll(/<(\/?)(?=\w)/g, '<$1x:').replaceAll('xmlns="', 'xmlns:x="');
  await expect(read(parts)).resolves.toMatchObject({ text: 'a@x.example' });
});

test('a list of 10,000 people is read (K2)', async () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => row(at + 1, text(`A${at + 1}`, `p${at}@x.example`)));
  const file = await read(workbook({ List: rows.join('') }));
  expect(readTable(file, false).entries).toHaveLength(10_000);
});

const old = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]);
const notReadable = /cannot be read.*Save it as “Excel workbook \(\.xlsx\)”/;
test.each<[string, Uint8Array, RegExp]>([
  ['an old or encrypted workbook', old, notReadable],
  ['a damaged workbook', zip(workbook({ List: titles })).subarray(0, 300), notReadable],
  [
    'a spreadsheet of LibreOffice',
    zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<x/>' }),
    notReadable,
  ],
  [
    'damaged XML',
    zip({ ...workbook({ List: titles }), 'xl/worksheets/sheet1.xml': '<worksheet><row' }),
    notReadable,
  ],
  [
    'a workbook whose last cell is used',
    zip(workbook({ List: titles + row(1_048_576, '<c r="XFD1048576" s="1"/>') })),
    /reaches to the cell XFD1048576/,
  ],
  ['a workbook without content', zip(workbook({ List: '' })), /empty/],
  ['a workbook with 200 MB of XML', zip(workbook({ List: ' '.repeat(200 * 1024 ** 2) })), /larger than 8 MB/],
])('%s is refused with advice (K2)', async (_, bytes, message) => {
  await expect(readWorkbook(bytes, false)).rejects.toMatchObject({
    name: 'UnusableFile',
    message: expect.stringMatching(message) as string,
  });
});

test(`a workbook of more than ${maximumBytes} bytes is refused (K2)`, async () => {
  await expect(readWorkbook(zip(workbook({ List: titles })), true)).rejects.toThrow('larger than 8 MB');
});
