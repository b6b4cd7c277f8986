import { ModuleRegistry } from 'ag-grid-community';
import { blockOf, communityModules, gridTheme, type GridEdition } from './grid-edition.ts';

ModuleRegistry.registerModules(communityModules);

/** AG Grid Community with the infinite row model. */
export const edition: GridEdition = {
  name: 'community',
  theme: gridTheme,
  rows: (pages) => ({
    rowModelType: 'infinite',
    datasource: {
      getRows: (request) =>
        void pages.load({
          ...blockOf(request),
          succeed: (rows, count) => request.successCallback(rows, count),
          fail: () => request.failCallback(),
        }),
      destroy: () => pages.restart(),
    },
    infiniteInitialRowCount: 12,
  }),
  refresh: (api) => api.refreshInfiniteCache(),
};

export { GridView } from '../grid-view.tsx';
