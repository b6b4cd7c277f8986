/** Server functions of grids, except for loading rows. */
import {
  changeView,
  createView,
  deleteView,
  getGrid,
  saveGridState,
  type Grid,
  type View,
} from '@vestibule/contract/views';
import { call, openStream } from '../../lib/call.ts';
import { followChanges } from '../../lib/live-changes.ts';
import type { GridLayout, GridServer, GridViewRecord, GridViewState } from '../../ui/grid/grid-server.ts';

export const gridServer: GridServer = {
  async loadPreferences(grid) {
    const { state, views, mayShare } = await call(getGrid, { params: { grid: grid as Grid } });
    return { layout: readLayout(state), views: views.map(toRecord), mayShare };
  },
  async saveLayout(grid, layout) {
    await call(saveGridState, { params: { grid: grid as Grid }, body: { state: { ...layout } } });
  },
  createView: async (grid, body) =>
    toRecord(await call(createView, { params: { grid: grid as Grid }, body })),
  changeView: async (grid, viewId, body) =>
    toRecord(await call(changeView, { params: { grid: grid as Grid, viewId }, body })),
  async deleteView(grid, viewId) {
    await call(deleteView, { params: { grid: grid as Grid, viewId } });
  },
  openExport({ path, sort, ...selection }, signal) {
    const body = { ...selection, ...(sort && { sort: sort.column, direction: sort.direction }) };
    const route = { method: 'POST', path: path as `/${string}`, access: 'admin' } as const;
    return openStream(route, { body, accept: '*/*', signal });
  },
  watch: followChanges,
};

function toRecord(view: View): GridViewRecord {
  const { sort, tab, search, filters } = view.state as Partial<GridViewState>;
  return {
    ...view,
    state: {
      layout: readLayout(view.state) ?? { columns: [] },
      ...(sort && { sort }),
      ...(typeof tab === 'string' && { tab }),
      ...(typeof search === 'string' && { search }),
      ...(Array.isArray(filters) && { filters }),
    },
  };
}

/** Returns null for state of an incompatible older version. */
function readLayout(state: Record<string, unknown> | null): GridLayout | null {
  const layout = (state?.['layout'] ?? state) as { columns?: unknown; density?: unknown } | null | undefined;
  const columns = layout?.columns;
  if (!Array.isArray(columns)) return null;
  return {
    ...(layout?.density === 'compact' && { density: 'compact' }),
    columns: columns.filter((column: unknown) => typeof (column as { id?: unknown } | null)?.id === 'string'),
  };
}
