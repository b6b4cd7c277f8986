/**
 * Writes CSV (RFC 4180) in UTF-8 with a byte order mark, without which Excel assumes another encoding. Texts cannot
 * become formulas (security 43).
 */
import { formatCsvCell } from '@vestibule/contract/rules/spreadsheet-text';

/** Cell of an export. Times are in UTC, days are texts such as `2026-12-31`. */
export type ExportCell = string | number | Date | null;

/** Column of an export. `width` in characters, for the spreadsheet. */
export type ExportColumn = { label: string; width: number; isDay?: boolean };

export async function* csvFile(
  columns: ExportColumn[],
  batches: AsyncIterable<ExportCell[][]>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`\uFEFF${line(columns.map(({ label }) => label))}`);
  for await (const rows of batches) yield Buffer.from(rows.map(line).join(''));
}

const line = (cells: ExportCell[]): string => `${cells.map(cellText).join(',')}\r\n`;

function cellText(cell: ExportCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  // Format that spreadsheets of every language recognize.
  if (cell instanceof Date) return cell.toISOString().slice(0, 19).replace('T', ' ');
  return formatCsvCell(cell);
}
