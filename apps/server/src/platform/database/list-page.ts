/**
 * Reads a table for a grid: a page (a window by offset, sorted by one column with the id as tie-breaker), the ids of
 * a selection, and everything for an export, each narrowed by a "contains" search and by filters of white-listed columns.
 *
 * The ids of a page are found in an index first and joined to their rows afterwards, so that far pages of a million
 * rows stay quick; past the middle, the index is read from its other end.
 */
import { requestErrors } from '@vestibule/contract/request-errors';
import { selectionErrors, type Filter, type Selection } from '@vestibule/contract/values';
import { selectionMaximum } from '@vestibule/contract/rules/limits';
import { fail } from '../errors/failure.ts';
import type { Queryable, QueryConfig } from './database.ts';
import { sqlName } from './define-table.ts';

/**
 * A column by the name it has in the contract. What can be asked of it follows from its kind: texts contain or are
 * one of, sets and ids are one of, dates and numbers lie between; all can be empty or filled.
 */
export type ListColumn = {
  kind: 'text' | 'set' | 'id' | 'date' | 'number';
  /** The SQL column, where it is not the name in snake_case. Where it is sorted by, there is an index `(column, id)`. */
  sql?: string;
  /** Of a text: the table's `search` holds it too, so that the trigram index of `search` finds it. */
  searched?: boolean;
  /**
   * Of a text: beside the SQL column is one with `_folded` behind its name, which has it in lower case, to sort and search by
   * instead; the index is `(folded, id)`.
   */
  folded?: boolean;
  /**
   * Of a set whose values are not stored as they are shown: the SQL condition of each. `$now` is the moment, `$viewer` the
   * id of whoever asks.
   */
  values?: Record<string, string>;
  /** Of a set: a row has several values, with commas between them. */
  several?: boolean;
};

/** A column of a list that is exported: what the file calls it, and its values where they are not for people. */
export type ExportedColumn = ListColumn & { label: string; words?: Record<string, string> };

/** A list whose columns are `Name`, the names that the contract sorts and filters by. */
export type ListSource<Name extends string = string, Column extends ListColumn = ListColumn> = {
  /** Has an `id` (a UUID unless said otherwise), and a `search` in lower case with a trigram index. */
  table: string;
  idType?: 'bigint';
  columns: Record<Name, Column>;
  /** Where not everybody sees every row: the SQL condition of those that `$viewer` sees. */
  visible?: string;
  /** Sorted by this SQL column, downwards, when the query names nothing. */
  newestFirst: string;
};

/** Which rows: what is searched and filtered. */
export type ListMatch = {
  search?: string | undefined;
  filters?: Filter[] | undefined;
  /** None but these. */
  ids?: string[] | undefined;
  /** Who asks, where the list depends on that. */
  viewer?: { id: string; seesAll: boolean };
  /** None of these. */
  except?: string[] | undefined;
  /** Only ids that come after this one. */
  after?: string | undefined;
};

export type ListOrder = { sort?: string | undefined; direction: 'asc' | 'desc' };

export type ListQuery = ListMatch & ListOrder & { offset: number; limit: number };

/** Totals from here on take long to count and change little in comparison: they are remembered for a while. */
const rememberedFrom = 10_000;
const rememberMilliseconds = 30_000;
const rememberedMatches = 1_000;
/** A text in so many rows is counted sooner by reading the column's own index through than by way of `search`. */
const usuallyCommonFrom = 50_000;
/** How far the rows that match may exceed what a person was shown, whose total may be half a minute old. */
const unseenShare = 0.01;

