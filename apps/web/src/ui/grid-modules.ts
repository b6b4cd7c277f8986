import {
  CellStyleModule,
  ColumnApiModule,
  EventApiModule,
  InfiniteRowModelModule,
  RenderApiModule,
  RowApiModule,
  RowStyleModule,
  ScrollApiModule,
  type Module,
} from 'ag-grid-community';

/** What our grids use of AG Grid Community; a feature that is not listed here is not in the build. */
export const communityModules: Module[] = [
  InfiniteRowModelModule,
  ColumnApiModule,
  RowApiModule,
  RowStyleModule,
  CellStyleModule,
  EventApiModule,
  RenderApiModule,
  ScrollApiModule,
];
