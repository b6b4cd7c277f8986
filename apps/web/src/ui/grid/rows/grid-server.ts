/**
 * What a grid needs of a server besides its rows. The kit knows no server: the application provides this once
 * (lib/lists/grids.ts, in routes/layout.tsx); without it a grid works, and keeps, exports and watches nothing.
 */
import { createContext } from 'react';
import type { GridCondition, GridFilter, GridSort } from './grid-query.ts';

/** Which columns are shown, in which order and how; columns of the grid that are missing here follow at the end. */
export type GridLayout = {
  /** How high rows are; absent where the screen decides. */
  density?: 'compact';
  columns: readonly { id: string; hidden?: boolean; width?: number; pinned?: boolean }[];
};

/** All that a named view brings back. */
export type GridLook = {
  layout: GridLayout;
  sort?: GridSort;
  tab?: string;
  search?: string;
  filters?: GridFilter[];
};

/** A look under a name. */
export type GridViewRecord = {
  id: string;
  name: string;
  /** All who may share can choose it, change it and delete it. */
  shared: boolean;
  /** It is this person's; nobody else takes it back from the others. */
  own: boolean;
  /** Whose it is, in words, where it is somebody else's. */
  owner?: string;
  look: GridLook;
};

/** What is changed of a view. */
export type GridViewChange = { name?: string; shared?: boolean; look?: GridLook };

/** A file with all rows that match, without those in `except`; or only those with the `ids`. */
export type GridExport = {
  /** The route's path, such as `/api/people/export`. */
  path: string;
  format: 'csv' | 'xlsx';
  /** Left out, all there are. */
  columns?: readonly string[];
  sort?: GridSort;
  search?: string;
  filters?: readonly GridCondition[];
  ids?: readonly string[];
  except?: readonly string[];
  /** Titles and values as the grid shows them. */
  texts?: GridExportTexts;
};

type GridExportTexts = {
  sheet?: string;
  columns: Record<string, string>;
  values: Record<string, Record<string, string>>;
};

/** What a person has kept for a grid, and the views they can choose. */
export type GridRecall = {
  layout: GridLayout | null;
  views: readonly GridViewRecord[];
  /** Whether they may share views with others, and change those that are shared. */
  mayShare: boolean;
};

/** See the top of this file. */
export type GridServer = {
  recall: (grid: string) => Promise<GridRecall>;
  keepLayout: (grid: string, layout: GridLayout | null) => Promise<void>;
  createView: (
    grid: string,
    view: { name: string; shared: boolean; look: GridLook },
  ) => Promise<GridViewRecord>;
  changeView: (view: GridViewRecord, change: GridViewChange) => Promise<GridViewRecord>;
  deleteView: (view: GridViewRecord) => Promise<void>;
  /** Opens the file; its body is read as it comes. */
  openExport: (wanted: GridExport, signal: AbortSignal) => Promise<Response>;
  /** Calls `listener` soon after something of these areas has changed elsewhere; the answer stops that. */
  watch: (areas: readonly string[], listener: () => void) => () => void;
};

/** The application's `GridServer`, for all grids below. */
export const GridServerContext = createContext<GridServer | null>(null);
