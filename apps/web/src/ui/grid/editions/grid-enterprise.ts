import { t } from '@lingui/core/macro';
import { escapeFormulas } from '@vestibule/contract/rules/spreadsheet-text';
import {
  buttonStyleQuartz,
  checkboxStyleDefault,
  inputStyleBordered,
  ModuleRegistry,
} from 'ag-grid-community';
import {
  CellSelectionModule,
  ClipboardModule,
  ColumnMenuModule,
  ColumnsToolPanelModule,
  LicenseManager,
  ServerSideRowModelApiModule,
  ServerSideRowModelModule,
} from 'ag-grid-enterprise';
import { blockOf, gridTheme, sharedModules, type GridEdition } from './grid-edition.ts';

ModuleRegistry.registerModules([
  ...sharedModules,
  ServerSideRowModelModule,
  ServerSideRowModelApiModule,
  ColumnsToolPanelModule,
  ColumnMenuModule,
  CellSelectionModule,
  ClipboardModule,
]);

/** Sets the license key. An invalid key shows a watermark and logs console errors. */
export function setLicenseKey(key: string): void {
  LicenseManager.setLicenseKey(key);
}

const columnsPanel = {
  suppressRowGroups: true,
  suppressValues: true,
  suppressPivots: true,
  suppressPivotMode: true,
};

/** AG Grid Enterprise with the server-side row model, columns panel, cell ranges and clipboard. */
export const edition: GridEdition = {
  name: 'enterprise',
  // The columns panel contains form fields.
  theme: gridTheme.withPart(inputStyleBordered).withPart(buttonStyleQuartz).withPart(checkboxStyleDefault),
  rows: (pages) => ({
    rowModelType: 'serverSide',
    suppressServerSideFullWidthLoadingRow: true,
    serverSideInitialRowCount: 12,
    serverSideDatasource: {
      getRows: (params) =>
        void pages.load({
          ...blockOf(params.request),
          succeed: (rowData, rowCount) =>
            params.success({ rowData, ...(rowCount !== undefined && { rowCount }) }),
          fail: () => params.fail(),
        }),
      destroy: () => pages.restart(),
    },
    cellSelection: true,
    processCellForClipboard: ({ value, formatValue }) => escapeFormulas(formatValue(value)),
    sideBar: {
      toolPanels: [
        {
          id: 'columns',
          labelDefault: t`Columns`,
          labelKey: 'columns',
          iconKey: 'columns',
          toolPanel: 'agColumnsToolPanel',
          toolPanelParams: columnsPanel,
        },
      ],
    },
  }),
  refresh: (api) => {
    api.retryServerSideLoads();
    api.refreshServerSide({ purge: false });
  },
};

export { GridView } from '../grid-view.tsx';
