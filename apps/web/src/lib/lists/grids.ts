/** What grids need of the server besides their rows; the kit's `GridServer` (ui/grid/rows/grid-server.ts), which knows no server. */
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
/** One of the contract's filters. */
type Filter =
  | { column: string; is: 'contains'; text: string }
  | { column: string; is: 'oneOf'; values: string[] }
  | { column: string; is: 'between'; from?: string | number; to?: string | number }
  | { column: string; is: 'empty' | 'filled' };
/** As a view keeps it. */
type KeptFilter = Filter | { column: string; is: 'days'; from?: number; to?: number };
type Look = { layout: Layout; sort?: Sort; tab?: string; search?: string; filters?: KeptFilter[] };
type Named = {
  id: string;
  grid: Grid;
  name: string;
  shared: boolean;
  own: boolean;
  owner: string;
  look: Look;
};

export const gridServer = {
  async recall(grid: string) {
    const { state, views, mayShare } = await call(getGrid, { params: { grid: grid as Grid } });
    return { layout: layoutOf(state), views: views.map(named), mayShare };
  },
  async keepLayout(grid: string, layout: Layout | null) {
    await call(saveGridState, { params: { grid: grid as Grid }, body: { state: { ...layout } } });
  },
  async createView(grid: string, { name, shared, look }: { name: string; shared: boolean; look: Look }) {
    const body = { name, shared, state: { ...look } };
    return named(await call(createView, { params: { grid: grid as Grid }, body }));
  },
  async changeView(
    view: { id: string },
    { look, ...change }: { name?: string; shared?: boolean; look?: Look },
  ) {
    const body = { ...change, ...(look && { state: { ...look } }) };
    return named(await call(changeView, { params: paramsOf(view), body }));
  },
  async deleteView(view: { id: string }) {
    await call(deleteView, { params: paramsOf(view) });
  },
  openExport(
    {
      path,
      sort,
      ...wanted
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
    const body = { ...wanted, ...(sort && { sort: sort.column, direction: sort.direction }) };
    const route = { method: 'POST', path: path as `/${string}`, access: 'admin' } as const;
    return openStream(route, { body, accept: '*/*', signal });
  },
  watch: followChanges,
};

/** Which grid each view that was recalled belongs to. */
const gridOf = new Map<string, Grid>();

function paramsOf({ id }: { id: string }) {
  const grid = gridOf.get(id);
  if (!grid) throw new Error(`The view ${id} was never recalled.`);
  return { grid, viewId: id };
}

function named({ id, grid, name, shared, own, owner, state }: View): Named {
  gridOf.set(id, grid);
  const { sort, tab, search, filters } = state as Partial<Look>;
  const look = {
    layout: layoutOf(state) ?? { columns: [] },
    ...(sort && { sort }),
    ...(typeof tab === 'string' && { tab }),
    ...(typeof search === 'string' && { search }),
    ...(Array.isArray(filters) && { filters }),
  };
  return { id, grid, name, shared, own, owner, look };
}

/** What was kept may be of an older version, which is as good as nothing kept. */
function layoutOf(state: Record<string, unknown> | null): Layout | null {
  const kept = (state?.['layout'] ?? state) as { columns?: unknown; density?: unknown } | null | undefined;
  const columns = kept?.columns;
  if (!Array.isArray(columns)) return null;
  return {
    ...(kept?.density === 'compact' && { density: 'compact' }),
    columns: columns.filter((one: unknown) => typeof (one as { id?: unknown } | null)?.id === 'string'),
  };
}
