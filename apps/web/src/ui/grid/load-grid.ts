import type { GridEdition } from './editions/grid-edition.ts';
import type { GridView } from './grid-view.tsx';

/** What a loaded grid brings. */
type LoadedGrid = {
  readonly edition: GridEdition;
  readonly GridView: typeof GridView;
};

let loading: Promise<LoadedGrid> | undefined;

/**
 * Fetches the grid: AG Grid Enterprise with a licence key, Community without, and never both (J1). The first call
 * decides; later ones answer the same promise. After a failure (no connection) the next call tries again.
 */
export function loadGrid(licenseKey: string | null): Promise<LoadedGrid> {
  loading ??= (licenseKey ? loadEnterprise(licenseKey) : loadCommunity()).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** The grid that `loadGrid` was asked for. */
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
