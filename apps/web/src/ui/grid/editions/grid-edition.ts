import {
  type GridApi,
  type GridOptions,
  type SortModelItem,
  type Theme,
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
  createTheme,
  iconSetQuartzRegular,
} from 'ag-grid-community';
import type { GridPages } from '../grid-pages.ts';

/** The differences between AG Grid Community and AG Grid Enterprise. */
export type GridEdition = {
  readonly name: 'community' | 'enterprise';
  readonly theme: Theme;
  /** Returns the options of the row model. */
  rows: <Row>(pages: GridPages<Row>) => GridOptions<Row>;
  /** Fetches the visible rows again. The previous rows are shown until then. */
  refresh: (api: GridApi) => void;
};

/** The rendered grid with AG Grid's API. */
export type RunningGrid<Row> = { api: GridApi<Row>; edition: GridEdition };

/** Returns the rows and the order that AG Grid requests. */
export const blockOf = ({ startRow = 0, endRow = startRow + 100, sortModel: [sort] }: Block) => ({
  offset: startRow,
  limit: endRow - startRow,
  sort: sort && { column: sort.colId, direction: sort.sort },
});

type Block = { startRow?: number | undefined; endRow?: number | undefined; sortModel: SortModelItem[] };

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

/** AG Grid's theme. Its values are our CSS variables, so a change of theme needs no update. */
export const gridTheme = createTheme().withPart(iconSetQuartzRegular).withParams({
  accentColor: 'var(--accent)',
  backgroundColor: 'var(--surface-raised)',
  foregroundColor: 'var(--text)',
  textColor: 'var(--text)',
  subtleTextColor: 'var(--text-muted)',
  borderColor: 'var(--line)',
  chromeBackgroundColor: 'var(--surface-sunken)',
  browserColorScheme: 'inherit',
  invalidColor: 'var(--danger)',
  fontFamily: 'inherit',
  fontSize: '0.875rem',
  spacing: '8px',
  rowHeight: '44px',
  headerHeight: '2.625rem',
  cellHorizontalPadding: '12px',
  wrapperBorder: false,
  wrapperBorderRadius: '0px',
  headerBackgroundColor: 'var(--surface-raised)',
  headerTextColor: 'var(--text-muted)',
  headerFontWeight: 560,
  headerFontSize: '0.8125rem',
  rowHoverColor: 'var(--surface-hover)',
  selectedRowBackgroundColor: 'var(--accent-soft)',
  rangeSelectionBorderColor: 'var(--focus)',
  iconColor: 'var(--text-muted)',
  menuBackgroundColor: 'var(--surface-raised)',
  menuTextColor: 'var(--text)',
  focusShadow: '0 0 0 2px var(--focus)',
});
