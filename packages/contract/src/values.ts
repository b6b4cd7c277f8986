import * as z from 'zod/mini';
import { cleanAddress, cleanLine, cleanText, normalizeText } from './rules/clean-text.ts';
import { fieldTexts } from './texts/field-texts.ts';
import {
  listedIdsMaximum,
  countMaximum,
  emailMaximumLength,
  filterMaximum,
  pageMaximum,
  selectionMaximum,
} from './rules/limits.ts';
import { defineErrors } from './route.ts';
import { readLinkCode } from './rules/link-code.ts';
import { schemaMessage, Message } from './texts/text.ts';

export const Id = z.uuid();

/** ISO 8601 with time zone, such as `2026-11-21T08:30:00.000Z`. */
export const Moment = z.iso.datetime({ offset: true });

/** Day without a time zone, such as `2026-12-31`. PostgreSQL has no year 0. */
export const Day = /* @__PURE__ */ createDay('Enter a day such as 2026-12-31.');

function createDay(error: string) {
  return z.iso.date(error).check(z.refine((day) => !day.startsWith('0000'), error));
}

/** Short code of an invitation or identity migration. Removes surrounding punctuation. */
export const linkCode = z
  .string()
  .check(z.maxLength(200, 'A code has at most 200 characters.'), z.overwrite(readLinkCode));

const tooLong = schemaMessage(fieldTexts.tooLong, { maximum: emailMaximumLength });

/** Normalises to NFC without removing invisible characters. */
const normalized = z.overwrite(normalizeText);

/**
 * E-mail address: `dot-atom@domain`, ASCII before the @. Rejects quoted local parts, comments and address literals, which are
 * valid in RFC 5322 but not used by people.
 */
export const EmailAddress = /* @__PURE__ */ createAddress(normalizeText);

