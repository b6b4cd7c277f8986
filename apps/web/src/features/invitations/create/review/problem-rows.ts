/** The rows of a dry run that nothing will come of, as a CSV file to correct them in. */
import { formatCsvCell } from '@vestibule/contract/rules/spreadsheet-text';
import { formatMessage } from '../../../../language/format-message.ts';
import type { DraftRow } from '../invite-draft.ts';

/** The file's text: with a byte order mark, without which Excel takes UTF-8 for something else. */
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
