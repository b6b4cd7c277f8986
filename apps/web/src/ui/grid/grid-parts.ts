import { createContext, use } from 'react';
import type { GridFilter } from './rows/grid-query.ts';
import type { RowSelection } from './selection/grid-selection.ts';

/** Context of the headers and check boxes that AG Grid renders. */
export type GridParts = {
  /** Each row is rendered as one cell. */
  narrow: boolean;
  filters: readonly GridFilter[];
  openFilter: (column: string, header: HTMLElement) => void;
  /** Null if the grid has no bulk actions. */
  // oxlint-disable-next-line typescript/no-explicit-any -- AG Grid's components are not generic
  selection: RowSelection<any> | null;
  selectAll: (all: boolean) => void;
  /** Toggles a row. With `range`, toggles all rows from the previously toggled row to this row. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  select: (row: any, index: number, range: boolean) => unknown;
  /** Number of matching rows; undefined until counted. */
  total: number | undefined;
};

export const GridPartsContext = createContext<GridParts | null>(null);

export function useGridParts(): GridParts {
  const parts = use(GridPartsContext);
  if (!parts) throw new Error('Only inside a grid.');
  return parts;
}
