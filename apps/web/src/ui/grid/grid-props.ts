/**
 * What a grid takes from the screen that it stands on.
 *
 *   const people = {                         made once, outside the component
 *     name: 'people',                        columns and named views are kept under it, per person
 *     fetchPage: fetchPageFrom(listPeople),
 *     exportPath: '/api/people/export',      all rows that match, as CSV or XLSX
 *     changesOf: 'people',                   fetched again when the server tells of a change
 *   };
 *
 *   <DataGrid
 *     source={people}
 *     columns={columns}                      each may have `filter: { kind: 'text' | 'set' | 'date' | 'number', … }`
 *     bulkActions={[{ label: 'Disable', danger: true, onSelect: ({ selection, count, rows, clear }) => … }]}
 *     …
 *   />
 */
import type { ReactNode, Ref } from 'react';
import type { MenuItem } from '../menu/menu.tsx';
import type { GridColumn } from './columns/grid-column.ts';
import type { FetchPage, GridRow } from './rows/grid-pages.ts';
import type { GridAddress } from './rows/grid-address.ts';
import type { GridCondition, GridSort } from './rows/grid-query.ts';
import type { SelectedRows } from './selection/grid-selection.ts';
import type { CountWords } from './selection/skipped.ts';
import type { GridTab } from './tabs/grid-tabs.tsx';
import type { TabCounts } from './tabs/use-tab-counts.ts';

/** What a caller can do with a grid through its `ref`. */
export type GridHandle = {
  /** Fetches the rows again; those on the screen stay, and so does the place scrolled to. */
  refresh: () => void;
};

/** A list on the server. */
export type GridSource<Row> = {
  fetchPage: FetchPage<Row>;
  /** The grid's name on the server: what a person chooses here (columns, widths, views) is kept there. */
  name?: string;
  /** The path of the route that exports this list, such as `/api/people/export`. */
  exportPath?: string;
  /** The area whose changes fetch the rows again, such as `people`; place and selection stay. */
  changesOf?: string;
  /** How many rows each tab has; the server filters by its id as the group of that name. */
  countTabs?: (signal: AbortSignal) => Promise<TabCounts>;
  /** No other rows than these, whatever is asked. Stays as it is. */
  within?: readonly GridCondition[];
  /** The order where the address names none. */
  sort?: GridSort;
};

/** What is asked of a grid, kept in the address of its screen. */
export type AddressOfGrid = {
  /** What is asked to begin with, and whenever that changes from outside (an address, the back button). */
  current: GridAddress;
  /** `isPlace`: to go back leads to the address before it. */
  onChange: (address: GridAddress, isPlace: boolean) => void;
};

/** Something that can be done to many rows at once. */
export type BulkAction<Row> = Omit<MenuItem, 'onSelect'> & {
  /** May return a promise; the button is busy until it settles. */
  onSelect: (selected: SelectedRows<Row>) => unknown;
  /** Why it is not done to a row, by what is known of that here; null where it is. By the rule that the server applies. */
  leavesOut?: (row: Row) => CountWords | null;
};

/** What `DataGrid` takes. */
export type DataGridProps<Row extends GridRow> = {
  /** What the grid lists, for screen readers and the search box: "People". */
  label: string;
  /** What is counted: "1 person", "1,234 people". */
  countOf: (count: number) => string;
  source: GridSource<Row>;
  columns: readonly GridColumn<Row>[];
  /** Shown when there is nothing at all, not when a search finds nothing. */
  emptyState: ReactNode;
  /** Click or Enter on a row. */
  onRowOpen?: (row: Row) => void;
  /** What stands beside the rows: more about the row of this id, which is marked (side-panel.tsx). */
  beside?: { id: string; panel: ReactNode } | undefined;
  /** The entries of a row's menu: its button, Enter on that, Shift+F10. */
  rowActions?: (row: Row) => readonly MenuItem[];
  /** Rows can be selected, across pages, and these are offered for them. */
  bulkActions?: readonly BulkAction<Row>[];
  address?: AddressOfGrid;
  /** Parts of the list that are asked for often, beside all of it. */
  tabs?: readonly GridTab[];
  ref?: Ref<GridHandle>;
};
