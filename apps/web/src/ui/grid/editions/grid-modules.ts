import {
  CellStyleModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  EventApiModule,
  InfiniteRowModelModule,
  LocaleModule,
  RenderApiModule,
  RowApiModule,
  RowStyleModule,
  ScrollApiModule,
  type Module,
} from 'ag-grid-community';

/** What our grids use of AG Grid in either edition; a feature that is not listed here is not in the build. */
export const sharedModules: Module[] = [
  ColumnApiModule,
  ColumnAutoSizeModule,
  RowApiModule,
  RowStyleModule,
  CellStyleModule,
  EventApiModule,
  LocaleModule,
  RenderApiModule,
  ScrollApiModule,
];

/** With the row model of Community. */
export const communityModules: Module[] = [...sharedModules, InfiniteRowModelModule];
