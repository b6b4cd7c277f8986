/** Parses the recipients in a file. Runs in a worker, because files can be arbitrary. */
import { t } from '@lingui/core/macro';
import { cutText } from '@vestibule/contract/rules/cut-text';
import { batchMaximum } from '@vestibule/contract/rules/limits';
import type { Row } from '../../../../lib/tables/rows.ts';
import { isAddress, isBareAddress, readRows, roleOf, tooManyRows } from './cells.ts';
import { tooLarge, UnusableFile, type FileText } from '../../../../lib/tables/file-text.ts';
import { findColumns, findTitleRow } from './find-columns.ts';
import { plainList, type ReadChoices, type Columns, type Field, type List } from './list-columns.ts';
import { unquote } from '../../../../lib/tables/quotes.ts';
import { readTypedAddresses, type Entry } from './typed-addresses.ts';
import { readVCards } from './vcards.ts';

/** Maximum number of rows named in a note. */
const namedInNote = 3;

/** Parses the recipients in the text of a file. Throws `UnusableFile` if there are none, or if the text is `cut`. */
export function readTable(file: FileText, cut: boolean, choices: ReadChoices = {}): List {
  const { text, encoding } = file;
  const { rows, problem } = readRows(text);
  if (problem) throw new UnusableFile(problem);
  if (cut) throw new UnusableFile(tooLarge());
  const cards = readVCards(text);
  if (rows.length === 0 || cards?.entries.length === 0) throw new UnusableFile(t`This file has no rows.`);
  const list = cards ?? readRowsAsList(rows, choices) ?? plainList(readLines(text));
  return { ...list, encoding, choices, notes: [...fileNotes(file), ...list.notes] };
}

/** Returns undefined if the rows are plain addresses instead of a table. */
function readRowsAsList(rows: Row[], choices: ReadChoices): List | undefined {
  const index = findTitleRow(rows);
  if (!choices.columns && index < 0 && isAddressList(rows)) return undefined;
  const content = rows.slice(index + 1);
  const width = rows.slice(0, 200).reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const titles = Array.from(
    { length: width },
    (_, at) => cellTitle(rows[index], at) || columnTitle(at, index < 0 ? cellTitle(rows[0], at) : ''),
  );
  const found = findColumns(content, titles, index >= 0);
  const columns = choices.columns ?? found.columns;
  if (columns.email === undefined)
    throw new UnusableFile(
      t`No column with e-mail addresses was found in this file. Give the column the title “E-mail” and drop the file again.`,
    );
  if (content.length === 0) throw new UnusableFile(t`This file has only a header row.`);
  if (content.length > batchMaximum) throw new UnusableFile(tooManyRows());
  return {
    ...plainList(content.map((row) => toEntry(row, columns))),
    titles,
    columns,
    notes: [
      ...(index > 0 ? [rowsAboveNote(rows.slice(0, index))] : []),
      ...(choices.columns ? [] : found.notes),
    ],
  };
}

const cellTitle = (row: Row | undefined, at: number) =>
  cutText(row?.cells[at]?.replaceAll(/\s+/g, ' ') ?? '', 100);

/** Names a column without a title, with a sample of its content. */
const columnTitle = (at: number, sample: string) =>
  sample ? t`column ${at + 1} (${cutText(sample, 30)})` : t`column ${at + 1}`;

/** Detects one column of addresses, or lines such as `Anna Berg <anna@example.com>, bob@example.com`. */
function isAddressList(rows: readonly Row[]): boolean {
  const sample = rows.slice(0, 200);
  const addressRows = sample.filter(({ cells }) => cells.some(isAddress));
  const isOneColumn = sample.every(({ cells }) => cells.length === 1);
  const named = addressRows.filter(({ cells }) =>
    cells.some((cell) => isAddress(cell) && !isBareAddress(cell)),
  );
  const several = addressRows.filter(({ cells }) => cells.filter(isAddress).length > 1);
  const isAddresses = several.every(({ cells }) => cells.every((cell) => cell === '' || cell.includes('@')));
  return (
    (isOneColumn && sample.some(({ cells }) => cells[0]?.includes('@'))) ||
    named.length > addressRows.length / 2 ||
    (several.length > 0 && isAddresses)
  );
}

/** Parses text without a table. Each recipient has its line number. */
function readLines(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const [at, line] of text.split(/\r\n?|\n/).entries()) {
    for (const entry of readTypedAddresses(line)) entries.push({ ...entry, row: at + 1 });
    if (entries.length > batchMaximum) throw new UnusableFile(tooManyRows());
  }
  return entries;
}

function toEntry({ cells: row, number }: Row, columns: Columns): Entry {
  const cell = (field: Field) => (columns[field] === undefined ? '' : (row[columns[field]] ?? ''));
  const typed = readTypedAddresses(cell('email'));
  const { email, name: nameOfAddress } =
    typed.length === 1 && typed[0] ? typed[0] : { email: cell('email'), name: '' };
  const name =
    unquote(cell('name').replace(/\s*<[^<>]*@[^<>]*>$/, '')) ||
    [unquote(cell('firstName')), unquote(cell('lastName'))].filter(Boolean).join(' ') ||
    nameOfAddress;
  const role = cell('role');
  return {
    // The server rejects longer texts.
    email: cutText(email, 1_000),
    name: cutText(name.replaceAll(/\s+/g, ' '), 1_000),
    ...(role && { role: cutText(roleOf(role) ?? role, 100) }),
    ...(cell('message') && { message: cutText(cell('message'), 4_000) }),
    row: number,
  };
}

function fileNotes({ encoding, notes }: FileText): string[] {
  if (!encoding) return notes;
  return [
    ...notes,
    encoding.used === 'utf-8'
      ? t`This file is UTF-8 with some invalid bytes. Check that names with accents are right, or choose another encoding.`
      : t`This file is not saved as UTF-8. Check that names with accents are right, or choose another encoding.`,
  ];
}

function rowsAboveNote(rows: readonly Row[]): string {
  const named = rows.slice(0, namedInNote).map(({ cells, number }) => t`row ${number}: ${textOf(cells)}`);
  return t`Rows above the titles are not used (${named.join('; ') + (rows.length > namedInNote ? '; …' : '')}).`;
}

function textOf(cells: readonly string[]): string {
  const text = cells.filter(Boolean).join(' · ').replaceAll(/\s+/g, ' ');
  return text.length > 80 ? `${cutText(text, 79)}…` : text;
}
