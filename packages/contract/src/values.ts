/** Values that several areas share: identifiers, times, e-mail addresses and lists by page, with their limits. */
import * as z from 'zod/mini';

/** A UUID in its usual spelling. */
export const Id = z.uuid();

/** A moment as ISO 8601 with time zone, such as `2026-11-21T08:30:00.000Z`. */
export const Moment = z.iso.datetime({ offset: true });

/** The longest e-mail address accepted (RFC 5321, section 4.5.3.1, less the angle brackets). */
export const emailMaximumLength = 254;

/**
 * An e-mail address as people type it: `dot-atom@domain`, ASCII before the @. Quoted local parts, comments and
 * address literals are refused: they are legal (RFC 5322) and never wanted in an invitation.
 */
export const EmailAddress = z.string().check(
  z.maxLength(emailMaximumLength + 100, {
    abort: true,
    error: `An e-mail address has at most ${emailMaximumLength} characters.`,
  }),
  // Before trimming: a line break around an address is no slip of the keyboard.
  z.regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'An e-mail address is one line without control characters.'),
  z.trim(),
  z.maxLength(emailMaximumLength, `An e-mail address has at most ${emailMaximumLength} characters.`),
  z.regex(
    /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[^\s@,;:<>()[\]\\"'`/?#%]+$/,
    'This is not an e-mail address. It looks like name@example.com.',
  ),
);

/** One line of text: no control characters and no line separators, so that it can stand in a mail header. */
export function lineOfText(maximum: number, what: string) {
  return z.string().check(
    z.trim(),
    z.maxLength(maximum, `${what} has at most ${maximum} characters.`),
    // U+2028 and U+2029 separate lines too; U+0085 is NEXT LINE.
    z.regex(/^[^\p{Cc}\u2028\u2029]*$/u, `${what} is one line without control characters.`),
  );
}

/** Several lines of text: of the control characters only line feed and tab. */
export function linesOfText(maximum: number, what: string) {
  return z
    .string()
    .check(
      z.trim(),
      z.maxLength(maximum, `${what} has at most ${maximum} characters.`),
      z.regex(/^(?:[^\p{Cc}]|[\n\r\t])*$/u, `${what} contains a control character.`),
    );
}

/** The most rows that one page of a list holds. */
export const pageMaximum = 500;

/**
 * The query of a list that grids read: a window by offset, one sort column and a "contains" search.
 * `columns` are the names that may be sorted by.
 */
export function listQuery<const C extends readonly [string, ...string[]]>(columns: C) {
  return z.object({
    offset: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(10_000_000)), 0),
    limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(pageMaximum)), 50),
    sort: z.optional(z.enum(columns)),
    direction: z._default(z.enum(['asc', 'desc']), 'asc'),
    search: z.optional(lineOfText(200, 'A search')),
  });
}

/** A page of a list. `total` counts all matching rows; it is null except on the first page (offset 0). */
export function page<S extends z.ZodMiniType>(row: S) {
  return z.object({ rows: z.array(row), total: z.nullable(z.number()) });
}
