/** SQL conditions for the search, filters and groups of a list. */
import { requestErrors } from '@vestibule/contract/request-errors';
import { getSpellings } from '@vestibule/contract/rules/clean-text';
import { groupColumn, type Filter } from '@vestibule/contract/values';
import type { QueryConfig } from '../database/database.ts';
import { fail } from '../errors/failure.ts';
import {
  columnOf,
  foldedText,
  ranges,
  type ListColumn,
  type ListMatch,
  type ListSource,
  type Scope,
} from './list-source.ts';
import { isUuid } from '../database/new-id.ts';

/**
 * Returns the table with the rows in a scope, for a `from` clause. Adds a parameter to `values`. With `readsAllFirst`, all rows of an
 * organization are read before they are sorted: the planner would read the index of the order, and search a million rows for those of
 * the organization.
 */
export function scopedTable(
  { table, rows, organization }: ListSource,
  scope: Scope,
  values: unknown[],
  { readsAllFirst = false } = {},
): string {
  const from = rows === undefined ? table : `(${rows}) as ${table}`;
  if (scope === 'site') return from;
  if (organization === undefined) throw new Error(`${table} has no organizations`);
  const condition = `${organization} = $${values.push(scope.organizationId)}`;
  return `(select * from ${from} where ${condition}${readsAllFirst ? ' offset 0' : ''}) as ${table}`;
}

/**
 * Returns the `where` clause of a search and filters. Adds parameters to `values`. `texts` says whether few or many rows
 * contain the searched texts; the text index is used if they are rare.
 */
export function whereClause(
  source: ListSource,
  { search, filters, stored, ids, except, after, viewer }: ListMatch,
  values: unknown[],
  now: number,
  texts: 'rare' | 'common' = 'rare',
): string {
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const moment = once(() => `${parameter(new Date(now))}::timestamptz`);
  const viewerId = once(() => `${parameter(viewer?.id)}::uuid`);
  const conditions = (filters ?? []).map((filter) =>
    conditionOf(source, filter, parameter, moment, texts).replaceAll('$viewer', viewerId),
  );
  for (const { column, values: found } of stored ?? [])
    conditions.push(
      found.length === 0 ? 'false' : `${columnOf(source, column).sql} = any(${parameter(found)}::text[])`,
    );
  if (source.visible !== undefined && viewer?.seesAll !== true)
    conditions.unshift(source.visible.replaceAll('$viewer', viewerId));
  if (search) conditions.unshift(searched(search, parameter));
  const type = source.idType === 'bigint' ? 'bigint' : 'uuid';
  const isId = type === 'bigint' ? (id: string) => /^\d{1,18}$/.test(id) : isUuid;
  const idList = (listed: string[]) => `${parameter(listed.map(lowerCased).filter(isId))}::${type}[]`;
  if (ids) conditions.unshift(`id = any(${idList(ids)})`);
  if (except && except.length > 0) conditions.push(`id <> all(${idList(except)})`);
  if (after !== undefined) conditions.push(`id > ${parameter(after)}::${type}`);
  return conditions.length === 0 ? '' : `where ${conditions.map((one) => `(${one})`).join(' and ')}`;
}

/** Rows of a list in a scope that match a search and filters. */
export type Matching = { source: ListSource; scope: Scope; match: ListMatch; now: number };

/** Returns a statement about matching rows. `text` gets the rows and the `where` clause, to follow `from`. */
export function statementOf(
  { source, scope, match, now }: Matching,
  text: (matching: string) => string,
  texts?: 'rare' | 'common',
): QueryConfig & { values: unknown[] } {
  const values: unknown[] = [];
  const rows = scopedTable(source, scope, values);
  return { text: text(`${rows} ${whereClause(source, match, values, now, texts)}`), values };
}

const lowerCased = (id: string): string => id.toLowerCase();

