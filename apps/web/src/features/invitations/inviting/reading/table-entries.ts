/**
 * Reads a CSV or TSV file into the entries of a bulk invitation. Columns are found by their titles, in English and
 * German, or by what is in them where there are no titles. Runs in a worker (see read-list.ts), since a file can be
 * anything.
 */
import { t } from '@lingui/core/macro';
import { batchMaximum } from '@vestibule/contract/rules/limits';
import Papa from 'papaparse';
import { formatNumber } from '../../../../language/formats.ts';
import { decodeText, maximumBytes, UnusableFile } from './file-text.ts';
import type { Columns, Field, List } from './list-columns.ts';
import type { Entry } from './typed-addresses.ts';

/** More columns than any list of people has; what stands beyond is not looked at. */
const maximumColumns = 200;

/** Titles as `plain` writes them. */
const titles: Record<Field, RegExp> = {
  email:
    /^(?:work|user|primary|geschaeftliche)?e?mail(?:addr|address|adresse|geschaeftlich)?$|^(?:adresse|address|to|recipient|empfaenger|upn|userprincipalname)$/,
  name: /^(?:full|display|voller|vollstaendiger|anzeige)?name$|^(?:person|contact|kontakt|mitarbeiter|employee)$/,
  firstName: /^(?:first|given|fore|vor|ruf)name$|^first$/,
  lastName: /^(?:last|sur|family|nach|familien|zu)name$|^last$/,
  role: /^(?:role|rolle|rechte?|permission|access|zugriff|berechtigung|usertype)$/,
  message: /^(?:personal|persoenliche)?(?:message|nachricht)$|^(?:text|gruss|greeting)$/,
};

/** Roles as people write them; any other text is left to the server to refuse. */
const roles: Record<string, 'member' | 'admin'> = {
  member: 'member',
  mitglied: 'member',
  user: 'member',
  benutzer: 'member',
  nutzer: 'member',
  admin: 'admin',
  administrator: 'admin',
  administratorin: 'admin',
};

/**
 * The entries of a file, of which `bytes` are the first `maximumBytes`. `chosen` says by hand what its columns are. Throws
 * `UnusableFile` when there are no entries.
 */
export function readTable(bytes: Uint8Array, size: number, chosen?: Columns): List {
  const cut = size > bytes.length;
  const { rows, problem } = readRows(decodeText(bytes, cut));
  if (problem) throw new UnusableFile(problem);
  if (cut)
    throw new UnusableFile(
      t`This file is larger than ${maximumBytes / 1024 ** 2} MB. Remove columns that are not needed, or split it into smaller files.`,
    );
  const [first] = rows;
  if (!first) throw new UnusableFile(t`This file has no rows.`);
  const columns = chosen ?? findColumns(rows.map(({ cells }) => cells));
  if (columns.email === undefined)
    throw new UnusableFile(
      t`No column with e-mail addresses was found in this file. Give the column the title “E-mail” and drop the file again.`,
    );
  const hasTitles = !first.cells.some((cell) => cell.includes('@'));
  const entries = (hasTitles ? rows.slice(1) : rows).map((row) => toEntry(row, columns));
  if (entries.length === 0) throw new UnusableFile(t`This file has only a header row.`);
  return {
    entries,
    titles: Array.from(
      { length: rows.slice(0, sampled).reduce((most, { cells }) => Math.max(most, cells.length), 0) },
      (_, at) => (hasTitles && first.cells[at]?.slice(0, 100)) || t`column ${at + 1}`,
    ),
    columns,
  };
}

type Row = { cells: string[]; number: number };

