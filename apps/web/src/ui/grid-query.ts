// What a grid asks a server for, and the words for it. The server's side of the same is `listQuery` of the contract.

/** The order of the rows; `column` is the id of a `GridColumn`. */
export interface GridSort {
  column: string;
  direction: 'asc' | 'desc';
}

/** One condition on one column; all of a grid's conditions hold together. */
export type GridFilter =
  | { column: string; is: 'contains'; text: string }
  | { column: string; is: 'oneOf'; values: string[] }
  /** From `from` up to, but without, `to`. Moments are ISO 8601. */
  | { column: string; is: 'between'; from?: string; to?: string }
  | { column: string; is: 'empty' | 'filled' };

/** Which rows, without saying which part of them. */
export interface GridQuestion {
  sort?: GridSort;
  /** What stands in the search box, trimmed; absent when that is empty. */
  search?: string;
  /** Absent when there is none. */
  filters?: readonly GridFilter[];
}

/** One page of rows that a grid asks for. */
export interface GridQuery extends GridQuestion {
  /** Rows before the first one. */
  offset: number;
  limit: number;
}
