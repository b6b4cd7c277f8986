import { ModuleRegistry } from 'ag-grid-community';
import { CellSelectionModule, ClipboardModule, ColumnMenuModule, LicenseManager } from 'ag-grid-enterprise';
import { communityModules } from './grid-modules.ts';

ModuleRegistry.registerModules([...communityModules, CellSelectionModule, ClipboardModule, ColumnMenuModule]);

/** Tells AG Grid the key. A wrong one shows a watermark and console errors; it throws nothing. */
export function setLicenseKey(key: string): void {
  LicenseManager.setLicenseKey(key);
}

export { GridView } from './grid-view.tsx';