/** The rows that are not empty, each with its number in the file. */
function readRows(text: string): { rows: Row[]; problem?: string } {
  // Excel writes the delimiter into a line of its own, for itself.
  const declared = /^sep=(.)\r?\n/i.exec(text);
  const rows: Row[] = [];
  let problem: string | undefined;
  let row = 0;
  Papa.parse<string[]>(text.slice(declared?.[0].length ?? 0).replaceAll(/\r\n?/g, '\n'), {
    delimiter: declared?.[1] ?? guessDelimiter(text),
    newline: '\n',
    step({ data, errors }, parser) {
      row += 1;
      if (errors.some(({ code }) => code === 'MissingQuotes'))
        problem = t`In row ${row}, a quotation mark is never closed. Correct the row and drop the file again.`;
      const cells = data.slice(0, maximumColumns).map((cell) => cell.trim());
      if (cells.some(Boolean)) rows.push({ cells, number: row });
      // One more for the titles.
      if (rows.length > batchMaximum + 1) {
        problem = tooMany(batchMaximum);
        parser.abort();
      }
    },
  });
  return problem === undefined ? { rows } : { rows, problem };
}

/** The one that the first row has most of; of equally many the one that stands in names least. */
function guessDelimiter(text: string): string {
  const row = /^.*\S.*$/m.exec(text.slice(0, 10_000))?.[0].replaceAll(/"[^"]*"/g, '') ?? '';
  const count = (delimiter: string) => row.split(delimiter).length;
  const [most = ','] = ['\t', ';', '|', ','].toSorted((one, other) => count(other) - count(one));
  return most;
}

/** What is said to more addresses than one batch takes. */
function tooMany(maximum: number): string {
  return t`This is more than ${formatNumber(maximum)} rows. Split it and invite one part at a time.`;
}

/** The first rows, by which columns are told apart. */
const sampled = 200;

function findColumns(rows: readonly string[][]): Columns {
  const first = rows[0] ?? [];
  const columns: Columns = {};
  if (!first.some((cell) => cell.includes('@')))
    for (const [at, cell] of first.entries()) {
      const field = (Object.keys(titles) as Field[]).find((one) => titles[one].test(plain(cell)));
      if (field && columns[field] === undefined) columns[field] = at;
    }
  const sample = rows.slice(0, sampled);
  const share = (at: number, is: (cell: string) => boolean) =>
    sample.filter((row) => is(row[at] ?? '')).length / sample.length;
  const places = Array.from({ length: Math.max(...sample.map((row) => row.length)) }, (_, at) => at);
  const addresses = (at: number) => share(at, (cell) => cell.includes('@'));
  // “Address” may well be the street.
  if (columns.email === undefined || addresses(columns.email) === 0) {
    const [best] = places.toSorted((one, other) => addresses(other) - addresses(one));
    if (best !== undefined && addresses(best) > 0) columns.email = best;
  }
  if (Object.keys(columns).length <= 1 && columns.email !== undefined) {
    const isWords = (cell: string) => /^\p{L}[\p{L}.'’-]*(?: [\p{L}.'’-]+)+$/u.test(cell);
    const name = places.find((at) => at !== columns.email && share(at, isWords) > 0.5);
    if (name !== undefined) columns.name = name;
  }
  return columns;
}

function toEntry({ cells: row, number }: Row, columns: Columns): Entry {
  const cell = (field: Field) => (columns[field] === undefined ? '' : (row[columns[field]] ?? ''));
  const named = /^(.*?)\s*<\s*([^<>]*@[^<>]*)\s*>$/s.exec(cell('email'));
  const email = (named?.[2] ?? cell('email')).replace(/^mailto:/i, '');
  const name = cell('name') || [cell('firstName'), cell('lastName')].filter(Boolean).join(' ') || named?.[1];
  const role = cell('role');
  return {
    // No longer than the server takes: what is cut is no address and no name anyway.
    email: email.slice(0, 1_000),
    name: (name ?? '').replaceAll(/\s+/g, ' ').slice(0, 1_000),
    ...(role && { role: (roles[plain(role)] ?? role).slice(0, 100) }),
    ...(cell('message') && { message: cell('message').slice(0, 4_000) }),
    row: number,
  };
}

/** `E-Mail Adresse (geschäftlich)` and `email-adresse geschaeftlich` are one title. */
function plain(title: string): string {
  return title
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^a-z]/g, '');
}
