import type { GridApi, GridOptions, Theme } from 'ag-grid-community';
import type { GridPages } from '../rows/grid-pages.ts';

/** What AG Grid Community and AG Grid Enterprise do differently with the same rows and columns. */
export type GridEdition = {
  readonly name: 'community' | 'enterprise';
  readonly theme: Theme;
  /** The row model, on our pages. */
  rows: <Row>(pages: GridPages<Row>) => GridOptions<Row>;
  /** Fetches what is on the screen again, and leaves it there meanwhile. */
  refresh: (api: GridApi) => void;
  setRowCount: (api: GridApi, count: number) => void;
};

/** A grid that is on the screen. */
export type RunningGrid<Row> = {
  api: GridApi<Row>;
  edition: GridEdition;
};