/** Makes the reader of one table. `commonFrom`: how many rows make a text a common one. */
export function createListReader<Row, Source extends ListSource = ListSource>(
  database: Queryable,
  source: Source,
  now: () => number,
  commonFrom = usuallyCommonFrom,
) {
  const { table } = source;
  const totals = new Map<string, { until: number; total: number }>();

  function rememberedTotal(match: ListMatch): number | null {
    const remembered = totals.get(keyOf(match));
    return remembered && remembered.until > now() ? remembered.total : null;
  }

  async function count(match: ListMatch): Promise<number> {
    const remembered = rememberedTotal(match);
    if (remembered !== null) return remembered;
    const total = await countRows(match);
    if (total >= rememberedFrom) {
      if (totals.size >= rememberedMatches) totals.clear();
      totals.set(keyOf(match), { until: now() + rememberMilliseconds, total });
    }
    return total;
  }

  async function countRows(match: ListMatch): Promise<number> {
    const counted = async (text: (values: unknown[]) => string) => {
      const values: unknown[] = [];
      const { rows } = await database.query<{ total: number }>({ text: text(values), values });
      return rows[0]?.total ?? 0;
    };
    const isSearched = match.filters?.some(
      ({ is, column }) => is === 'contains' && columnOf(source, column).searched,
    );
    if (isSearched) {
      const upToCommon = await counted(
        (values) =>
          `select count(*) as total from (select from ${table} ${where(source, match, values, now())} limit ${commonFrom})`,
      );
      if (upToCommon < commonFrom) return upToCommon;
    }
    return counted(
      (values) => `select count(*) as total from ${table} ${where(source, match, values, now(), 'common')}`,
    );
  }

  async function read(query: ListQuery): Promise<Row[]> {
    const { column, direction } = orderOf(source, query);
    const window = nearerEnd(query, rememberedTotal(query));
    const values: unknown[] = [window.limit, window.offset];
    // Not prepared: the best plan depends on the offset and on how rare the searched text is.
    const { rows } = await database.query<Row>({
      text: `with page as (
               select id as page_id from ${table} ${where(source, query, values, now())}
               order by ${order(column, window.backwards ? opposite(direction) : direction)} limit $1 offset $2)
             select ${table}.* from page join ${table} on id = page_id order by ${order(column, direction)}`,
      values,
    });
    return rows;
  }

  return {
    source,

    /** One page. `total` is null but for the first page (offset 0). */
    async page(query: ListQuery): Promise<{ rows: Row[]; total: number | null }> {
      const [rows, total] = await Promise.all([read(query), query.offset === 0 ? count(query) : null]);
      return { rows, total };
    },

    /** What reads all that match, with the named columns as they are shown, and what counts them. */
    everything(query: ListMatch & ListOrder, names: string[]): { rows: QueryConfig; count: QueryConfig } {
      const { column, direction } = orderOf(source, query);
      const values: unknown[] = [];
      const matching = `from ${table} ${where(source, query, values, now())}`;
      const counted = { text: `select count(*) as total ${matching}`, values: [...values] };
      const moment = once(() => `$${values.push(new Date(now()))}`);
      const shown = names.map((name) => shownValue(source, name, moment));
      return {
        rows: { text: `select ${shown.join(', ')} ${matching} order by ${order(column, direction)}`, values },
        count: counted,
      };
    },

    /**
     * The ids of a selection, each once and in their order, so that whoever locks their rows does it in one order.
     * Those chosen one by one are given as they are: whether they exist shows when something is done with them.
     */
    async select(selection: Selection, viewer?: ListMatch['viewer']): Promise<string[]> {
      if ('ids' in selection) return [...new Set(selection.ids)].sort();
      const values: unknown[] = [];
      const { rows } = await database.query<{ id: string }>({
        text: `select id from ${table} ${where(source, { ...selection.all, ...(viewer && { viewer }) }, values, now())} limit ${selectionMaximum + 1}`,
        values,
      });
      if (rows.length > selectionMaximum) throw fail(selectionErrors.tooLarge);
      const shown = selection.all.total - (selection.all.except?.length ?? 0);
      if (rows.length > shown * (1 + unseenShare)) throw fail(selectionErrors.changed);
      return rows.map(({ id }) => id).sort();
    },
  };
}

export type ListReader<Row, Source extends ListSource = ListSource> = ReturnType<
  typeof createListReader<Row, Source>
>;

const keyOf = ({ search, filters, ids, except, after, viewer }: ListMatch) =>
  JSON.stringify([search ?? '', filters ?? [], ids, except, after, viewer]);

/** The same window counted from the end, where that is nearer. */
function nearerEnd({ offset, limit }: ListQuery, total: number | null) {
  if (total === null || offset < total / 2) return { backwards: false, offset, limit };
  const end = Math.min(offset + limit, total);
  return { backwards: true, offset: total - end, limit: Math.max(0, end - offset) };
}

function orderOf(source: ListSource, { sort, direction }: ListOrder) {
  if (sort === undefined) return { column: source.newestFirst, direction: 'desc' as const };
  return { column: sortedBy(source, sort), direction };
}

/** The SQL column by which rows are sorted; its index is `(column, id)`. */
function sortedBy(source: ListSource, name: string): string {
  const { sql, folded } = columnOf(source, name);
  return folded ? `${sql}_folded` : sql;
}

/** An index on `(column, id)` serves both: read forwards its nulls come last, read backwards first. */
function order(column: string, direction: 'asc' | 'desc'): string {
  return `${column} ${direction} ${direction === 'asc' ? 'nulls last' : 'nulls first'}, id ${direction}`;
}

