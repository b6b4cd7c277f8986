/** Values that several areas share: identifiers, times, e-mail addresses and lists by page, with their limits. */
import * as z from 'zod/mini';
import { cleanText, normalizeText } from './rules/clean-text.ts';
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

/** A UUID in its usual spelling. */
export const Id = z.uuid();

/** A moment as ISO 8601 with time zone, such as `2026-11-21T08:30:00.000Z`. */
export const Moment = z.iso.datetime({ offset: true });

/** The short code in the mailed link of an invitation or a move, also with punctuation that was pasted with it. */
export const linkCode = z
  .string()
  .check(z.maxLength(200, 'A code has at most 200 characters.'), z.overwrite(readLinkCode));

const tooLong = schemaMessage(fieldTexts.tooLong, { maximum: emailMaximumLength });

/** Normalises to NFC, where invisible characters are not removed. */
const normalized = z.overwrite(normalizeText);

/**
 * An e-mail address as people type it: `dot-atom@domain`, ASCII before the @. Quoted local parts, comments and
 * address literals are refused: they are legal (RFC 5322) and never wanted in an invitation.
 */
export const EmailAddress = z.string().check(
  normalized,
  z.maxLength(emailMaximumLength + 100, {
    abort: true,
    error: tooLong,
  }),
  // Before trimming: a line break around an address is no slip of the keyboard.
  z.regex(/^[^\p{Cc}\u2028\u2029]*$/u, schemaMessage(fieldTexts.oneLine)),
  z.trim(),
  z.maxLength(emailMaximumLength, tooLong),
  z.regex(
    /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[^\s@,;:<>()[\]\\"'`/?#%]+$/,
    schemaMessage(fieldTexts.notAnAddress),
  ),
);

/** One line of text, cleaned: no control characters and no line separators, so that it fits into a mail header. */
export function lineOfText(maximum: number) {
  return z.string().check(
    z.overwrite(cleanText),
    z.trim(),
    z.maxLength(maximum, schemaMessage(fieldTexts.tooLong, { maximum })),
    // U+2028 and U+2029 separate lines too; U+0085 is NEXT LINE.
    z.regex(/^[^\p{Cc}\u2028\u2029]*$/u, schemaMessage(fieldTexts.oneLine)),
  );
}

/** Text with no other rule than a maximum length: a draft, or a row whose problems are reported by row. */
export const rawText = (maximum: number) =>
  z.string().check(normalized, z.maxLength(maximum, schemaMessage(fieldTexts.tooLong, { maximum })));

/** Several lines of text, cleaned: of the control characters only line feed and tab. */
export function linesOfText(maximum: number) {
  return z
    .string()
    .check(
      z.overwrite(cleanText),
      z.trim(),
      z.maxLength(maximum, schemaMessage(fieldTexts.tooLong, { maximum })),
      z.regex(/^(?:[^\p{Cc}]|[\n\r\t])*$/u, schemaMessage(fieldTexts.controlCharacters)),
    );
}

/** A whole number within bounds, which `definition` says to people. */
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

/** Longest JSON text of the filters of one request. */
const filterTextMaximum = 4_000;

/** The name by which a list is filtered by its groups: `{ "column": "group", "is": "oneOf", "values": ["waiting"] }`. */
export const groupColumn = 'group';

/** How many rows a list has, and are in each of its `groups`. */
export function groupCounts<const G extends Names>(groups: G) {
  const count = z.number();
  return z.object(
    Object.fromEntries(['all', ...groups].map((group) => [group, count])) as Record<
      'all' | G[number],
      typeof count
    >,
  );
}

/** How the counts of groups are told in a route's summary. */
export const groupCountsSummary = `exact up to ${countMaximum}; ${countMaximum + 1} means more than that.`;

/** What is looked for in one column. Moments and numbers are `from` up to, but not with, `to`. */
function filterOf<const C extends Names>(columns: C) {
  const bounds = 'Enter a time such as 2026-11-21T08:30:00Z, or a number.';
  const column = z.enum(columns, 'This list cannot be filtered by this column.');
  const bound = z.optional(z.union([z.iso.datetime({ offset: true, error: bounds }), z.number()], bounds));
  // Not trimmed, since it is compared with stored values.
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

function filtersOf<const C extends Names>(columns: C) {
  return z
    .array(filterOf(columns), 'The filters must be an array.')
    .check(z.maxLength(filterMaximum, `A list can have at most ${filterMaximum} filters at a time.`));
}

/** One filter of a list, of whichever columns. */
export type Filter = z.output<ReturnType<typeof filterOf>>;

/** A JSON text inside a query. */
function jsonText<Output>(
  schema: z.ZodMiniType<Output>,
  maximum: number,
  what: string,
): z.ZodMiniType<Output, string> {
  const parsed = z.transform((text: string, { issues }): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      issues.push({
        code: 'custom',
        message: `${what} cannot be read: they are not valid JSON.`,
        input: text,
      });
      return z.NEVER;
    }
  });
  return z.pipe(
    z.string().check(z.maxLength(maximum, `${what} have at most ${maximum} characters as JSON text.`)),
    z.pipe(parsed, schema),
  );
}

const search = z.optional(lineOfText(200));

/** In which order rows come: sorted by one of `columns`. */
function listOrder<const C extends Names>(columns: C) {
  return {
    sort: z.optional(z.enum(columns)),
    direction: z._default(z.enum(['asc', 'desc']), 'asc'),
  };
}

/**
 * The query of a list that grids read: a window by offset, one sort column, a "contains" search and filters by column.
 */
