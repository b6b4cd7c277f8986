import { formatTabSeparated } from '@vestibule/contract/rules/spreadsheet-text';
import { formatMessage } from '../../../../language/format-message.ts';
import type { DraftRow } from '../invite-draft.ts';

/**
 * Returns the rows as text that Excel opens in columns in every language: UTF-16 with a byte order mark, separated by tabs. With commas, an
 * Excel whose list separator is a semicolon, as in German, puts all of a row into one cell.
 */
export function formatProblemRows(rows: readonly DraftRow[]): Uint8Array<ArrayBuffer> {
  const lines = rows.map(({ email, name, role = '', message = '', check }) => [
    email,
    name,
    role,
    message,
    check ? formatMessage(check) : '',
  ]);
  const text = `\uFEFF${formatTabSeparated([['email', 'name', 'role', 'message', 'problem'], ...lines])}\n`;
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), true);
  return bytes;
}
