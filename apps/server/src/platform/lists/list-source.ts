/** Definitions of lists (table, columns, groups) and of requests for their rows. */
import type { Filter } from '@vestibule/contract/values';
import { sqlName } from '../database/define-table.ts';

/**
 * Column by contract name. Its kind determines the filters: texts contain or are one of, sets and ids are one of, dates
 * and numbers are between; all can be empty or filled.
 */
export type ListColumn = {
  kind: 'text' | 'set' | 'id' | 'date' | 'number';
  /** SQL column, if it is not the name in snake_case. A sortable column has an index `(column, id)`. */
  sql?: string;
  /** For texts: the table's `search` contains it, so that the trigram index applies. */
  searched?: boolean;
  /**
   * For texts: a second SQL column with suffix `_folded` holds it in lower case for sorting and searching; the index is
   * `(folded collate alphabetical, id)`.
   */
  folded?: boolean;
  /** For sets with computed values: SQL condition of each. `$now` is the current time, `$viewer` the caller's id. */
  values?: Record<string, string>;
  /** For sets: a row has several values, separated by commas. */
  several?: boolean;
};

/** Column of an exported list: its heading and, if the values are codes, their texts. */
export type ExportedColumn = ListColumn & { label: string; words?: Record<string, string> };

/** List whose columns are `Name`, the names that the contract sorts and filters by. */
export type ListSource<
  Name extends string = string,
  Column extends ListColumn = ListColumn,
  Group extends string = string,
> = {
  /** Has an `id` (UUID by default) and a lower-case `search` with a trigram index. */
  table: string;
  idType?: 'bigint';
  /** Rows written before texts were normalized keep their spelling, so texts are searched as NFC and NFD. */
  isUnchangeable?: boolean;
  columns: Record<Name, Column>;
  /**
   * SQL condition of each group of rows that is counted, and filtered by as the contract's `groupColumn`; `$now` is the
   * current time. Each needs an index, so that a rare group does not scan a million rows.
   */
  groups?: Record<Group, string>;
  /** SQL condition of the rows that `$viewer` may see, if not all. */
  visible?: string;
  /** SQL column of the default order, descending. */
  newestFirst: string;
};

/** Search and filters. */
export type ListMatch = {
  search?: string | undefined;
  filters?: Filter[] | undefined;
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
