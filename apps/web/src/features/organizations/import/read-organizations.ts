/** Reads organizations from a table, such as a CSV file of Excel (R1). The file is not sent to the server. */
import { t } from '@lingui/core/macro';
import { organizationBatchMaximum, type OrganizationRow } from '@vestibule/contract/organizations/batch';
import { suggestSlug } from '@vestibule/contract/rules/slug';
import { formatNumber } from '../../../language/formats.ts';
import type { Encoding } from '../../../lib/tables/encodings.ts';
import { decodeText, maximumBytes, UnusableFile, type TextEncoding } from '../../../lib/tables/file-text.ts';
import { loadDetector } from '../../../lib/tables/load-detector.ts';
import { plain } from '../../../lib/tables/plain.ts';
import { readTableRows, type TableKind } from '../../../lib/tables/rows.ts';

/** Row with its number in the file. */
export type ReadOrganization = Required<OrganizationRow> & { row: number };

export type OrganizationTable = {
  rows: ReadOrganization[];
  encoding: TextEncoding;
};

type Field = keyof OrganizationRow;

/** Titles of columns in English, German and French, without blanks and accents. */
const titles: Record<Field, RegExp> = {
  name: /^(?:names?|nom|organi[sz]ations?(?:name)?|organisationsname|firm(?:a|enname)|company(?:name)?|kunden?(?:name)?|customers?(?:name)?|partner|abteilung|department|entreprise|societe)$/,
  slug: /^(?:slug|short(?:name)?|kurzname|kuerzel|kennung|nomcourt)$/,
  seatLimit: /^(?:seats?(?:limit)?|licen[cs]es?|(?:sitz)?plaetze|lizenzen|maxmembers|places)$/,
  expiresOn:
    /^(?:lastday|expir(?:es|y|ation)(?:on|date|day)?|validuntil|letztertag|ablauf(?:datum)?|gueltigbis|ende?(?:date|datum)?|dernierjour)$/,
};
const fields = Object.keys(titles) as Field[];

const fieldOf = (title: string) => fields.find((field) => titles[field].test(plain(title.slice(0, 100))));
const knownIn = (cells: readonly string[]) =>
  new Set(cells.map(fieldOf).filter((field) => field !== undefined));

/** Number of rows at the start in which the titles are searched. */
const titleRowMaximum = 20;

const kind = (): TableKind => ({
  rate: (rows) => [Math.max(0, ...rows.slice(0, titleRowMaximum).map((cells) => knownIn(cells).size))],
  maximumRows: organizationBatchMaximum,
  tooManyRows,
});

const tooManyRows = () =>
  t`This is more than ${formatNumber(organizationBatchMaximum)} organizations. Split the file and create one part at a time.`;

/** Throws `UnusableFile` if the file contains no organizations. */
export async function readOrganizations(file: Blob, chosen?: Encoding): Promise<OrganizationTable> {
  const bytes = new Uint8Array(await file.slice(0, maximumBytes).arrayBuffer());
  const detect = await loadDetector(bytes, chosen);
  const { text, encoding } = decodeText(bytes, false, { chosen, detect });
  const { rows, problem } = readTableRows(text, kind());
  if (problem !== undefined) throw new UnusableFile(problem);
  if (file.size > maximumBytes) throw new UnusableFile(tooManyRows());
  // A title and a date may be above the titles of the columns.
  const known = rows.slice(0, titleRowMaximum).map(({ cells }) => knownIn(cells));
  const titleRow = known.findIndex((found) => found.has('name'));
  const columns = columnsOf(rows[titleRow]?.cells);
  const content = rows.slice(titleRow + 1);
  if (content.length === 0) throw new UnusableFile(t`This file contains no organizations.`);
  if (content.length > organizationBatchMaximum) throw new UnusableFile(tooManyRows());
  const organizations = content.map(({ cells, number: row }) => {
    const cell = (field: Field) => (cells[columns[field]] ?? '').slice(0, cellMaximum);
    const name = cell('name');
    return {
      row,
      name,
      slug: cell('slug') || suggestSlug(name),
      seatLimit: cell('seatLimit'),
      expiresOn: isoDay(cell('expiresOn')),
    };
  });
  return { rows: organizations, encoding };
}

/** Longer cells are invalid in any case. */
const cellMaximum = 300;

/** Without titles, the columns are in the order of `fields`. */
function columnsOf(cells: readonly string[] | undefined): Record<Field, number> {
  const found = cells?.map(fieldOf);
  return Object.fromEntries(fields.map((field, at) => [field, found ? found.indexOf(field) : at])) as Record<
    Field,
    number
  >;
}

/** `31.12.2027` becomes `2027-12-31`. The order of day and month in other spellings is ambiguous; the server rejects them. */
function isoDay(text: string): string {
  const [, day = '', month = '', year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  return year === undefined ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}
