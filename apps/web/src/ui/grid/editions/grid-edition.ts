import type { GridApi, GridOptions, Theme } from 'ag-grid-community';
import type { GridPages } from '../rows/grid-pages.ts';

/** The differences between AG Grid Community and AG Grid Enterprise. */
export type GridEdition = {
  readonly name: 'community' | 'enterprise';
  readonly theme: Theme;
  /** Returns the options of the row model. */
  rows: <Row>(pages: GridPages<Row>) => GridOptions<Row>;
  /** Fetches the visible rows again. The previous rows are shown until then. */
  refresh: (api: GridApi) => void;
  setRowCount: (api: GridApi, count: number) => void;
};

/** The rendered grid with AG Grid's API. */
export type RunningGrid<Row> = {
  api: GridApi<Row>;
  edition: GridEdition;
};
