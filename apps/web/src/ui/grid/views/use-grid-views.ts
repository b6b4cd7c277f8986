import { useState } from 'react';
import { isSameLayout, layoutOf } from '../columns/grid-layout.ts';
import type { StoredGridState } from '../columns/stored-grid-state.ts';
import type { GridColumns } from '../columns/use-grid-columns.ts';
import { knownFilters, knownOrder, type GridSort } from '../rows/grid-query.ts';
import type { GridViewState, GridServer, GridViewChange, GridViewRecord } from '../rows/grid-server.ts';
import type { FilterControls } from '../rows/use-grid-filters.ts';

/** Named views of a grid. Server errors are thrown. */
export type GridViews = {
  all: readonly GridViewRecord[];
  /** Whether the user may share views and change shared ones. */
  mayShare: boolean;
  /** The view that was chosen last, even if the grid was changed since. */
  current: GridViewRecord | undefined;
  choose: (view: GridViewRecord) => void;
  /** Restores the screen's defaults. */
  reset: () => void;
  /** Saves the current state as a new view. */
  create: (details: { name: string; shared: boolean }) => Promise<void>;
  rename: (view: GridViewRecord, details: { name: string; shared: boolean }) => Promise<void>;
  /** Overwrites a view with the current state. */
  update: (view: GridViewRecord) => Promise<void>;
  remove: (view: GridViewRecord) => Promise<void>;
};

/** Returns null if the grid has no server. */
export function useGridViews<Row>({
  server,
  name,
  memory: { views: all, mayShare, setLayout, setViews },
  columns: { defined, placed, compact },
  controls,
  sort,
}: {
  server: GridServer | null;
  /** Name of the grid. */
  name: string | undefined;
  memory: StoredGridState;
  columns: GridColumns<Row>;
  controls: FilterControls;
  /** Initial order. */
  sort: GridSort | undefined;
}): GridViews | null {
  const [currentId, setCurrentId] = useState<string | null>(null);
  if (!server || !name) return null;

  const look = (): GridViewState => ({
    layout: layoutOf(placed, compact),
    ...(controls.order && { sort: controls.order }),
    ...(controls.tab !== undefined && { tab: controls.tab }),
    ...(controls.applied.search !== undefined && { search: controls.applied.search }),
    filters: [...controls.filters],
  });
  const show = (target: Partial<GridViewState>) => {
    const { layout, tab, search = '', filters = [], sort: order } = target;
    if (!layout || !isSameLayout(layout, layoutOf(placed, compact))) setLayout(layout ?? null);
    controls.replace({
      tab,
      search,
      order: knownOrder(defined, order),
      filters: knownFilters(defined, filters),
    });
  };
  const put = (view: GridViewRecord) =>
    setViews((views) => [...views.filter(({ id }) => id !== view.id), view].toSorted(compareNames));
  const change = async (view: GridViewRecord, part: GridViewChange) =>
    put(await server.changeView(name, view.id, part));

  return {
    all,
    mayShare,
    current: all.find(({ id }) => id === currentId),
    choose: (view) => {
      setCurrentId(view.id);
      show(view.look);
    },
    reset: () => {
      setCurrentId(null);
      show(sort ? { sort } : {});
    },
    create: async (details) => {
      const view = await server.createView(name, { ...details, look: look() });
      put(view);
      setCurrentId(view.id);
    },
    rename: change,
    update: (view) => change(view, { look: look() }),
    remove: async (view) => {
      await server.deleteView(name, view.id);
      setViews((views) => views.filter(({ id }) => id !== view.id));
      setCurrentId((id) => (id === view.id ? null : id));
    },
  };
}

function compareNames(a: GridViewRecord, b: GridViewRecord): number {
  return a.name.localeCompare(b.name, 'und', { numeric: true });
}
