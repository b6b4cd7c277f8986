import { createContext, use } from 'react';
import type { GridFilter } from './rows/grid-query.ts';
import type { RowSelection } from './selection/grid-selection.ts';

/** What headers and check boxes inside the rows need from the grid around them. */
export type GridParts = {
  /** A row is one cell of two lines. */
  narrow: boolean;
  filters: readonly GridFilter[];
  /** Opens a column's filter at its header. */
  openFilter: (column: string, header: HTMLElement) => void;
  /** null where nothing can be done with many rows. */
  // oxlint-disable-next-line typescript/no-explicit-any -- AG Grid's components do not know the row
  selection: RowSelection<any> | null;
  selectAll: (all: boolean) => void;
  /** The person selects a row, or with `range` all rows up to it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  select: (row: any, index: number, range: boolean) => unknown;
  /** All that match; undefined until the server has counted them. */
  total: number | undefined;
};

export const GridPartsContext = createContext<GridParts | null>(null);

/** Only inside the rows of a grid. */
export function useGridParts(): GridParts {
  const parts = use(GridPartsContext);
  if (!parts) throw new Error('Only inside a grid.');
  return parts;
}
