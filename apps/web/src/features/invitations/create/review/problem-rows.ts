import { formatCsvCell } from '@vestibule/contract/rules/spreadsheet-text';
import { formatMessage } from '../../../../language/format-message.ts';
import type { DraftRow } from '../invite-draft.ts';

/** Returns the rows as CSV with a byte order mark, which Excel requires for UTF-8. */
export function problemRowsAsCsv(rows: readonly DraftRow[]): string {
  const lines = rows.map(({ email, name, role = '', message = '', check }) => [
    email,
    name,
    role,
    message,
    check ? formatMessage(check) : '',
  ]);
  return `\uFEFF${[['email', 'name', 'role', 'message', 'problem'], ...lines]
    .map((cells) => cells.map(formatCsvCell).join(','))
    .join('\r\n')}\r\n`;
}
