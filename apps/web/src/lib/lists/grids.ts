/** Server functions of grids, except for loading rows: implements `GridServer` (ui/grid/rows/grid-server.ts). */
import {
  changeView,
  createView,
  deleteView,
  getGrid,
  saveGridState,
  type Grid,
  type View,
} from '@vestibule/contract/views';
import { call, openStream } from '../call.ts';
import { followChanges } from '../live-changes.ts';

type Layout = {
  density?: 'compact';
  columns: readonly { id: string; hidden?: boolean; width?: number; pinned?: boolean }[];
};
type Sort = { column: string; direction: 'asc' | 'desc' };
type Filter =
  | { column: string; is: 'contains'; text: string }
  | { column: string; is: 'oneOf'; values: string[] }
  | { column: string; is: 'between'; from?: string | number; to?: string | number }
  | { column: string; is: 'empty' | 'filled' };
type StoredFilter = Filter | { column: string; is: 'days'; from?: number; to?: number };
type Look = { layout: Layout; sort?: Sort; tab?: string; search?: string; filters?: StoredFilter[] };
type SavedView = {
  id: string;
  grid: Grid;
  name: string;
  shared: boolean;
  own: boolean;
  owner: string;
  look: Look;
};

export const gridServer = {
  async loadPreferences(grid: string) {
    const { state, views, mayShare } = await call(getGrid, { params: { grid: grid as Grid } });
    return { layout: readLayout(state), views: views.map(toSavedView), mayShare };
  },
  async saveLayout(grid: string, layout: Layout | null) {
    await call(saveGridState, { params: { grid: grid as Grid }, body: { state: { ...layout } } });
  },
  async createView(grid: string, { name, shared, look }: { name: string; shared: boolean; look: Look }) {
    const body = { name, shared, state: { ...look } };
    return toSavedView(await call(createView, { params: { grid: grid as Grid }, body }));
  },
  async changeView(
    view: { id: string },
    { look, ...change }: { name?: string; shared?: boolean; look?: Look },
  ) {
    const body = { ...change, ...(look && { state: { ...look } }) };
    return toSavedView(await call(changeView, { params: viewParams(view), body }));
  },
  async deleteView(view: { id: string }) {
    await call(deleteView, { params: viewParams(view) });
  },
  openExport(
    {
      path,
      sort,
      ...selection
    }: {
      path: string;
      format: string;
      columns?: readonly string[];
      sort?: Sort;
      search?: string;
      filters?: readonly Filter[];
      ids?: readonly string[];
      except?: readonly string[];
      texts?: object;
    },
    signal: AbortSignal,
  ) {
    const body = { ...selection, ...(sort && { sort: sort.column, direction: sort.direction }) };
    const route = { method: 'POST', path: path as `/${string}`, access: 'admin' } as const;
    return openStream(route, { body, accept: '*/*', signal });
  },
  watch: followChanges,
};

/** Grid of each loaded view, by view id. */
const gridByViewId = new Map<string, Grid>();

function viewParams({ id }: { id: string }) {
  const grid = gridByViewId.get(id);
  if (!grid) throw new Error(`The view ${id} was not loaded.`);
  return { grid, viewId: id };
}

function toSavedView({ id, grid, name, shared, own, owner, state }: View): SavedView {
  gridByViewId.set(id, grid);
  const { sort, tab, search, filters } = state as Partial<Look>;
  const look = {
    layout: readLayout(state) ?? { columns: [] },
    ...(sort && { sort }),
    ...(typeof tab === 'string' && { tab }),
    ...(typeof search === 'string' && { search }),
    ...(Array.isArray(filters) && { filters }),
  };
  return { id, grid, name, shared, own, owner, look };
}

/** Returns null for state of an incompatible older version. */
function readLayout(state: Record<string, unknown> | null): Layout | null {
  const layout = (state?.['layout'] ?? state) as { columns?: unknown; density?: unknown } | null | undefined;
  const columns = layout?.columns;
  if (!Array.isArray(columns)) return null;
  return {
    ...(layout?.density === 'compact' && { density: 'compact' }),
    columns: columns.filter((column: unknown) => typeof (column as { id?: unknown } | null)?.id === 'string'),
  };
}
