import { afterEach, describe, expect, test, vi } from 'vitest';
import type { GridExport, GridServer } from '../rows/grid-server.ts';
import { runExport } from './run-export.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('runExport', () => {
  test('aborts writing to the chosen file when the server rejects the export (J2)', async () => {
    const abort = vi.fn<() => void>();
    const createWritable = async () => new WritableStream({ abort });
    vi.stubGlobal('window', { showSaveFilePicker: async () => ({ createWritable }) });
    const server = {
      openExport: () => Promise.reject(new Error('refused')),
    } as Partial<GridServer> as GridServer;
    await runExport(server, { format: 'csv' } as GridExport, { label: 'People', total: 200_000 });
    expect(abort).toHaveBeenCalledOnce();
  });
});
