/** Props of a grid and its data source. docs/add-a-screen.md has an example. */
import type { ReactNode, Ref } from 'react';
import type { MenuItem } from '../menu/menu.tsx';
import type { GridColumn } from './grid-column.ts';
import type { FetchPage, GridRow } from './grid-pages.ts';
import type { GridAddress } from './grid-address.ts';
import type { GridCondition, GridSort } from './grid-query.ts';
import type { SelectedRows } from './grid-selection.ts';
import type { CountText } from './skipped.ts';

/** Number of rows per tab id, and of the whole list as `all`. `more` means that the number is a lower bound. */
export type TabCounts = Readonly<Record<string, { count: number; more: boolean }>>;

export type GridHandle = {
  /** Fetches the rows again. The visible rows and the scroll position stay. */
  refresh: () => void;
};

export type GridSource<Row> = {
  fetchPage: FetchPage<Row>;
  /** Name under which the server stores the user's columns and views. Without a name they are not stored. */
  name?: string;
  /** Path of the export route, such as `/api/people/export`. */
  exportPath?: string;
  /** Event area that refreshes the rows, such as `people`. Scroll position and selection stay. */
  changesOf?: string;
  /** Returns the number of rows per tab. A tab filters the rows by the condition `group` with the tab's id. */
  countTabs?: (signal: AbortSignal) => Promise<TabCounts>;
  /** Conditions that are added to every request. They must not change. */
  within?: readonly GridCondition[];
  /** Default order. */
  sort?: GridSort;
};

/** Search, filters, order and tab, stored in the URL. */
type AddressOfGrid = {
  /** State of the address. Also changes when the user navigates back or opens a link. */
  current: GridAddress;
  /** `addsHistoryEntry`: adds a history entry instead of replacing the current one. */
  onChange: (address: GridAddress, addsHistoryEntry: boolean) => void;
};

export type BulkAction<Row> = Omit<MenuItem, 'onSelect'> & {
  /** If it returns a promise, the button is busy until that settles. */
  onSelect: (selected: SelectedRows<Row>) => unknown;
  /** Returns why the action does not apply to a row, or null if it does. Must match the server's rule. */
  skipReason?: (row: Row) => CountText | null;
};

export type DataGridProps<Row extends GridRow> = {
  /** Name of the list: "People". */
  label: string;
  /** Returns a count in words: "1 person", "1,234 people". */
  countOf: (count: number) => string;
  source: GridSource<Row>;
  columns: readonly GridColumn<Row>[];
  /** Shown if the list has no rows even without search and filters. */
  emptyState: ReactNode;
  /** Called for a click or Enter on a row. */
  onRowOpen?: (row: Row) => void;
  /**
   * Panel with details of the row that has this id, or a dialog. The row is marked. See side-panel.tsx. `onClose` closes the error of a
   * panel whose script could not be loaded.
   */
  detailPanel?: { id: string; panel: ReactNode; isDialog?: boolean; onClose?: () => void } | false;
  rowActions?: (row: Row) => readonly MenuItem[];
  /** Actions on selected rows. Without actions, rows cannot be selected. */
  bulkActions?: readonly BulkAction<Row>[];
  address?: AddressOfGrid;
  /** Labels of frequently used parts of the list by their ids, in addition to "All". */
  tabs?: Readonly<Record<string, string>>;
  ref?: Ref<GridHandle>;
};
