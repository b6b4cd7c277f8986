/** Named views of a grid: which there are, which is chosen, and what is done to them. */
import { useState } from 'react';
import { isSameLayout, layoutOf } from '../columns/grid-layout.ts';
import type { GridMemory } from '../columns/grid-memory.ts';
import type { GridColumns } from '../columns/use-grid-columns.ts';
import { knownFilters, knownOrder, type GridSort } from '../rows/grid-query.ts';
import type { GridLook, GridServer, GridViewChange, GridViewRecord } from '../rows/grid-server.ts';
import type { QuestionState } from '../rows/use-grid-filters.ts';

/** The named views of a grid. What fails on the server throws. */
export type GridViews = {
  all: readonly GridViewRecord[];
  /** Whether this person may share views, and change shared ones. */
  mayShare: boolean;
  /** The view that was chosen last, whatever has been changed since. */
  current: GridViewRecord | undefined;
  choose: (view: GridViewRecord) => void;
  /** Everything as the screen defines it. */
  reset: () => void;
  /** Keeps what the grid shows now as a new view. */
  create: (named: { name: string; shared: boolean }) => Promise<void>;
  rename: (view: GridViewRecord, named: { name: string; shared: boolean }) => Promise<void>;
  /** Keeps what the grid shows now in a view. */
  update: (view: GridViewRecord) => Promise<void>;
  remove: (view: GridViewRecord) => Promise<void>;
};

/** The views of a grid; null where no server keeps them. */
export function useGridViews<Row>({
  server,
  name,
  memory: { views: all, mayShare, setLayout, setViews },
  columns: { defined, placed, compact },
  question,
  sort,
}: {
  server: GridServer | null;
  /** The grid's. */
  name: string | undefined;
  memory: GridMemory;
  columns: GridColumns<Row>;
  question: QuestionState;
  /** The order to begin with. */
  sort: GridSort | undefined;
}): GridViews | null {
  const [currentId, setCurrentId] = useState<string | null>(null);
  if (!server || !name) return null;

  const look = (): GridLook => ({
    layout: layoutOf(placed, compact),
    ...(question.order && { sort: question.order }),
    ...(question.tab !== undefined && { tab: question.tab }),
    ...(question.asked.search !== undefined && { search: question.asked.search }),
    filters: [...question.filters],
  });
  const show = (wanted: Partial<GridLook>) => {
    const { layout, tab, search = '', filters = [], sort: order } = wanted;
    if (!layout || !isSameLayout(layout, layoutOf(placed, compact))) setLayout(layout ?? null);
    question.ask({ tab, search, order: knownOrder(defined, order), filters: knownFilters(defined, filters) });
  };
  const put = (view: GridViewRecord) =>
    setViews((known) => [...known.filter(({ id }) => id !== view.id), view].toSorted(byName));
  const change = async (view: GridViewRecord, part: GridViewChange) =>
    put(await server.changeView(view, part));

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
    create: async (named) => {
      const view = await server.createView(name, { ...named, look: look() });
      put(view);
      setCurrentId(view.id);
    },
    rename: change,
    update: (view) => change(view, { look: look() }),
    remove: async (view) => {
      await server.deleteView(view);
      setViews((known) => known.filter(({ id }) => id !== view.id));
      setCurrentId((id) => (id === view.id ? null : id));
    },
  };
}

function byName(one: GridViewRecord, other: GridViewRecord): number {
  return one.name.localeCompare(other.name, 'und', { numeric: true });
}
