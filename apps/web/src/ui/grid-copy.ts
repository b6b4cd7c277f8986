// Copying out of a grid, as text that spreadsheets take: tabs between cells, line breaks between rows.
import { cellText, type GridColumn } from './grid-column.ts';

/** Rows as tab-separated text. */
export function rowsAsText<Row>(columns: readonly GridColumn<Row>[], rows: readonly Row[]): string {
  return rows.map((row) => columns.map((column) => cell(cellText(column, row))).join('\t')).join('\n');
}

/** A tab or a line break inside a cell would begin another one: such a cell stands in quotes, as spreadsheets write it. */
function cell(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