function createAddress(clean: (address: string) => string, ...further: z.core.$ZodCheck<string>[]) {
  return z.string().check(
    z.overwrite(clean),
    z.maxLength(emailMaximumLength + 100, { abort: true, error: tooLong }),
    // Checked before trimming, because a line break around an address is not a typo.
    z.regex(/^[^\p{Cc}\u2028\u2029]*$/u, schemaMessage(fieldTexts.oneLine)),
    z.trim(),
    z.maxLength(emailMaximumLength, tooLong),
    z.regex(
      /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[^\s@,;:<>()[\]\\"'`/?#%]+$/,
      schemaMessage(fieldTexts.notAnAddress),
    ),
    ...further,
  );
}

/**
 * Address to invite, without invisible characters. The principal names of guests in Entra ID (`anna_example.com#EXT#@…`) look like addresses,
 * but receive no mail.
 */
export const InvitedAddress = /* @__PURE__ */ createAddress(
  cleanAddress,
  z.refine<string>((address) => !/#ext#@/i.test(address), schemaMessage(fieldTexts.guestPrincipalName)),
);

/** Cleaned line without control characters and line separators, safe for mail headers. */
export const lineOfText = (maximum: number) =>
  z.string().check(
    z.overwrite(cleanLine),
    z.trim(),
    z.maxLength(maximum, schemaMessage(fieldTexts.tooLong, { maximum })),
    // U+2028 and U+2029 are line separators; \p{Cc} includes U+0085 (NEXT LINE).
    z.regex(/^[^\p{Cc}\u2028\u2029]*$/u, schemaMessage(fieldTexts.oneLine)),
  );

/** Part of an address that identifies an object. It cannot contain NUL, which PostgreSQL does not store. */
export const pathText = (maximum: number) =>
  z
    .string()
    .check(
      z.maxLength(maximum),
      z.regex(/^[^\0]*$/, 'This address contains a character that no name contains.'),
    );

/** Text of which only the length is checked, for drafts and unchecked rows. */
export const rawText = (maximum: number) =>
  z.string().check(normalized, z.maxLength(maximum, schemaMessage(fieldTexts.tooLong, { maximum })));

/** Cleaned text whose only control characters are line breaks and tabs. */
export const linesOfText = (maximum: number) =>
  z
    .string()
    .check(
      z.overwrite(cleanText),
      z.trim(),
      z.maxLength(maximum, schemaMessage(fieldTexts.tooLong, { maximum })),
      z.regex(/^(?:[^\p{Cc}]|[\n\r\t])*$/u, schemaMessage(fieldTexts.controlCharacters)),
    );

/** Whole number within bounds. `definition` is the error message. */
export function wholeNumber(
  [minimum, maximum]: readonly [number, number],
  definition: (typeof fieldTexts)[
    | 'wholeNumber'
    | 'wholeHours'
    | 'wholeDays'
    | 'reminderDays'
    | 'newLinkDays'],
) {
  const text = schemaMessage(definition, { minimum, maximum });
  return z.number(text).check(z.int(text), z.minimum(minimum, text), z.maximum(maximum, text));
}

type Names = readonly [string, ...string[]];

const filterTextMaximum = 4_000;

/** Column name for filters by group: `{ "column": "group", "is": "oneOf", "values": ["waiting"] }`. */
export const groupColumn = 'group';

export function groupCounts<const G extends Names>(groups: G) {
  const count = z.number();
  return z.object(
    Object.fromEntries(['all', ...groups].map((group) => [group, count])) as Record<
      'all' | G[number],
      typeof count
    >,
  );
}

export const groupCountsSummary = `exact up to ${countMaximum}; ${countMaximum + 1} means more than that.`;

/** Filter of a column. `to` is exclusive. */
function filterSchema<const C extends Names>(columns: C) {
  const bounds = 'Enter a time such as 2026-11-21T08:30:00Z, a day such as 2026-11-21, or a number.';
  const column = z.enum(columns, 'This list cannot be filtered by this column.');
  const bound = z.optional(z.union([Moment, Day, z.number()], bounds));
  // Values are not trimmed, because they are compared with stored values.
  const value = z
    .string()
    .check(
      normalized,
      z.maxLength(300, 'A filter value can have at most 300 characters.'),
      z.regex(/^[^\p{Cc}]*$/u, 'A filter value must be one line without control characters.'),
    );
  return z.discriminatedUnion(
    'is',
    [
      z.strictObject({
        column,
        is: z.literal('contains'),
        text: lineOfText(200).check(z.minLength(1, 'Enter what to look for.')),
      }),
      z.strictObject({
        column,
        is: z.literal('oneOf'),
        values: z.array(value).check(z.maxLength(200, 'Choose at most 200 values.')),
      }),
      z
        .strictObject({ column, is: z.literal('between'), from: bound, to: bound })
        .check(z.refine(({ from, to }) => (from ?? to) !== undefined, 'Provide `from`, `to`, or both.')),
      z.strictObject({ column, is: z.enum(['empty', 'filled']) }),
    ],
    'A filter must be one of: contains, oneOf, between, empty, filled.',
  );
}

const filtersSchema = <const C extends Names>(columns: C) =>
  z
    .array(filterSchema(columns), 'The filters must be an array.')
    .check(z.maxLength(filterMaximum, `A list can have at most ${filterMaximum} filters at a time.`));

export type Filter = z.output<ReturnType<typeof filterSchema>>;

/** JSON text in a query parameter. `subject` starts the error messages. */
function jsonText<Output>(
  schema: z.ZodMiniType<Output>,
  maximum: number,
  subject: string,
): z.ZodMiniType<Output, string> {
  const parsed = z.transform((text: string, { issues }): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      issues.push({
        code: 'custom',
        message: `${subject} cannot be read: they are not valid JSON.`,
        input: text,
      });
      return z.NEVER;
    }
  });
  return z.pipe(
    z.string().check(z.maxLength(maximum, `${subject} have at most ${maximum} characters as JSON text.`)),
    z.pipe(parsed, schema),
  );
}

const search = z.optional(lineOfText(200));

const listOrder = <const C extends Names>(columns: C) => ({
  sort: z.optional(z.enum(columns)),
  direction: z._default(z.enum(['asc', 'desc']), 'asc'),
});

export function listQuery<const C extends Names, const F extends Names>(sortable: C, filterable: F) {
  const filters = filtersSchema(filterable);
  return z.object({
    offset: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(10_000_000)), 0),
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(pageMaximum)), 50),
    ...listOrder(sortable),
    search,
    /** JSON text such as `[{ "column": "email", "is": "contains", "text": "ann" }]`. */
    filters: z.optional(jsonText(filters, filterTextMaximum, 'The filters')),
    /**
     * Restricts the response to the rows or to the total. Clients can show the rows before the total, because counting a million rows
     * takes longer than reading a page. `estimate` returns an approximate total of a large list.
     */
    part: z.optional(
      z.enum(
        ['rows', 'total', 'estimate'],
        'Use rows, total or estimate. Without `part`, you get rows and total.',
      ),
    ),
  });
}

const selectionMessages = {
  ids: `Choose at most ${listedIdsMaximum} individual rows, or all that match.`,
  except: `Exclude at most ${listedIdsMaximum} individual rows. Narrow the search or the filters instead.`,
};

const rowIds = (tooMany: string) =>
  z
    .array(z.string().check(z.regex(/^[0-9a-f-]{1,36}$/i, 'This is not the id of a row.')))
    .check(z.maxLength(listedIdsMaximum, tooMany));

