/** Splits the text of a table, such as CSV, into rows and cells. */
import { t } from '@lingui/core/macro';
import { unescapeFormulas } from '@vestibule/contract/rules/spreadsheet-text';
import Papa from 'papaparse';
import { withoutBlanksBeforeQuotes } from './quotes.ts';

export type Row = { cells: string[]; number: number };

/** Maximum number of columns, more than any list has. */
const maximumColumns = 200;

/** Number of characters that are used to detect the delimiter. */
const sampleLength = 50_000;

const delimiters = [',', ';', '\t', '|'] as const;

export type TableKind = {
  /** Scores how well the first rows are split; earlier scores count more. */
  rate: (rows: readonly string[][]) => number[];
  /** Without the title row. */
  maximumRows: number;
  tooManyRows: () => string;
};

/** Returns the non-empty rows with their numbers, or in `problem` why the text is unusable. */
export function readTableRows(text: string, kind: TableKind): { rows: Row[]; problem?: string } {
  const { maximumRows } = kind;
  // Excel declares the delimiter in a line that it does not show as a row. Other programs write it in quotation marks, or with empty cells.
  const declared = /^(?:sep=(.)|"sep=(.)")[,;\t|]*(?:\r\n?|\n)/i.exec(text);
  const content = text.slice(declared?.[0].length ?? 0).replaceAll(/\r\n?/g, '\n');
  const rows: Row[] = [];
  let problem: string | undefined;
  let row = 0;
  split(content, declared?.[1] ?? declared?.[2] ?? detectDelimiter(content, kind), {
    step({ data, errors }, parser) {
      row += 1;
      if (errors.some(({ code }) => code === 'MissingQuotes'))
        problem = t`In row ${row}, a quotation mark is never closed. Correct the row and drop the file again.`;
      const cells = data.slice(0, maximumColumns).map(cleanCell);
      if (cells.some(Boolean)) rows.push({ cells, number: row });
      if (data.length > maximumColumns && data.slice(maximumColumns).some((cell) => cell.trim()))
        problem = t`Row ${row} has more than ${maximumColumns} columns. Remove columns that are not needed and drop the file again.`;
      // The title row is not counted.
      if (rows.length > maximumRows + 1) problem = kind.tooManyRows();
      if (rows.length > maximumRows + 1 || data.length > maximumColumns) parser.abort();
    },
  });
  return problem === undefined ? { rows } : { rows, problem };
}

/** Detects the delimiter by the scores of the rows; on a tie by the number of columns. */
function detectDelimiter(content: string, { rate }: TableKind): string {
  const sample = content.slice(0, sampleLength);
  const scored = delimiters.map((delimiter) => {
    const rows: string[][] = [];
    split(sample, delimiter, {
      preview: 100,
      step: ({ data }) => rows.push(data.slice(0, maximumColumns).map(cleanCell)),
    });
    const widths = rows.map((cells) => cells.length).toSorted((one, other) => one - other);
    return { delimiter, scores: [...rate(rows), widths[Math.floor(widths.length / 2)] ?? 0] };
  });
  const [best] = scored.toSorted(
    ({ scores: one }, { scores: other }) =>
      one.map((score, at) => (other[at] ?? 0) - score).find((difference) => difference !== 0) ?? 0,
  );
  return best?.delimiter ?? ',';
}

function split(
  content: string,
  delimiter: string,
  options: Pick<Papa.ParseLocalConfig<string[], string>, 'preview'> & {
    step: (result: Papa.ParseStepResult<string[]>, parser: Papa.Parser) => void;
  },
): void {
  Papa.parse<string[]>(withoutBlanksBeforeQuotes(content, delimiter), {
    delimiter,
    newline: '\n',
    ...options,
  });
}

/** Some programs write texts as formulas (`="0042"`), which Excel does not convert to numbers. */
function cleanCell(cell: string): string {
  const text = cell.trim();
  return unescapeFormulas(/^="([^"]*)"$/.exec(text)?.[1] ?? text);
}