export function listQuery<const C extends Names, const F extends Names>(sortable: C, filterable: F) {
  const filters = filtersOf(filterable);
  return z.object({
    offset: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(10_000_000)), 0),
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(pageMaximum)), 50),
    ...listOrder(sortable),
    search,
    /** A JSON text: `[{ "column": "email", "is": "contains", "text": "ann" }]`. */
    filters: z.optional(jsonText(filters, filterTextMaximum, 'The filters')),
    /** Of a first page both, unless one is asked for: counting a million rows takes longer than finding a few. */
    part: z.optional(z.enum(['rows', 'total'], 'Use rows or total. Without `part`, you get both.')),
  });
}

const sentences = {
  ids: `Choose at most ${listedIdsMaximum} individual rows, or all that match.`,
  except: `Exclude at most ${listedIdsMaximum} individual rows. Narrow the search or the filters instead.`,
};

/** Rows of a list, whose ids are UUIDs or numbers. */
const rowIds = (tooMany: string) =>
  z
    .array(z.string().check(z.regex(/^[0-9a-f-]{1,36}$/i, 'This is not the id of a row.')))
    .check(z.maxLength(listedIdsMaximum, tooMany));

const exportText = lineOfText(100);
const exportedName = z.string().check(z.maxLength(60), normalized);
const exportTexts = z.strictObject({
  /** Name of the sheet in a workbook. */
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
  /** By the name of the column. */
  columns: z.optional(z.record(exportedName, exportText)),
  /** By the name of the column and the value. */
  values: z.optional(z.record(exportedName, z.record(exportedName, exportText))),
});
export type ExportTexts = z.output<typeof exportTexts>;

/** The body of a list's export: which rows as of the list, without a window; `columns` of the file. */
export function exportOf<const C extends Names, const E extends Names, const F extends Names>(
  sortable: C,
  exportable: E,
  filterable: F,
) {
  const column = z.enum(exportable, 'This column cannot be exported.');
  return z.strictObject({
    format: z._default(z.enum(['csv', 'xlsx'], 'The format is csv or xlsx.'), 'csv'),
    /** Left out, all there are. */
    columns: z.optional(
      z
        .array(column)
        .check(
          z.minLength(1, 'Choose at least one column.'),
          z.maxLength(exportable.length, 'Name each column once.'),
        ),
    ),
    /** Titles and values in the language of the reader. The file has English ones where these are missing. */
    texts: z.optional(exportTexts),
    ...listOrder(sortable),
    search,
    filters: z.optional(filtersOf(filterable)),
    /** Only these rows, where some were chosen one by one. */
    ids: z.optional(rowIds(sentences.ids)),
    /** None of these, where all that match were chosen but for some. */
    except: z.optional(rowIds(sentences.except)),
  });
}

/** The media types of exports. */
export const exportMedia = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;

/** The version that was on the screen. Without one, a change is made whatever the state is. */
export const seenVersion = z.object({
  version: z.optional(
    z.coerce
      .number('A version is a whole number.')
      .check(z.int('A version is a whole number.'), z.minimum(1)),
  ),
});

/**
 * The rows that an action is about: chosen one by one, or all that match. `total` is how many the person was shown;
 * when there are notably more by then, nothing is done. `filterable` as in the list's query.
 */
export function selectionOf<const F extends Names>(filterable: F) {
  return z.union(
    [
      z.strictObject({
        ids: z
          .array(Id)
          .check(z.minLength(1, 'Choose at least one row.'), z.maxLength(listedIdsMaximum, sentences.ids)),
      }),
      z.strictObject({
        all: z.strictObject({
          search,
          filters: z.optional(filtersOf(filterable)),
          /** All but these; `total` counts them too. */
          except: z.optional(z.array(Id).check(z.maxLength(listedIdsMaximum, sentences.except))),
          /** Only rows whose ids come after this one, where an earlier call has stopped. */
          after: z.optional(Id),
          total: z.number().check(z.int(), z.minimum(0)),
        }),
      }),
    ],
    'Choose rows by id, or all that match.',
  );
}
export type Selection = z.output<ReturnType<typeof selectionOf>>;

/** Something that an action left as it is, and why; `person` is who it is, or whom it is for, to be shown as lists show people: null for what is no person. */
export const Skipped = z.object({
  id: Id,
  label: z.string(),
  person: z.nullable(z.object({ id: Id, name: z.string(), email: z.string() })),
  reason: z.string(),
  reasonText: Message,
});
export type Skipped = z.output<typeof Skipped>;

/**
 * What an action on a selection answers. A call acts for a few seconds; `rest` is what it did not come to, the selection
 * of the next call, or null. What was done stays done, whether there is a next call or not.
 */
export function selectionAnswer<const F extends Names>(filterable: F) {
  return z.object({
    done: z.number(),
    /** The first 100 of those left out, with the reason of each. */
    skipped: z.array(Skipped),
    skippedCount: z.number(),
    rest: z.nullable(selectionOf(filterable)),
  });
}

/** What an export can answer besides. */
export const exportErrors = defineErrors('export', {
  429: { busy: 'Too many exports are already running. Wait for one to finish, then try again.' },
});

/** What a route whose body has a selection can answer because of it. */
export const selectionErrors = defineErrors('selection', {
  400: {
    tooLarge: `More than ${selectionMaximum.toLocaleString('en-US')} rows match. Narrow the search or the filters, and work in parts.`,
  },
  409: { changed: 'More rows match now than you were shown. Check the list, then try again.' },
});

/**
 * A page of a list. `total` counts all matching rows; it is null except on the first page (offset 0), and there where only
 * the rows were asked for and it is not known without counting.
 */
export function page<S extends z.ZodMiniType>(row: S) {
  return z.object({ rows: z.array(row), total: z.nullable(z.number()) });
}

/** The `answer` of a route with `media`. */
export const streamed = z.void();