const exportText = lineOfText(100);
const exportedName = z.string().check(z.maxLength(60), normalized);
const exportTexts = z.strictObject({
  sheet: z.optional(
    z
      .string()
      .check(
        z.trim(),
        normalized,
        z.minLength(1),
        z.maxLength(31, 'The name of a sheet has at most 31 characters.'),
        z.regex(
          /^[^[\]:*?/\\'\p{Cc}]*$/u,
          "The name of a sheet cannot contain [ ] : * ? / \\ ' or control characters.",
        ),
      ),
  ),
  columns: z.optional(z.record(exportedName, exportText)),
  values: z.optional(z.record(exportedName, z.record(exportedName, exportText))),
});
export type ExportTexts = z.output<typeof exportTexts>;

/** Parts of the route of an export. Its body is the query of the list without paging, and the columns of the file. */
export function exportOf<const C extends Names, const E extends Names, const F extends Names>(
  sortable: C,
  exportable: E,
  filterable: F,
) {
  const column = z.enum(exportable, 'This column cannot be exported.');
  return {
    body: z.strictObject({
      format: z._default(z.enum(['csv', 'xlsx'], 'The format is csv or xlsx.'), 'csv'),
      columns: z.optional(
        z
          .array(column)
          .check(
            z.minLength(1, 'Choose at least one column.'),
            z.maxLength(exportable.length, 'Name each column once.'),
          ),
      ),
      /** Translated titles and values. Default: English. */
      texts: z.optional(exportTexts),
      ...listOrder(sortable),
      search,
      filters: z.optional(filtersSchema(filterable)),
      ids: z.optional(rowIds(selectionMessages.ids)),
      except: z.optional(rowIds(selectionMessages.except)),
    }),
    media: exportMedia,
    response: streamed,
    errors: [exportErrors.busy],
  };
}

export const exportMedia = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;

/** Version of the row that the change is based on. Without a version, the change is applied to any version. */
export const expectedVersion = z.object({
  version: z.optional(
    z.coerce
      .number('A version is a whole number.')
      .check(z.int('A version is a whole number.'), z.minimum(1)),
  ),
});

/**
 * Rows of an action: individual ids, or all that match. `total` is the number that the user has seen; the action is refused if considerably
 * more rows match.
 */
export const selectionSchema = <const F extends Names>(filterable: F) =>
  z.union(
    [
      z.strictObject({
        ids: z
          .array(Id)
          .check(
            z.minLength(1, 'Choose at least one row.'),
            z.maxLength(listedIdsMaximum, selectionMessages.ids),
          ),
      }),
      z.strictObject({
        all: z.strictObject({
          search,
          filters: z.optional(filtersSchema(filterable)),
          /** Excluded rows. `total` includes them. */
          except: z.optional(z.array(Id).check(z.maxLength(listedIdsMaximum, selectionMessages.except))),
          /** Only rows with greater ids. Set in the `rest` that a previous call returned. */
          after: z.optional(Id),
          total: z.number().check(z.int(), z.minimum(0)),
        }),
      }),
    ],
    'Choose rows by id, or all that match.',
  );
export type Selection = z.output<ReturnType<typeof selectionSchema>>;

/** Row that an action skipped. `person` is the person or invitee of the row, if any. */
export const Skipped = z.object({
  id: Id,
  label: z.string(),
  person: z.nullable(z.object({ id: Id, name: z.string(), email: z.string() })),
  reason: z.string(),
  reasonText: Message,
});
export type Skipped = z.output<typeof Skipped>;

/**
 * Result of a bulk action. A call runs for a few seconds; `rest` is the selection of the remaining rows for the next call, or null if no
 * rows remain. Changes that the call made are committed.
 */
export const selectionResult = <const F extends Names>(filterable: F) =>
  z.object({
    done: z.number(),
    skipped: z.array(Skipped),
    skippedCount: z.number(),
    rest: z.nullable(selectionSchema(filterable)),
  });

export const exportErrors = defineErrors('export', {
  429: { busy: 'Too many exports are already running. Wait for one to finish, then try again.' },
});

export const selectionErrors = defineErrors('selection', {
  400: {
    tooLarge: `More than ${selectionMaximum.toLocaleString('en-US')} rows match. Narrow the search or the filters, and work in parts.`,
  },
  409: { changed: 'More rows match now than you were shown. Check the list, then try again.' },
});

/**
 * Page of a list. `total` is the number of matching rows. It is null on later pages, and for `part=rows` unless it is known without
 * counting. For `part=estimate` it is approximate, and null if the exact total takes no longer.
 */
export const page = <S extends z.ZodMiniType>(row: S) =>
  z.object({ rows: z.array(row), total: z.nullable(z.number()) });

/** Value of `response` for routes with `media`. */
export const streamed = z.void();

/** Picture of this site. `path` is relative to it. */
export const Picture = z.object({ path: z.string(), width: z.number(), height: z.number() });
export type Picture = z.output<typeof Picture>;
