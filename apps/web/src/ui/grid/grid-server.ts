/**
 * Interface between grids and the server, implemented by features/views/grid-server.ts. Without an implementation, grids do not store, export or
 * refresh.
 */
import { createContext } from 'react';
import type { GridCondition, GridFilter, GridSort } from './grid-query.ts';

/** Stored columns in their order. Columns that are missing are appended. */
export type GridLayout = {
  /** Row height. Default: comfortable. */
  density?: 'compact';
  columns: readonly { id: string; hidden?: boolean; width?: number; pinned?: boolean }[];
};

/** Contents of a named view. */
export type GridViewState = {
  layout: GridLayout;
  sort?: GridSort;
  tab?: string;
  search?: string;
  filters?: GridFilter[];
};

export type GridViewRecord = {
  id: string;
  name: string;
  /** All users who may share views can use, change and delete the view. */
  shared: boolean;
  /** Whether the user owns the view. Only its owner can stop sharing it. */
  own: boolean;
  /** Display name of the view's owner, if the owner is another user. */
  owner?: string;
  state: GridViewState;
};

export type GridViewChange = { name?: string; shared?: boolean; state?: GridViewState };

/** Request for a file. It contains all matching rows except those in `except`, or only the rows in `ids`. */
export type GridExport = {
  /** Path of the route, such as `/api/people/export`. */
  path: string;
  format: 'csv' | 'xlsx';
  /** Default: all columns. */
  columns?: readonly string[];
  sort?: GridSort;
  search?: string;
  filters?: readonly GridCondition[];
  ids?: readonly string[];
  except?: readonly string[];
  /** Titles and values in the user's language. */
  texts?: GridExportTexts;
};

type GridExportTexts = {
  sheet?: string;
  columns: Record<string, string>;
  values: Record<string, Record<string, string>>;
};

/** A user's stored layout and available views. */
export type GridPreferences = {
  layout: GridLayout | null;
  views: readonly GridViewRecord[];
  /** Whether the user may share views and change shared ones. */
  mayShare: boolean;
};

export type GridServer = {
  loadPreferences: (grid: string) => Promise<GridPreferences>;
  saveLayout: (grid: string, layout: GridLayout | null) => Promise<void>;
  createView: (
    grid: string,
    view: { name: string; shared: boolean; state: GridViewState },
  ) => Promise<GridViewRecord>;
  changeView: (grid: string, viewId: string, change: GridViewChange) => Promise<GridViewRecord>;
  deleteView: (grid: string, viewId: string) => Promise<void>;
  /** Starts the export. The caller streams the body. */
  openExport: (wanted: GridExport, signal: AbortSignal) => Promise<Response>;
  /** Calls `listener` shortly after server-sent changes in these areas. Returns the function that removes the listener. */
  watch: (areas: readonly string[], listener: () => void) => () => void;
};

export const GridServerContext = createContext<GridServer | null>(null);
