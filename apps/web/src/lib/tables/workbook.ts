/** Reads an Excel workbook (XLSX) as the text that Excel copies from a sheet. */
import { t } from '@lingui/core/macro';
import { strFromU8, unzipSync, zipSync, type UnzipFileInfo } from 'fflate';
import Papa from 'papaparse';
import readSheets, { type CellValue, type Sheet } from 'read-excel-file/universal';
import { tooLarge, unreadableFormat, UnusableFile, type FileText } from './file-text.ts';

/** Maximum size of the XML in a workbook in bytes, which can be a thousand times as large as the file. */
const maximumXmlBytes = 128 * 1024 ** 2;
/** Maximum size of a sheet in rows times columns, also of empty cells, for which the library needs memory. */
const maximumCells = 20_000_000;

/** Reads the first sheet with an address, or else with content. Throws `UnusableFile` for other archives and old workbooks. */
export async function readWorkbook(bytes: Uint8Array, isTruncated: boolean): Promise<FileText> {
  if (isTruncated) throw new UnusableFile(tooLarge());
  const sheets = (await readSheets(new Blob([unpack(bytes)])).catch(refuse)).filter((sheet) =>
    hasCell(sheet, (cell) => cell !== null),
  );
  const used = sheets.find((sheet) => hasCell(sheet, (cell) => String(cell).includes('@'))) ?? sheets[0];
  if (!used) throw new UnusableFile(t`This file is empty.`);
  const rows = used.data.map((row) => row.map(cellText));
  const others = sheets.filter((sheet) => sheet !== used).map(({ sheet }) => sheet);
  return {
    text: Papa.unparse(rows, { delimiter: '\t', newline: '\n' }),
    encoding: null,
    notes:
      others.length === 0
        ? []
        : [t`Only the sheet “${used.sheet}” is read. Other sheets: ${others.join(', ')}.`],
  };
}

/** Returns the workbook without compression: the library would start a worker for large parts, which the page's policy forbids. */
function unpack(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  let size = 0;
  const isUsed = ({ name, originalSize }: UnzipFileInfo) => {
    if (!/\.(?:xml|rels)$/.test(name)) return false;
    size += originalSize;
    if (size > maximumXmlBytes) throw new UnusableFile(tooLarge());
    return true;
  };
  try {
    const parts = unzipSync(bytes, { filter: isUsed });
    for (const xml of Object.values(parts)) requireCompact(strFromU8(xml));
    return zipSync(parts, { level: 0 });
  } catch (error) {
    return refuse(error);
  }
}

/** Throws for a sheet with a cell far outside of the list, such as the last one, which Excel keeps when only its format was changed. */
function requireCompact(sheet: string): void {
  let [rows, columns, last] = [0, 0, ''];
  for (const [, letters = '', row] of sheet.matchAll(/<(?:\w+:)?c [^>]*?\br="([A-Z]{1,3})(\d{1,7})"/g)) {
    rows = Math.max(rows, Number(row));
    const column = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
    if (column > columns) [columns, last] = [column, letters];
  }
  if (rows * columns > maximumCells)
    throw new UnusableFile(
      t`The list reaches to the cell ${last}${rows}. Delete unused rows and columns, and drop the file again.`,
    );
}

function refuse(error: unknown): never {
  if (error instanceof UnusableFile) throw error;
  throw new UnusableFile(unreadableFormat());
}

const hasCell = ({ data }: Sheet, test: (cell: unknown) => boolean) => data.some((row) => row.some(test));

/** The library declares dates as the class `Date`. */
const cellText = (cell: CellValue | Date | null) =>
  cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell ?? '');