function opposite(direction: 'asc' | 'desc'): 'asc' | 'desc' {
  return direction === 'asc' ? 'desc' : 'asc';
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The condition of a search and filters, for texts that few rows have or many. What it compares with is added to `values`. */
function where(
  source: ListSource,
  { search, filters, ids, except, after, viewer }: ListMatch,
  values: unknown[],
  now: number,
  texts: 'rare' | 'common' = 'rare',
): string {
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const moment = once(() => parameter(new Date(now)));
  const asking = once(() => `${parameter(viewer?.id)}::uuid`);
  const conditions = (filters ?? []).map((filter) =>
    conditionOf(source, filter, parameter, moment, texts).replaceAll('$viewer', asking),
  );
  if (source.visible !== undefined && viewer?.seesAll !== true)
    conditions.unshift(source.visible.replaceAll('$viewer', asking));
  if (search) conditions.unshift(`search like ${parameter(containing(search.toLowerCase()))}`);
  const [form, type] = source.idType === 'bigint' ? [/^\d{1,18}$/, 'bigint'] : [uuid, 'uuid'];
  const list = (some: string[]) => `${parameter(some.filter((id) => form.test(id)))}::${type}[]`;
  if (ids) conditions.unshift(`id = any(${list(ids)})`);
  if (except && except.length > 0) conditions.push(`id <> all(${list(except)})`);
  if (after !== undefined) conditions.push(`id > ${parameter(after)}::${type}`);
  return conditions.length === 0 ? '' : `where ${conditions.map((one) => `(${one})`).join(' and ')}`;
}

function conditionOf(
  source: ListSource,
  filter: Filter,
  parameter: (value: unknown) => string,
  moment: () => string,
  texts: 'rare' | 'common',
): string {
  const column = columnOf(source, filter.column);
  const { sql, kind } = column;
  const isText = kind === 'text' || (kind === 'set' && !column.values);
  const refuse = (sentence: string) =>
    fail(requestErrors.invalid, { fields: { filters: `The column ${filter.column} ${sentence}` } });
  switch (filter.is) {
    case 'contains': {
      if (kind !== 'text') throw refuse('holds no free text. Filter it by its values.');
      const pattern = containing(filter.text.toLowerCase());
      const found = column.folded
        ? `${sql}_folded like ${parameter(pattern)}`
        : `${sql} ilike ${parameter(containing(filter.text))}`;
      return column.searched && texts === 'rare' ? `search like ${parameter(pattern)} and ${found}` : found;
    }
    case 'oneOf': {
      if (kind === 'date' || kind === 'number')
        throw refuse('has no values to choose from. Filter it by a range.');
      const { values } = column;
      if (kind === 'id')
        return `${sql} = any(${parameter(filter.values.filter((id) => uuid.test(id)))}::uuid[])`;
      if (column.several) return `string_to_array(${sql}, ', ') && ${parameter(filter.values)}::text[]`;
      if (!values) return `${sql} = any(${parameter(filter.values)}::text[])`;
      const known = filter.values.filter((value) => Object.hasOwn(values, value));
      const conditions = known.map((value) => `(${values[value]})`).join(' or ') || 'false';
      return conditions.replaceAll('$now', moment);
    }
    case 'between': {
      if (kind !== 'date' && kind !== 'number')
        throw refuse('has no order to lie between. Filter it by its values.');
      const bound = (value: string | number) => {
        if ((typeof value === 'number') !== (kind === 'number'))
          throw refuse(kind === 'number' ? 'holds numbers.' : 'holds moments, such as 2026-11-21T08:30:00Z.');
        return kind === 'number'
          ? `${parameter(value)}::float8`
          : `${parameter(new Date(value))}::timestamptz`;
      };
      return [
        ...(filter.from === undefined ? [] : [`${sql} >= ${bound(filter.from)}`]),
        ...(filter.to === undefined ? [] : [`${sql} < ${bound(filter.to)}`]),
      ].join(' and ');
    }
    case 'empty':
      return isText ? `coalesce(${sql}, '') = ''` : `${sql} is null`;
    case 'filled':
      return isText ? `${sql} <> ''` : `${sql} is not null`;
  }
}

/** A column as people see it. */
function shownValue(source: ListSource, name: string, moment: () => string): string {
  const column = columnOf(source, name);
  if (!column.values) return column.sql;
  const cases = Object.entries(column.values).map(
    ([value, condition]) => `when ${condition} then '${value}'`,
  );
  return `case ${cases.join(' ')} end`.replaceAll('$now', moment);
}

/** The contract names the columns; one that is missing here is a defect of ours. */
function columnOf(source: ListSource, name: string): ListColumn & { sql: string } {
  const column = Object.hasOwn(source.columns, name) ? source.columns[name] : undefined;
  if (!column) throw new Error(`${source.table} has no column ${name}`);
  return { sql: sqlName(name), ...column };
}

/** The LIKE pattern of "contains". */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
