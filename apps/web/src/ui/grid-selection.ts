import type { GridFilter } from './grid-query.ts';

/** The rows that are selected, as the contract's `Selection`: single ones, or all that match. */
export type GridSelection =
  | { ids: string[] }
  | { all: { search?: string; filters?: GridFilter[]; total: number } };

/** What a bulk action is given. */
export interface SelectedRows<Row> {
  /** For the server: the body of `POST /api/<area>/actions`. */
  selection: GridSelection;
  /** How many they are. */
  count: number;
  /** Those that the browser knows: every one where single rows are selected, at most some of "all that match". */
  rows: readonly Row[];
  /** Selects nothing any more; to be called once the action is done. */
  clear: () => void;
}
