/** The rows of a dry run that nothing will come of, as a CSV file to correct them in. */
import type { DraftRow } from './invite-draft.ts';

/** The file's text: with a byte order mark, without which Excel takes UTF-8 for something else. */
export function problemRowsAsCsv(rows: readonly DraftRow[]): string {
  const lines = rows.map(({ email, name, role = '', message = '', check }) => [
    email,
    name,
    role,
    message,
    check?.message ?? '',
  ]);
  return `\uFEFF${[['email', 'name', 'role', 'message', 'problem'], ...lines]
    .map((cells) => cells.map((cell) => quote(cell)).join(','))
    .join('\r\n')}\r\n`;
}

/** A cell that a spreadsheet would take for a formula becomes text (security 43). */
function quote(cell: string): string {
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
