/** Creates many organizations from a file: choose it, check what would be created, create (R1). */
import { plural, t } from '@lingui/core/macro';
import {
  createOrganizations,
  organizationBatchMaximum,
  type OrganizationRow,
} from '@vestibule/contract/organizations/batch';
import { useRef, useState } from 'react';
import type { RouteResult } from '@vestibule/contract/route';
import { describeFailure } from '../../../language/call-failure.ts';
import { formatMessage } from '../../../language/format-message.ts';
import { call } from '../../../lib/call.ts';
import { encodingOptions, type Encoding } from '../../../lib/tables/encodings.ts';
import {
  UnusableFile,
  maximumBytes,
  readFileText,
  type TextEncoding,
} from '../../../lib/tables/file-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { SelectField } from '../../../ui/fields/field.tsx';
import { FileInput } from '../../../ui/fields/file-input.tsx';
import { RecordList } from '../../../ui/record-list.tsx';
import { runWithErrorToast, toast } from '../../../ui/toast/toast.tsx';
import { countOf } from '../organization-texts.ts';
import { suggestSlug } from '@vestibule/contract/rules/slug';
import { formatNumber } from '../../../language/formats.ts';
import { plain } from '../../../lib/tables/plain.ts';
import { readTableRows, type TableKind } from '../../../lib/tables/rows.ts';

type Problem = RouteResult<typeof createOrganizations>['problems'][number];

/** A file that was read and checked. `position` of a problem is that in `rows`. */
type Checked = OrganizationTable & { file: File; problems: readonly Problem[] };

const toRow = ({ name, slug, seatLimit, expiresOn }: ReadOrganization) => ({
  name,
  slug,
  seatLimit,
  expiresOn,
});

export default function ImportDialog({
  onCreated,
  onClose,
}: {
  onCreated: () => unknown;
  onClose: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [problem, setProblem] = useState('');

  const check = async (file: File, encoding?: Encoding) => {
    setProblem('');
    try {
      const table = await readOrganizations(file, encoding);
      const { problems } = await call(createOrganizations, {
        body: { rows: table.rows.map(toRow), dryRun: true },
      });
      setChecked({ ...table, file, problems });
    } catch (error) {
      setChecked(null);
      setProblem(error instanceof UnusableFile ? error.message : describeFailure(error).message);
    }
  };

  const faulty = new Set(checked?.problems.map(({ row }) => row));
  const good = checked?.rows.filter((_, at) => !faulty.has(at + 1)) ?? [];

  const create = (file: File) =>
    runWithErrorToast(async () => {
      const { created, problems } = await call(createOrganizations, { body: { rows: good.map(toRow) } });
      // Another administrator has used one of the short names since the check.
      if (problems.length > 0) return check(file, checked?.encoding?.used);
      toast.success(
        plural(created, {
          one: '# organization has been created.',
          other: '# organizations have been created.',
        }),
      );
      await onCreated();
      return onClose();
    });

  const chooseButton = (
    <Button variant={checked ? 'secondary' : 'primary'} onClick={() => input.current?.click()}>
      {checked ? t`Choose another file` : t`Choose a file`}
    </Button>
  );
  return (
    <Dialog
      title={t`Create organizations from a file`}
      width={720}
      onClose={onClose}
      actions={
        <>
          {chooseButton}
          {checked && good.length > 0 && (
            <Button variant="primary" onClick={() => create(checked.file)}>
              {createLabel(good.length, faulty.size)}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        <FileInput
          ref={input}
          accept=".xlsx,.csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values"
          onFiles={([file]) => file && void check(file)}
        />
        {!checked && (
          <p>
            {t`An Excel workbook or a CSV file with one organization in each row. Columns: name, and optionally short name, seats and last day. The file is read in your browser.`}
          </p>
        )}
        <div role="alert">{problem && <p className="field-error">{problem}</p>}</div>
        {checked && (
          <Review checked={checked} good={good} onEncoding={(file, encoding) => void check(file, encoding)} />
        )}
      </div>
    </Dialog>
  );
}

const createLabel = (count: number, faulty: number) =>
  faulty === 0
    ? plural(count, { one: 'Create # organization', other: 'Create # organizations' })
    : plural(count, { one: 'Create the other one', other: 'Create the other #' });

function Review({
  checked: { file, rows, problems, encoding },
  good,
  onEncoding,
}: {
  checked: Checked;
  good: readonly ReadOrganization[];
  onEncoding: (file: File, encoding: Encoding) => void;
}) {
  const name = file.name;
  return (
    <>
      <output>
        {problems.length === 0
          ? t`${name}: ${countOf(rows.length)}, all can be created.`
          : t`${name}: ${countOf(good.length)} can be created. The rows with problems are left out; correct them in the file and choose it again.`}
      </output>
      {encoding && (
        <SelectField
          label={t`Which text is correct?`}
          description={t`The file does not say how its letters are stored.`}
          options={encodingOptions(encoding.samples)}
          value={encoding.used}
          onChange={({ target }) => onEncoding(file, target.value as Encoding)}
        />
      )}
      {problems.length > 0 && (
        <section>
          <h3>{t`Problems`}</h3>
          <RecordList
            label={t`Problems`}
            entries={problems.map(({ row, field, problem }) => {
              const found = rows[row - 1];
              const number = found?.row ?? row;
              return {
                id: `${row} ${field}`,
                text: t`Row ${number}: ${found?.name || '–'}`,
                detail: `${fieldNames()[field]}: ${formatMessage(withFileRow(problem, rows))}`,
              };
            })}
          />
        </section>
      )}
      {good.length > 0 && (
        <section>
          <h3>{t`To be created`}</h3>
          <RecordList
            label={t`To be created`}
            entries={good.map(({ row, name: organization, slug, seatLimit, expiresOn }) => ({
              id: row,
              text: organization,
              detail: [slug, seatLimit && t`Seats: ${seatLimit}`, expiresOn && t`Last day: ${expiresOn}`]
                .filter(Boolean)
                .join(' · '),
            }))}
          />
        </section>
      )}
    </>
  );
}

/** The server counts the rows that it got; the user sees the rows of the file. */
function withFileRow(problem: Problem['problem'], rows: readonly ReadOrganization[]): Problem['problem'] {
  const row = problem.values?.['row'];
  const number = typeof row === 'number' ? rows[row - 1]?.row : undefined;
  return number === undefined ? problem : { ...problem, values: { ...problem.values, row: number } };
}

const fieldNames = (): Record<Problem['field'], string> => ({
  name: t`Name`,
  slug: t`Short name`,
  seatLimit: t`Seats`,
  expiresOn: t`Last day`,
});

/** Row with its number in the file. */
type ReadOrganization = Required<OrganizationRow> & { row: number };

type OrganizationTable = { rows: ReadOrganization[]; encoding: TextEncoding };

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
  const { text, encoding } = await readFileText(bytes, file.size > maximumBytes, chosen);
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