function conditionOf(
  source: ListSource,
  filter: Filter,
  parameter: (value: unknown) => string,
  moment: () => string,
  texts: 'rare' | 'common',
): string {
  if (filter.column === groupColumn) return conditionOfGroups(source, filter, moment);
  const column = columnOf(source, filter.column);
  const { sql, kind } = column;
  const isText = kind === 'text' || (kind === 'set' && !column.values);
  const refuse = (sentence: string) =>
    fail(requestErrors.invalid, { fields: { filters: `The column ${filter.column} ${sentence}` } });
  switch (filter.is) {
    case 'contains': {
      if (kind !== 'text') throw refuse('holds no free text. Filter it by its values.');
      const found = contains(column.folded ? `${sql}_folded` : `lower(${sql})`, filter.text, parameter);
      return column.searched && texts === 'rare' && filter.text.length > 2
        ? `${contains('search', filter.text, parameter)} and ${found}`
        : found;
    }
    case 'oneOf': {
      if (kind === 'date' || kind === 'day' || kind === 'number')
        throw refuse('has no values to choose from. Filter it by a range.');
      const { values } = column;
      if (kind === 'id')
        return `${sql} = any(${parameter(filter.values.map(lowerCased).filter(isUuid))}::uuid[])`;
      if (values) return anyOf(values, filter.values, moment);
      if (column.several) return `string_to_array(${sql}, ', ') && ${parameter(filter.values)}::text[]`;
      const spellings = filter.values.flatMap((value) => storedSpellings(source, value));
      const stored = parameter(spellings);
      const found = `${sql} = any(${stored}::text[])`;
      if (column.folded)
        return `${foldedText(sql)} = any(array(select lower(value) from unnest(${stored}::text[]) value)) and ${found}`;
      // Columns without an index for their values: the index of `search` finds those that it has trigrams of.
      // Not with a sigma, whose lower-case form can depend on the text after it.
      if (
        !column.searched ||
        spellings.length === 0 ||
        spellings.some((text) => /^.{0,2}$|[Σσς]/s.test(text))
      )
        return found;
      const contained = spellings.map((text) => `search like ${pattern(text, parameter)}`).join(' or ');
      return `(${contained}) and ${found}`;
    }
    case 'between': {
      if (kind !== 'date' && kind !== 'day' && kind !== 'number')
        throw refuse('has no order to lie between. Filter it by its values.');
      const { type, mismatch } = ranges[kind];
      const bound = (value: string | number) => {
        if (kindOfBound(value) !== kind) throw refuse(mismatch);
        return `${parameter(kind === 'date' ? new Date(value) : value)}::${type}`;
      };
      return [
        ...(filter.from === undefined ? [] : [`${sql} >= ${bound(filter.from)}`]),
        ...(filter.to === undefined ? [] : [`${sql} < ${bound(filter.to)}`]),
      ].join(' and ');
    }
    case 'empty':
      return isText ? emptyText(column) : `${sql} is null`;
    case 'filled':
      return isText ? `${sql} <> ''` : `${sql} is not null`;
  }
}

const kindOfBound = (value: string | number): keyof typeof ranges =>
  typeof value === 'number' ? 'number' : /^[\d-]+$/.test(value) ? 'day' : 'date';

/** Not coalesce, so that the index of the column is used: empty values are rare in most columns. */
const emptyText = ({ sql, folded }: ListColumn & { sql: string }) =>
  folded ? `${foldedText(sql)} = '' or ${sql}_folded is null` : `${sql} = '' or ${sql} is null`;

/** Returns the spellings in which rows may store a text. */
const storedSpellings = ({ isUnchangeable }: ListSource, text: string): string[] =>
  isUnchangeable ? getSpellings(text) : [text];

function conditionOfGroups(source: ListSource, filter: Filter, moment: () => string): string {
  if (filter.is === 'oneOf') return anyOf(source.groups ?? {}, filter.values, moment);
  throw fail(requestErrors.invalid, {
    fields: { filters: `Rows are filtered by ${groupColumn} with oneOf.` },
  });
}

