import { ModuleRegistry } from 'ag-grid-community';
import { type GridEdition, communityModules, gridTheme } from './grid-edition.ts';

ModuleRegistry.registerModules(communityModules);

/** AG Grid Community with the infinite row model. */
export const edition: GridEdition = {
  name: 'community',
  theme: gridTheme,
  rows: (pages) => ({
    rowModelType: 'infinite',
    datasource: {
      getRows: (request) => {
        const { startRow, endRow, sortModel } = request;
        const [sort] = sortModel;
        void pages.load({
          offset: startRow,
          limit: endRow - startRow,
          sort: sort && { column: sort.colId, direction: sort.sort },
          succeed: (rows, count) => request.successCallback(rows, count),
          fail: () => request.failCallback(),
        });
      },
      destroy: () => pages.restart(),
    },
    infiniteInitialRowCount: 12,
  }),
  refresh: (api) => api.refreshInfiniteCache(),
  setRowCount: (api, count) => api.setRowCount(count, true),
};

export { GridView } from '../grid-view.tsx';
