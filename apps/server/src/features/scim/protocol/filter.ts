/** Translates list filters (RFC 7644, section 3.4.2.2) to SQL. Values are always parameters. */
import { rowsOf, scalarOf, type Queryable } from '../../../platform/database/database.ts';
import type { FilterAttribute, FilterOperator } from './filter-attributes.ts';
import { filterMaximum, readLiteral, withoutSchema } from './attribute-path.ts';
import { badRequest } from './scim-failure.ts';

/** Attributes by name in lower case. */
export type FilterAttributes = Record<string, FilterAttribute>;

/** Returns the `where` condition and its parameters, after `first`. Throws `invalidFilter` for unsupported filters. */
function filterConditions(
  text: string | undefined,
  attributes: FilterAttributes,
  first: unknown[] = [],
): { where: string; values: unknown[] } {
  if (text === undefined) return { where: 'true', values: first };
  if (text.length > filterMaximum)
    throw badRequest('invalidFilter', `A filter has at most ${filterMaximum} characters.`);
  const values = [...first];
  const compare = (name: string, operator: string, literal: string) => {
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (!attribute)
      throw badRequest('invalidFilter', `Filter by one of these: ${Object.keys(attributes).join(', ')}.`);
    const sql = attribute.conditions[operator as FilterOperator];
    if (sql === undefined) {
      const operators = Object.keys(attribute.conditions).join(', ');
      throw badRequest('invalidFilter', `Compare ${name} by one of these operators: ${operators}.`);
    }
    if (operator === 'pr') return sql;
    const value = readLiteral(literal);
    // PostgreSQL cannot store this character.
    if (typeof value === 'string' && value.includes('\0')) return 'false';
    values.push(attribute.toParameter(value));
    return sql.replaceAll('$n', `$${values.length}`);
  };
  return { where: parse(text, compare), values };
}

export type FilteredPage = { filter: string | undefined; offset: number; count: number };

/** Reads a page of the rows that a filter selects, and the number of all of them. `first` are the parameters of `from`. */
export async function readFilteredPage<Row>(
  database: Queryable,
  { filter, offset, count }: FilteredPage,
  attributes: FilterAttributes,
  sql: { columns: string; from: string; order: string },
  first: unknown[] = [],
): Promise<{ rows: Row[]; total: number }> {
  const { where, values } = filterConditions(filter, attributes, first);
  const selection = `from ${sql.from} and ${where}`;
  const [rows, total] = await Promise.all([
    rowsOf<Row>(
      database,
      `select ${sql.columns} ${selection} order by ${sql.order} limit $${values.length + 1} offset $${values.length + 2}`,
      [...values, count, offset],
    ),
    scalarOf<number>(database, `select count(*) ${selection}`, values),
  ]);
  return { rows, total: total ?? 0 };
}

/** Parentheses and brackets, texts in quotation marks, and words. */
const token = /\s*([()[\]]|"(?:[^"\\]|\\.)*"|[^\s()[\]"]+)/y;

function readTokens(text: string): string[] {
  const tokens: string[] = [];
  const rest = text.trimEnd();
  for (let at = 0; at < rest.length; at = token.lastIndex) {
    token.lastIndex = at;
    const [, found] = token.exec(rest) ?? [];
    if (found === undefined) throw badRequest('invalidFilter', 'A text of the filter has no end.');
    tokens.push(found);
  }
  return tokens;
}

/** Returns the SQL of a filter, with parentheses. `compare` returns the SQL of a comparison. */
function parse(
  text: string,
  compare: (attribute: string, operator: string, literal: string) => string,
): string {
  const tokens = readTokens(text);
  let at = 0;
  const accept = (word: string): boolean => {
    if (tokens[at]?.toLowerCase() !== word) return false;
    at += 1;
    return true;
  };
  const fail = (expected: string) =>
    badRequest('invalidFilter', `The filter has ${tokens[at] ?? 'its end'} in place of ${expected}.`);
  const expect = (word: string) => {
    if (!accept(word)) throw fail(word);
  };

  const sql = parseAlternatives('');
  if (at < tokens.length) throw fail('and, or, or its end');
  return sql;

  /** `prefix` is the attribute before the brackets, with a dot. */
  function parseAlternatives(prefix: string): string {
    const alternatives = [];
    do {
      const parts = [];
      do parts.push(parseCondition(prefix));
      while (accept('and'));
      alternatives.push(parts.join(' and '));
    } while (accept('or'));
    return `(${alternatives.join(' or ')})`;
  }

  function parseCondition(prefix: string): string {
    const isNegated = accept('not');
    if (isNegated || tokens[at] === '(') {
      expect('(');
      const inner = parseAlternatives(prefix);
      expect(')');
      // Unknown, as for a missing value, counts as false.
      return isNegated ? `(${inner} is not true)` : inner;
    }
    const word = tokens[at] ?? '';
    if (!/^[a-z]/i.test(word)) throw fail('an attribute');
    at += 1;
    const name = prefix + withoutSchema(word);
    return prefix === '' && accept('[') ? parseSelection(name) : parseComparison(name);
  }

  /** `emails[type eq "work"]`, also with a comparison of the selected value. A user has one address. */
  function parseSelection(name: string): string {
    const selection = parseAlternatives(`${name}.`);
    expect(']');
    const sub = /^\.[a-z]+$/i.exec(tokens[at] ?? '')?.[0];
    if (sub !== undefined) at += 1;
    const isEnd = at === tokens.length || /^(?:and|or|\))$/i.test(tokens[at] ?? '');
    return sub === undefined && isEnd
      ? selection
      : `(${selection} and ${parseComparison(name + (sub ?? '').toLowerCase())})`;
  }

  function parseComparison(name: string): string {
    const operator = (tokens[at] ?? '').toLowerCase();
    if (!/^[a-z]{2}$/.test(operator)) throw fail('an operator');
    at += 1;
    if (operator === 'pr') return compare(name, operator, '');
    const literal = tokens[at] ?? '';
    if (/^[()[\]]?$/.test(literal)) throw fail('a value');
    at += 1;
    return compare(name, operator, literal);
  }
}
