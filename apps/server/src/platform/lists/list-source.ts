/** Definitions of lists (table, columns, groups) and of requests for their rows. */
import type { Filter } from '@vestibule/contract/values';
import { sqlName } from '../database/define-table.ts';

/** Kinds of columns with an order: the SQL type of their bounds, and the error for a bound of another kind. */
export const ranges = {
  date: { type: 'timestamptz', mismatch: 'holds moments, such as 2026-11-21T08:30:00Z.' },
  day: { type: 'date', mismatch: 'holds days, such as 2026-11-21.' },
  number: { type: 'float8', mismatch: 'holds numbers.' },
};

/**
 * Column by contract name. Its kind determines its filters: "contains" and "is one of" for texts, "is one of" for sets
 * and ids, "is between" for dates, days and numbers, "is empty" and "is filled" for all.
 */
export type ListColumn = {
  /** `date` is a time (`timestamptz`), `day` a day without a time zone (`date`). */
  kind: 'text' | 'set' | 'id' | keyof typeof ranges;
  /**
   * SQL column, if its name is not the contract name in snake_case. A column that lists can be sorted by has an index on `(column, id)`.
   */
  sql?: string;
  /** For texts: the table's column `search` contains this text, so that its trigram index can be used. */
  searched?: boolean;
  /**
   * For texts: a second SQL column with suffix `_folded` contains the text in lower case, for sorting and searching.
   * Its index is on `(folded collate alphabetical, id)`.
   */
  folded?: boolean;
  /** For sets with computed values: SQL condition of each value. `$now` is the current time, `$viewer` the caller's id. */
  values?: Record<string, string>;
  /** For sets: a row has several values, separated by commas. */
  several?: boolean;
  /** For texts and for sets of several values: many rows have the same value, and an index starts with the column. */
  isRepeated?: boolean;
};

/** Column of an exported list: its heading and, if the values are codes, their texts. */
export type ExportedColumn = ListColumn & { label: string; words?: Record<string, string> };

/** List whose columns are `Name`, the names that the contract sorts and filters by. */
export type ListSource<
  Name extends string = string,
  Column extends ListColumn = ListColumn,
  Group extends string = string,
> = {
  /**
   * Table or view with a column `id` (UUID by default) and a lower-case column `search`, which has trigram indexes with and without
   * accents (migration 072).
   */
  table: string;
  /** Statement that reads the rows, with `table` as their name. A view would prevent a team's migrations of its tables. */
  rows?: string;
  idType?: 'bigint';
  /** Rows written before texts were normalized keep their spelling, so values are compared as NFC and NFD. */
  isUnchangeable?: boolean;
  columns: Record<Name, Column>;
  /**
   * SQL condition of each group of rows. Lists count the rows of each group, and filter by groups as the contract's `groupColumn`. `$now`
   * is the current time. Each condition needs an index, so that a rare group does not scan a million rows.
   */
  groups?: Record<Group, string>;
  /** SQL expression of the organization of a row. Without it, the list exists only for the whole site. */
  organization?: string;
  /** SQL columns of orders with an index on `(organization, column, id)`. In other orders, all rows of an organization are sorted. */
  organizationOrders?: string[];
  /**
   * Orders of a table of the whole site that has an index on `(column, id)`, and the condition that its row `ordered` is in `$organization`.
   * Pages of a large organization are read from these indexes.
   */
  siteOrders?: { table: string; columns: string[]; condition: string };
  /** SQL condition of the rows that `$viewer` may see, if not all. */
  visible?: string;
  /** SQL columns of orders whose index includes `search`, so that a search needs no rows. */
  searchedOrders?: string[];
  /** SQL column of the default order, descending. */
  newestFirst: string;
};

/** Rows of the whole site, for site administrators and for tables without organizations, or of one organization. */
export type Scope = 'site' | { organizationId: string };

export type ListMatch = {
  search?: string | undefined;
  filters?: Filter[] | undefined;
  /** Values of columns: a row has one of the values of each. They replace filters (list-values.ts). */
  stored?: { column: string; values: string[] }[];
  /** Limits the result to these ids. */
  ids?: string[] | undefined;
  /** Caller, if the list depends on it. */
  viewer?: { id: string; seesAll: boolean };
  /** Excludes these ids. */
  except?: string[] | undefined;
  /** Limits the result to ids after this one. */
  after?: string | undefined;
};

/** The contract defines the names; a missing one is a server error. */
export function columnOf(source: ListSource, name: string): ListColumn & { sql: string } {
  const column = Object.hasOwn(source.columns, name) ? source.columns[name] : undefined;
  if (!column) throw new Error(`${source.table} has no column ${name}`);
  return { sql: sqlName(name), ...column };
}

/** Returns the terms of `order by`. One index on `(column, id)` provides both directions, including the position of nulls. */
export const orderByTerms = (column: string, direction: 'asc' | 'desc'): string =>
  `${column} ${direction} ${direction === 'asc' ? 'nulls last' : 'nulls first'}, id ${direction}`;

/** Returns the SQL of a folded text as in its index. */
export const foldedText = (sql: string): string => `${sql}_folded collate alphabetical`;
