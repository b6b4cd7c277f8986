/**
 * Writes a workbook (ECMA-376) as a stream. Texts are inline strings, so nothing is buffered, and never formulas
 * (security 43). A list too long for one sheet continues on the next.
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import type { ExportCell, ExportColumn } from './csv.ts';
import { zipFile, type ZipEntry } from './zip.ts';
import { valuesOf } from '../values-of.ts';
import { dayMs } from '../time-units.ts';

/** A sheet has at most 1,048,576 rows; whole batches are added up to this number. */
const rowsPerSheet = 1_000_000;
/** Short strings are freed by minor garbage collections; long ones wait for a major one. */
const rowsPerChunk = 50;
const textMaximum = 32_767;
const headingStyle = 1;
const timestampStyle = 2;
const dayStyle = 3;
/** Day number of 1970-01-01 in spreadsheets. They count 1900-02-29, which did not exist: earlier days stay texts. */
const dayOfEpoch = 25_569;
/** Day number of 1900-03-01. */
const firstDay = 61;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';

/** `total` is the number of rows in all `batches`. */
export function xlsxFile(
  file: { title: string; columns: ExportColumn[]; total: number },
  batches: AsyncIterator<ExportCell[][]>,
): AsyncGenerator<Uint8Array> {
  const count = Math.max(1, Math.ceil(file.total / rowsPerSheet));
  const sheets = Array.from({ length: count }, (_, index) => ({
    part: `sheet${index + 1}.xml`,
    relation: `sheet${index + 1}`,
    name: index === 0 ? file.title : `${file.title} ${index + 1}`,
  }));
  const entries: ZipEntry[] = [
    { name: '[Content_Types].xml', content: [contentTypes(sheets.map(({ part }) => part))] },
    {
      name: '_rels/.rels',
      content: [relations([{ id: 'workbook', type: 'officeDocument', target: 'xl/workbook.xml' }])],
    },
    { name: 'xl/workbook.xml', content: [workbook(sheets)] },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: [
        relations([
          { id: 'styles', type: 'styles', target: 'styles.xml' },
          ...sheets.map(({ part, relation }) => ({
            id: relation,
            type: 'worksheet',
            target: `worksheets/${part}`,
          })),
        ]),
      ],
    },
    { name: 'xl/styles.xml', content: [styles] },
    ...sheets.map(({ part }) => ({
      name: `xl/worksheets/${part}`,
      content: worksheet(file.columns, batches),
    })),
  ];
  return zipFile(entries);
}

async function* worksheet(
  columns: ExportColumn[],
  batches: AsyncIterator<ExportCell[][]>,
): AsyncGenerator<string> {
  const letters = columns.map((_, index) => columnLetters(index));
  const cellStyles = columns.map(({ isDay }) => (isDay ? dayStyle : undefined));
  const rowXml = (cells: ExportCell[], number: number, style?: number) =>
    `<row r="${number}">${cells.map((cell, index) => cellXml(cell, `${letters[index]}${number}`, style ?? cellStyles[index])).join('')}</row>`;
  const widths = columns.map(
    ({ width }, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  yield `${declaration}<worksheet xmlns="${spreadsheet}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>${rowXml(
    valuesOf(columns, 'label'),
    1,
    headingStyle,
  )}`;
  let last = 1;
  while (last < rowsPerSheet) {
    const { value: rows, done } = await batches.next();
    if (done) break;
    for (let start = 0; start < rows.length; start += rowsPerChunk) {
      const above = last;
      const piece = rows.slice(start, start + rowsPerChunk);
      last += piece.length;
      yield piece.map((cells, index) => rowXml(cells, above + index + 1)).join('');
    }
  }
  yield `</sheetData><autoFilter ref="A1:${letters.at(-1)}${last}"/></worksheet>`;
}

function cellXml(cell: ExportCell, place: string, style?: number): string {
  if (cell === null || cell === '') return '';
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  if (cell instanceof Date)
    return `<c r="${place}" s="${timestampStyle}"><v>${cell.getTime() / dayMs + dayOfEpoch}</v></c>`;
  if (style === dayStyle) {
    const day = Date.parse(cell) / dayMs + dayOfEpoch;
    if (day >= firstDay) return `<c r="${place}" s="${dayStyle}"><v>${day}</v></c>`;
  }
  const styleAttribute = style === undefined ? '' : ` s="${style}"`;
  // Otherwise readers trim the text.
  const spaceAttribute = cell.trim() === cell ? '' : ' xml:space="preserve"';
  return `<c r="${place}" t="inlineStr"${styleAttribute}><is><t${spaceAttribute}>${escapeXml(cell)}</t></is></c>`;
}

/** Returns A, B … Z, AA, AB … */
function columnLetters(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? columnLetters(rest - 1) : '') + String.fromCodePoint(65 + (index % 26));
}

/** Characters that may need escaping or replacing. Valid surrogate pairs match too; a class of code units is faster to test. */
// oxlint-disable-next-line no-control-regex -- controls are what it looks for
const needsEscape = /[&<>"_\0-\x1F\x7F-\x9F\uD800-\uDFFF\uFFFE\uFFFF]/;

// XML parsers read a bare carriage return as a line feed.
const escaped: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Replaces characters that XML cannot represent by U+FFFD. Escapes `_x0041_`, which readers would decode. */
function escapeXml(text: string): string {
  // Fast path for nearly all cells.
  if (text.length <= textMaximum && !needsEscape.test(text)) return text;
  return cutText(text, textMaximum)
    .toWellFormed()
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[&<>"\r]/g, (character) => escaped[character] as string)
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, '\uFFFD');
}

function contentTypes(parts: string[]): string {
  const main = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}" ContentType="${main}.${type}+xml"/>`;
  return `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('workbook.xml', 'sheet.main')}${override('styles.xml', 'styles')}${parts.map((part) => override(`worksheets/${part}`, 'worksheet')).join('')}</Types>`;
}

const relations = (all: { id: string; type: string; target: string }[]): string =>
  `${declaration}<Relationships xmlns="${packages}/relationships">${all.map(({ id, type, target }) => `<Relationship Id="${id}" Type="${relationships}/${type}" Target="${target}"/>`).join('')}</Relationships>`;

const workbook = (sheets: { name: string; relation: string }[]): string =>
  `${declaration}<workbook xmlns="${spreadsheet}" xmlns:r="${relationships}"><sheets>${sheets.map(({ name, relation }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="${relation}"/>`).join('')}</sheets></workbook>`;

const styles = `${declaration}<styleSheet xmlns="${spreadsheet}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`;
