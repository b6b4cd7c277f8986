/** Finds the titles and columns of a list. */
import { t } from '@lingui/core/macro';
import type { Row } from '../../../../lib/tables/rows.ts';
import { isAddress, isBareAddress, roleOf } from './cells.ts';
import { fieldsOfTitle, rateTitles } from './column-titles.ts';
import type { Columns, Field } from './list-columns.ts';

/** Number of rows used for detection. */
const sampleSize = 200;

/** Number of rows at the start in which the titles are searched: a heading, version, date or organizer may be above the titles. */
const titleRowMaximum = 20;

/** Returns the index of the row with the most known titles, or -1 if no row has any. */
export function findTitleRow(rows: readonly Row[]): number {
  const first = rows.slice(0, titleRowMaximum);
  const scores = first.map(({ cells }, index) => {
    if (cells.some(isAddress)) return 0;
    // A single cell such as "Text" below an address may be content.
    const isAmongAddresses = first.slice(0, index).some((row) => row.cells.some(isAddress));
    const isSingle = cells.filter((cell) => fieldsOfTitle(cell).length > 0).length < 2;
    return isSingle && isAmongAddresses ? 0 : rateTitles(cells);
  });
  const most = Math.max(0, ...scores);
  return most > 0 ? scores.indexOf(most) : -1;
}

/** Finds the columns by titles and content. `notes` describe uncertain columns. */
export function findColumns(
  rows: readonly Row[],
  titles: readonly string[],
  /** The titles were recognized. */
  isKnown: boolean,
): { columns: Columns; notes: string[] } {
  const sample = rows.slice(0, sampleSize);
  const share = shareIn(sample);
  const columns: Columns = {};
  /**
   * Assigns to the field the column with the best title and, among equal titles, the best content. A title can be ambiguous: "Address" may
   * be the street, and "Contact" a name.
   */
  const assign = (field: Field, rateContent: (at: number) => number) => {
    const [best] = titles
      .flatMap((title, at) => {
        const found = isKnown && fieldsOfTitle(title).find((one) => one.field === field);
        const content = found ? rateContent(at) : 0;
        return found && content > 0 ? [{ at, rank: found.rank, content }] : [];
      })
      .toSorted((one, other) => one.rank - other.rank || other.content - one.content);
    if (best) columns[field] = best.at;
    return best !== undefined;
  };
  if (!assign('email', (at) => share(at, isAddress))) {
    const [best] = columnsByContent(sample);
    // A title counts more than an @ in a column without valid addresses.
    const isOnlyTitle = (at: number) =>
      Number(fieldsOfTitle(titles[at] ?? '').every(({ field }) => field === 'email'));
    const isValid = best !== undefined && share(best, isAddress) > 0;
    if (isValid || (!assign('email', isOnlyTitle) && best !== undefined)) columns.email = best;
  }
  for (const field of ['name', 'firstName', 'lastName', 'role', 'message'] as const)
    assign(field, (at) => Number(at !== columns.email && share(at, isBareAddress) < 0.5));
  splitName(columns, sample);
  const notes = removeOtherRoles(columns, sample, titles);
  if (Object.keys(columns).length === 1) notes.push(...findNames(columns, rows, titles, isKnown));
  return { columns, notes };
}

/** Returns the columns with addresses, sorted by their number of addresses. Without valid addresses, returns columns with an @. */
function columnsByContent(rows: readonly Row[]): number[] {
  const share = shareIn(rows.slice(0, sampleSize));
  const sortedByMatches = (matches: (cell: string) => boolean) =>
    columnIndexes(rows)
      .filter((at) => share(at, matches) > 0)
      .toSorted((one, other) => share(other, matches) - share(one, matches));
  const valid = sortedByMatches(isAddress);
  return valid.length > 0 ? valid : sortedByMatches((cell) => cell.includes('@'));
}

/**
 * Treats a column "Name" beside "First name" as the last name, unless it contains the first name. Likewise, treats "Name" beside "Last
 * name" as the first name.
 */
