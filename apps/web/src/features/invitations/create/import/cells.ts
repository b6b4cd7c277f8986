/** Splits the text of a list into cells. */
import { t } from '@lingui/core/macro';
import { batchMaximum } from '@vestibule/contract/rules/limits';
import { unescapeFormulas } from '@vestibule/contract/rules/spreadsheet-text';
import Papa from 'papaparse';
import { formatNumber } from '../../../../language/formats.ts';
import { rateTitles } from './column-titles.ts';
import { withCsvQuotes } from './quotes.ts';
import { readTypedAddresses } from './typed-addresses.ts';

export type Row = { cells: string[]; number: number };

/** Maximum number of columns, more than any list of people has. */
const maximumColumns = 200;

/** Number of characters that are used to detect the delimiter. */
const sampleLength = 50_000;

const delimiters = [',', ';', '\t', '|'] as const;

/** Returns the non-empty rows with their numbers, or in `problem` why the text is unusable. */
export function readRows(text: string): { rows: Row[]; problem?: string } {
  // Excel declares the delimiter in a line that it does not show as a row.
  const declared = /^sep=(.)\r?\n/i.exec(text);
  const content = text.slice(declared?.[0].length ?? 0).replaceAll(/\r\n?/g, '\n');
  const rows: Row[] = [];
  let problem: string | undefined;
  let row = 0;
  split(content, declared?.[1] ?? detectDelimiter(content), {
    step({ data, errors }, parser) {
      row += 1;
      if (errors.some(({ code }) => code === 'MissingQuotes'))
        problem = t`In row ${row}, a quotation mark is never closed. Correct the row and drop the file again.`;
      const cells = data.slice(0, maximumColumns).map(cleanCell);
      if (cells.some(Boolean)) rows.push({ cells, number: row });
      if (data.length > maximumColumns && data.slice(maximumColumns).some((cell) => cell.trim()))
        problem = t`Row ${row} has more than ${maximumColumns} columns. Remove columns that are not needed and drop the file again.`;
      // The title row is not counted.
      if (rows.length > batchMaximum + 1) problem = tooManyRows();
      if (rows.length > batchMaximum + 1 || data.length > maximumColumns) parser.abort();
    },
  });
  return problem === undefined ? { rows } : { rows, problem };
}

export function tooManyRows(): string {
  return t`This is more than ${formatNumber(batchMaximum)} rows. Split it and invite one part at a time.`;
}

/** Returns whether a cell is an address, or a name with an address in angle brackets. */
export function isAddress(cell: string): boolean {
  return (
    isBareAddress(cell) || (cell.length < 1_000 && /^[^@<>]*<\s*[^\s@,;|<>]+@[^\s@,;|<>]+\s*>$/.test(cell))
  );
}

/** Returns whether a cell is only an address. Principal names of guests in Entra ID are not addresses. */
export function isBareAddress(cell: string): boolean {
  return (
    cell.length < 1_000 && /^(?:mailto:)?[^\s@,;|<>"]+@[^\s@,;|<>"]+$/i.test(cell) && !/#ext#@/i.test(cell)
  );
}

/**
 * Detects the delimiter by the number of known titles; on a tie by the number of rows in which addresses are separate from other text, then
 * by the number of columns.
 */
function detectDelimiter(content: string): string {
  const sample = content.slice(0, sampleLength);
  const scored = delimiters.map((delimiter) => {
    const rows: string[][] = [];
    split(sample, delimiter, {
      preview: 100,
      step: ({ data }) => rows.push(data.slice(0, maximumColumns).map(cleanCell)),
    });
    const titles = rows.slice(0, 20).map((cells) => (cells.some(isAddress) ? 0 : rateTitles(cells)));
    const widths = rows.map((cells) => cells.length).toSorted((one, other) => one - other);
    return {
      delimiter,
      scores: [
        Math.max(0, ...titles),
        rows.filter(hasSeparateAddresses).length,
        widths[Math.floor(widths.length / 2)] ?? 0,
      ],
    };
  });
  const [best] = scored.toSorted(
    ({ scores: one }, { scores: other }) =>
      one.map((score, at) => (other[at] ?? 0) - score).find((difference) => difference !== 0) ?? 0,
  );
  return best?.delimiter ?? ',';
}

/** Returns whether a row contains addresses and every cell with an @ consists only of addresses, bare or as `Name <address>`. */
function hasSeparateAddresses(cells: readonly string[]): boolean {
  const found = cells.filter((cell) => cell.includes('@'));
  return (
    found.length > 0 &&
    found.every(
      (cell) =>
        isAddress(cell) ||
        readTypedAddresses(cell.slice(0, 1_000)).every(({ email }) => isBareAddress(email)),
    )
  );
}

function split(
  content: string,
  delimiter: string,
  options: Pick<Papa.ParseLocalConfig<string[], string>, 'preview'> & {
    step: (result: Papa.ParseStepResult<string[]>, parser: Papa.Parser) => void;
  },
): void {
  Papa.parse<string[]>(withCsvQuotes(content, delimiter), { delimiter, newline: '\n', ...options });
}

function cleanCell(cell: string): string {
  return unescapeFormulas(cell.trim());
}
