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

/** AG Grid modules of both editions. Features of other modules are not part of the build. */
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

export const communityModules: Module[] = [...sharedModules, InfiniteRowModelModule];
