import type { GridEdition } from './editions/grid-edition.ts';
import type { GridView } from './grid-view.tsx';

type LoadedGrid = { readonly edition: GridEdition; readonly GridView: typeof GridView };

let loading: Promise<LoadedGrid> | undefined;

/** Loads AG Grid Enterprise if there is a license key, otherwise Community (J1). Later calls return the first call's promise, unless that failed. */
export function loadGrid(licenseKey: string | null): Promise<LoadedGrid> {
  loading ??= (licenseKey ? loadEnterprise(licenseKey) : loadCommunity()).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Returns the promise of the first `loadGrid` call. */
export function loadedGrid(): Promise<LoadedGrid> {
  if (!loading) throw new Error('Call loadGrid(licenseKey) before a DataGrid is rendered.');
  return loading;
}

async function loadCommunity(): Promise<LoadedGrid> {
  const { GridView, edition } = await import('./editions/grid-community.ts');
  return { edition, GridView };
}

async function loadEnterprise(licenseKey: string): Promise<LoadedGrid> {
  const { GridView, edition, setLicenseKey } = await import('./editions/grid-enterprise.ts');
  setLicenseKey(licenseKey);
  return { edition, GridView };
}