/** Returns the condition that at least one of the named conditions holds. An unknown name counts as false. */
function anyOf(conditions: Record<string, string>, names: string[], moment: () => string): string {
  const known = names.filter((name) => Object.hasOwn(conditions, name));
  return (known.map((name) => `(${conditions[name]})`).join(' or ') || 'false').replaceAll('$now', moment);
}

const shortWord = /^[\p{L}\p{N}]{1,2}$/u;
const scriptsWithoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Maximum number of words, each of which costs a condition. A longer search is one text. */
const maxSearchedWords = 8;

/**
 * Returns the condition that the column `search` contains all words of a text in any order: _Berg, Anna_, or an address as programs copy it:
 * _Anna Berg <anna@example.com>_, _Anna Berg (anna@example.com)_, _mailto:anna@example.com_.
 */
export function searched(text: string, parameter: (value: unknown) => string): string {
  const words = text.split(/\bmailto:|\((?=\S+@)|(?<=@\S+)\)|[\s,;<>"]+/i).filter(Boolean);
  const texts = words.length === 0 || words.length > maxSearchedWords ? [text] : words;
  return texts.map((word) => searchedWord(word, parameter)).join(' and ');
}

/**
 * Returns the condition for a word in the column `search`. The trigram index finds three consecutive letters, and one or two letters at the
 * start of a word, so words of one or two letters are searched at the start of words only. Plain containment is tested first: it costs a
 * third of the regular expression, though the planner rates both the same. `collate "C"` keeps the planner from using the index for
 * containment of so short a text: it would return every row. The index is not used for a class with characters from U+0800 on.
 */
function searchedWord(text: string, parameter: (value: unknown) => string): string {
  if (!/^.{1,2}$/su.test(text)) return contains('search', text, parameter);
  const found = contains('search collate "C"', text, parameter);
  if (!shortWord.test(text) || scriptsWithoutSpaces.test(text)) return found;
  const startsWord = parameter(String.raw`(^|[ .,:;@_+&'"(/#=-])${text}`);
  return `${found} and ${withoutAccents('search', `~ without_accents(lower(${startsWord}))`)}`;
}

/**
 * Returns the condition that a lower-case SQL text contains a text, with or without accents. A text such as `mueller` finds _Müller_, too: the
 * index finds texts with `muller`, which are then compared with their umlauts as two letters.
 */
export function contains(sql: string, text: string, parameter: (value: unknown) => string): string {
  const found = withoutAccents(sql, containsOperator(text, parameter));
  const shortened = text.replaceAll(/([aou])e/gi, '$1');
  // The index finds three letters.
  if (shortened === text || shortened.length < 3) return found;
  const spelledOut = `replace(replace(replace(${sql}, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue') like ${pattern(text, parameter)}`;
  return `(${found} or ${isOutsideAscii(sql)} and ${spelledOut} and without_accents(${sql}) ${containsOperator(shortened, parameter)})`;
}

/**
 * Returns the condition that a lower-case SQL text satisfies an operator whose argument has no accents. Only texts with letters outside ASCII
 * have accents, and each searched table has an index of these without accents (migration 072).
 */
const withoutAccents = (sql: string, operator: string): string =>
  `(${sql} ${operator} or ${isOutsideAscii(sql)} and without_accents(${sql}) ${operator})`;

const isOutsideAscii = (sql: string) => `(octet_length(${sql}) <> length(${sql})) is true`;

const containsOperator = (text: string, parameter: (value: unknown) => string) =>
  `like without_accents(${pattern(text, parameter)})`;

/** PostgreSQL lowers the text, since JavaScript converts a Turkish İ differently. */
const pattern = (text: string, parameter: (value: unknown) => string) =>
  `lower(${parameter(`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)})`;

/** Caches the value of `make` at the first call. */
export function once<Value>(make: () => Value): () => Value {
  let cached: { value: Value } | undefined;
  return () => (cached ??= { value: make() }).value;
}
