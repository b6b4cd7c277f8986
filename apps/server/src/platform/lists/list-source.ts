/** What a list is of: its table, the columns that it is sorted and filtered by, its groups; and which of its rows are asked for. */
import type { Filter } from '@vestibule/contract/values';
import { sqlName } from '../database/define-table.ts';

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
export type ListSource<
  Name extends string = string,
  Column extends ListColumn = ListColumn,
  Group extends string = string,
> = {
  /** Has an `id` (a UUID unless said otherwise), and a `search` in lower case with a trigram index. */
  table: string;
  idType?: 'bigint';
  /** Rows written before texts were normalised keep their spelling: every text is looked for as NFC and as NFD. */
  isUnchangeable?: boolean;
  columns: Record<Name, Column>;
  /**
   * The SQL condition of each group of rows that is counted, and filtered by as the contract's `groupColumn`; `$now` is the
   * moment. An index leads to each, so that a rare one is not looked for in a million rows.
   */
  groups?: Record<Group, string>;
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

/** The contract names the columns; one that is missing here is a defect of ours. */
export function columnOf(source: ListSource, name: string): ListColumn & { sql: string } {
  const column = Object.hasOwn(source.columns, name) ? source.columns[name] : undefined;
  if (!column) throw new Error(`${source.table} has no column ${name}`);
  return { sql: sqlName(name), ...column };
}
