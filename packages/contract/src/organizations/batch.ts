/** Creates many organizations, for example from a spreadsheet. */
import * as z from 'zod/mini';
import { NewOrganization } from '../organizations.ts';
import { suggestSlug } from '../rules/slug.ts';
import { defineRoute } from '../route.ts';
import { defineTexts, findSchemaMessage, createMessage, Message } from '../texts/text.ts';
import { rawText } from '../values.ts';

export const organizationBatchMaximum = 1_000;

const cell = rawText(300);

/** Unchecked row. Without a short name, it is derived from the name. */
const OrganizationRow = z.strictObject({
  name: cell,
  slug: z.optional(cell),
  /** Whole number; empty for no limit. */
  seatLimit: z.optional(cell),
  /** Last day, such as `2027-12-31`; empty for no end. */
  expiresOn: z.optional(cell),
});
export type OrganizationRow = z.input<typeof OrganizationRow>;

export const organizationRowTexts = defineTexts('organization_row', {
  slugTaken: 'Another organization has the short name {slug}.',
  slugRepeated: 'Row {row} has the same short name {slug}.',
  slugMissing: 'No short name can be derived from this name. Enter one.',
  dayInvalid: 'Enter a day such as 2027-12-31.',
  invalid: 'This value cannot be read.',
});

export type RowProblem = { field: keyof OrganizationRow; problem: Message };

/** Returns the organization of a row, or the first problem of each field. */
export function readOrganizationRow(row: OrganizationRow): z.output<typeof NewOrganization> | RowProblem[] {
  const slug = row.slug?.trim() || suggestSlug(row.name);
  const day = row.expiresOn?.trim() ?? '';
  const seats = row.seatLimit?.trim() ?? '';
  const problems: RowProblem[] = [];
  // The last day ends at midnight UTC.
  const lastDay = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00Z`) : null;
  if (
    day !== '' &&
    (lastDay === null || Number.isNaN(lastDay.getTime()) || !lastDay.toISOString().startsWith(day))
  )
    problems.push({ field: 'expiresOn', problem: createMessage(organizationRowTexts.dayInvalid) });
  if (slug === '' && row.name.trim() !== '')
    problems.push({ field: 'slug', problem: createMessage(organizationRowTexts.slugMissing) });
  if (problems.length > 0) return problems;
  const parsed = NewOrganization.safeParse({
    name: row.name,
    slug,
    seatLimit: seats === '' ? null : Number(seats),
    expiresAt: lastDay ? new Date(lastDay.getTime() + 86_400_000).toISOString() : null,
  });
  if (parsed.success) return parsed.data;
  const byField = new Map<RowProblem['field'], Message>();
  for (const { path, message } of parsed.error.issues) {
    const field = path[0] === 'expiresAt' ? 'expiresOn' : (path[0] as RowProblem['field']);
    if (!byField.has(field))
      byField.set(field, findSchemaMessage(message) ?? createMessage(organizationRowTexts.invalid));
  }
  return [...byField].map(([field, problem]) => ({ field, problem }));
}

export const createOrganizations = defineRoute('POST /api/organizations/batches', {
  access: 'admin',
  summary:
    'Creates all organizations of a list, or none if a row has a problem. `dryRun` only reports the problems.',
  body: z.strictObject({
    rows: z
      .array(OrganizationRow)
      .check(
        z.minLength(1, 'Send at least one row.'),
        z.maxLength(organizationBatchMaximum, `Send at most ${organizationBatchMaximum} rows at a time.`),
      ),
    dryRun: z._default(z.boolean(), false),
  }),
  bodyLimit: 2 * 1024 * 1024,
  response: z.object({
    created: z.number(),
    /** `row` is the position in the list, from 1. */
    problems: z.array(z.object({ row: z.number(), field: z.keyof(OrganizationRow), problem: Message })),
  }),
});
