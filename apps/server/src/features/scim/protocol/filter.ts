/**
 * Filters of lists (RFC 7644, section 3.4.2.2), as far as directories send them: `eq`, joined by `and`. What is asked for is
 * looked up in a table of conditions and reaches SQL as a parameter, never as text.
 */
import { filterMaximum, isKept, readLiteral, readPath } from './attribute-path.ts';
import { wrong } from './scim-failure.ts';

/** The condition on each attribute, by its name in lower case: SQL with `$n` for the value that it is compared with. */
export type Conditions = Record<string, (value: string | boolean) => { sql: string; value: unknown }>;

type Comparison = { attribute: string; value: string | boolean; isKept: boolean };

const understood = 'Only comparisons by eq, joined by and, are understood here.';
/** One comparison; a path with a filter of its own may stand alone. */
const comparison =
  /\s*(?<path>[a-z][\w.:$-]*(?:\[(?:"(?:[^"\\]|\\.)*"|[^"\][])*\](?:\.[\w$-]+)?)?)(?:\s+(?<operator>[a-z]+)\s+(?<value>"(?:[^"\\]|\\.)*"|[^\s"()]+))?(?=\s|$)/iy;
const and = /\s+and(?=\s)/iy;

/** What follows `where`, and its parameters. Throws `invalidFilter` for what is not understood. */
export function filterConditions(
  text: string | undefined,
  conditions: Conditions,
): { where: string; values: unknown[] } {
  const found = text === undefined ? [] : readFilter(text);
  const values: unknown[] = [];
  const parts = found.map(({ attribute, value, isKept: isOfKept }) => {
    const condition = Object.hasOwn(conditions, attribute) ? conditions[attribute] : undefined;
    if (!condition)
      throw wrong('invalidFilter', `Filter by one of these: ${Object.keys(conditions).join(', ')}.`);
    // PostgreSQL keeps no text with this character, so nothing has it.
    if (!isOfKept || (typeof value === 'string' && value.includes('\0'))) return 'false';
    const { sql, value: parameter } = condition(value);
    values.push(parameter);
    return sql.replaceAll('$n', `$${values.length}`);
  });
  return { where: parts.length === 0 ? 'true' : parts.join(' and '), values };
}

function readFilter(text: string): Comparison[] {
  if (text.length > filterMaximum)
    throw wrong('invalidFilter', `A filter has at most ${filterMaximum} characters.`);
  const found: Comparison[] = [];
  const rest = text.trimEnd();
  for (let at = 0; ;) {
    comparison.lastIndex = at;
    const { path, operator, value } = comparison.exec(rest)?.groups ?? {};
    if (path === undefined) throw wrong('invalidFilter', understood);
    const asked = readPath(path, 'invalidFilter');
    if (operator === undefined || value === undefined) {
      if (asked.selected.length === 0) throw wrong('invalidFilter', understood);
      for (const { attribute, value: wanted } of asked.selected)
        found.push({ attribute: `${asked.attribute}.${attribute}`, value: wanted, isKept: true });
    } else {
      if (operator.toLowerCase() !== 'eq') throw wrong('invalidFilter', understood);
      found.push({ attribute: asked.attribute, value: readLiteral(value), isKept: isKept(asked) });
    }
    at = comparison.lastIndex;
    if (at >= rest.length) return found;
    and.lastIndex = at;
    if (!and.test(rest)) throw wrong('invalidFilter', understood);
    at = and.lastIndex;
  }
}