function splitName(columns: Columns, sample: readonly Row[]): void {
  const { name, firstName, lastName } = columns;
  const part = firstName ?? lastName;
  if (name === undefined || part === undefined || (firstName !== undefined && lastName !== undefined)) return;
  const isWhole = ({ cells }: Row) => {
    const word = cells[part]?.toLowerCase();
    return Boolean(word) && cells[name]?.toLowerCase().includes(word ?? '');
  };
  if (sample.filter(isWhole).length > sample.length / 2) return;
  delete columns.name;
  columns[firstName === undefined ? 'firstName' : 'lastName'] = name;
}

/** Removes a column with other roles, such as _Presenter_ in reports of meetings. Returns a note. */
function removeOtherRoles(columns: Columns, sample: readonly Row[], titles: readonly string[]): string[] {
  const { role } = columns;
  if (role === undefined) return [];
  const values = sample.map(({ cells }) => cells[role] ?? '').filter(Boolean);
  const [value] = values;
  if (value === undefined || values.some(roleOf)) return [];
  delete columns.role;
  const title = titles[role] ?? '';
  return [t`“${title}” is not used: it has other values (${value}) than the roles Member and Administrator.`];
}

const nameWords = /^\p{L}[\p{L}\p{M}.'’-]*(?:,? [\p{L}\p{M}.'’-]+)*$/u;

/** Returns whether a cell may be a name, such as `Anna 2 Berg` or `2 Brothers`. Numbers, dates and addresses are not names. */
const isNameText = (cell: string) => /\p{L}{2}/u.test(cell) && !/[@/\\]/.test(cell);

/** Finds names by content if no title says which column has them. */
function findNames(
  columns: Columns,
  rows: readonly Row[],
  titles: readonly string[],
  isKnown: boolean,
): string[] {
  const share = shareIn(rows.slice(0, sampleSize));
  const others = columnIndexes(rows).filter((at) => at !== columns.email);
  // Unlike names, departments are repeated.
  const isVaried = (at: number) =>
    new Set(rows.slice(0, sampleSize).map(({ cells }) => cells[at])).size >
    Math.min(rows.length, sampleSize) / 4;
  const columnsLike = (matches: (cell: string) => boolean) =>
    others.filter((at) => share(at, matches) > 0.5 && isVaried(at));
  const likely = columnsLike((cell) => nameWords.test(cell));
  const found = likely.length > 0 || isKnown ? likely : columnsLike(isNameText);
  // In `Berg, Anna, anna@example.com, Sales` the two columns before the address are the name.
  const before = found.filter((at) => at < (columns.email ?? 0));
  const names = before.length > 1 ? before : found;
  // The names of towns may have two words too, but rarely most of a list.
  const whole = names.find(
    (at) => share(at, (cell) => cell.includes(' ') && nameWords.test(cell)) > (isKnown ? 0.5 : 0.3),
  );
  const title = (at: number | undefined) => (at === undefined ? '' : (titles[at] ?? ''));
  if (whole !== undefined) {
    columns.name = whole;
    return [t`“${title(whole)}” is read as the name because of its content.`];
  }
  if (isKnown) return [];
  const [first, last, more] = names;
  if (first === undefined || more !== undefined) return [];
  if (last === undefined) {
    columns.name = first;
    return [t`“${title(first)}” is read as the name because of its content.`];
  }
  columns.firstName = first;
  columns.lastName = last;
  return [
    t`“${title(first)}” is read as the first name and “${title(last)}” as the last name because of their content.`,
  ];
}

const shareIn = (rows: readonly Row[]) => (at: number, matches: (cell: string) => boolean) =>
  rows.filter(({ cells }) => matches(cells[at] ?? '')).length / Math.max(rows.length, 1);

function columnIndexes(rows: readonly Row[]): number[] {
  const width = rows.slice(0, sampleSize).reduce((most, { cells }) => Math.max(most, cells.length), 0);
  return Array.from({ length: width }, (_, at) => at);
}
