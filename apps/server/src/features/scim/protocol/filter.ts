/** Translates list filters (RFC 7644, section 3.4.2.2) of `eq` comparisons joined by `and` to SQL. Values are always parameters. */
import { filterMaximum, isStored, readLiteral, readPath } from './attribute-path.ts';
import { badRequest } from './scim-failure.ts';

/** SQL conditions by attribute name in lower case; `$n` is the parameter. */
export type Conditions = Record<string, (value: string | boolean) => { sql: string; value: unknown }>;

type Comparison = { attribute: string; value: string | boolean; isStoredSelector: boolean };

const unsupported = 'Only comparisons by eq, joined by and, are understood here.';
/** A comparison, or a path with a value filter. */
const comparison =
  /\s*(?<path>[a-z][\w.:$-]*(?:\[(?:"(?:[^"\\]|\\.)*"|[^"\][])*\](?:\.[\w$-]+)?)?)(?:\s+(?<operator>[a-z]+)\s+(?<value>"(?:[^"\\]|\\.)*"|[^\s"()]+))?(?=\s|$)/iy;
const and = /\s+and(?=\s)/iy;

/** Returns the `where` condition and its parameters, after `first`. Throws `invalidFilter` for unsupported filters. */
export function filterConditions(
  text: string | undefined,
  conditions: Conditions,
  first: unknown[] = [],
): { where: string; values: unknown[] } {
  const found = text === undefined ? [] : readFilter(text);
  const values: unknown[] = [...first];
  const parts = found.map(({ attribute, value, isStoredSelector }) => {
    const condition = Object.hasOwn(conditions, attribute) ? conditions[attribute] : undefined;
    if (!condition)
      throw badRequest('invalidFilter', `Filter by one of these: ${Object.keys(conditions).join(', ')}.`);
    // PostgreSQL cannot store this character.
    if (!isStoredSelector || (typeof value === 'string' && value.includes('\0'))) return 'false';
    const { sql, value: parameter } = condition(value);
    values.push(parameter);
    return sql.replaceAll('$n', `$${values.length}`);
  });
  return { where: parts.length === 0 ? 'true' : parts.join(' and '), values };
}

function readFilter(text: string): Comparison[] {
  if (text.length > filterMaximum)
    throw badRequest('invalidFilter', `A filter has at most ${filterMaximum} characters.`);
  const found: Comparison[] = [];
  const rest = text.trimEnd();
  for (let at = 0; ;) {
    comparison.lastIndex = at;
    const { path, operator, value } = comparison.exec(rest)?.groups ?? {};
    if (path === undefined) throw badRequest('invalidFilter', unsupported);
    const target = readPath(path, 'invalidFilter');
    if (operator === undefined || value === undefined) {
      if (target.selected.length === 0) throw badRequest('invalidFilter', unsupported);
      for (const { attribute, value: selectedValue } of target.selected)
        found.push({
          attribute: `${target.attribute}.${attribute}`,
          value: selectedValue,
          isStoredSelector: true,
        });
    } else {
      if (operator.toLowerCase() !== 'eq') throw badRequest('invalidFilter', unsupported);
      found.push({
        attribute: target.attribute,
        value: readLiteral(value),
        isStoredSelector: isStored(target),
      });
    }
    at = comparison.lastIndex;
    if (at >= rest.length) return found;
    and.lastIndex = at;
    if (!and.test(rest)) throw badRequest('invalidFilter', unsupported);
    at = and.lastIndex;
  }
}
