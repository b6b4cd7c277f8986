import type { ColDef, GridApi, GridOptions, Theme } from 'ag-grid-community';
import type { GridColumn } from './grid-column.ts';
import type { GridPages } from './grid-pages.ts';
import type { GridFilter } from './grid-query.ts';

/** What AG Grid Community and AG Grid Enterprise do differently with the same rows and columns. */
export interface GridEdition {
  readonly name: 'community' | 'enterprise';
  readonly theme: Theme;
  /** The row model, on our pages. */
  rows: <Row>(pages: GridPages<Row>) => GridOptions<Row>;
  /** Fetches what is on the screen again, and leaves it there meanwhile. */
  refresh: (api: GridApi) => void;
  setRowCount: (api: GridApi, count: number) => void;
  /** Where filters are AG Grid's own; otherwise they are ours (grid-filter.tsx). */
  filters?: {
    column: (column: GridColumn<never>) => ColDef;
    /** Opens a column's filter. */
    open: (api: GridApi, column: string) => void;
    read: (api: GridApi, columns: readonly GridColumn<never>[]) => GridFilter[];
    show: (api: GridApi, columns: readonly GridColumn<never>[], filters: readonly GridFilter[]) => void;
  };
}

/** A grid that is on the screen. */
export interface RunningGrid<Row> {
  api: GridApi<Row>;
  edition: GridEdition;
}
