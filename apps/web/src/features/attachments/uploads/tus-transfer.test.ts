import { rejectedChunkHeader } from '@vestibule/contract/attachments';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { setTokenProvider } from '../../../lib/call.ts';
import { startTransfer } from './tus-transfer.ts';

type Options = {
  chunkSize: number;
  onBeforeRequest(request: { setHeader(name: string, value: string): void }): Promise<void>;
  onSuccess(): void;
  onError(error: object): void;
};

const MB = 1_000_000;
/** Maximum request size of the simulated proxy. */
let limit = Infinity;
/** Size of each request, and the size of a rejected chunk that the request reports. */
const sent: { bytes: number; refused: string | null }[] = [];

beforeAll(() => {
  setTokenProvider(() => Promise.resolve(null));
  vi.doMock('tus-js-client', () => ({
    Upload: class {
      private readonly file: File;
      private readonly options: Options;

      constructor(file: File, options: Options) {
        this.file = file;
        this.options = options;
      }

      async start() {
        const headers = new Headers();
        await this.options.onBeforeRequest({ setHeader: (name, value) => headers.set(name, value) });
        const bytes = Math.min(this.options.chunkSize, this.file.size);
        sent.push({ bytes, refused: headers.get(rejectedChunkHeader) });
        const originalResponse = { getStatus: () => 413, getBody: () => '<h1>413</h1>' };
        if (bytes > limit) this.options.onError({ originalResponse });
        else this.options.onSuccess();
      }
    },
  }));
});
afterAll(() => {
  vi.doUnmock('tus-js-client');
  setTokenProvider(null);
});

/** Resolves with the result. */
function transferOf(size: number): Promise<string> {
  const file = new File([], 'train.bin');
  Object.defineProperty(file, 'size', { value: size });
  return new Promise((resolve) => {
    startTransfer(
      { file, url: '/api/attachments/uploads/1' },
      {
        url: () => {},
        progress: () => {},
        done: () => resolve('done'),
        failed: ({ message }) => resolve(message),
      },
    );
  });
}

describe('startTransfer', () => {
  test('after a 413 response of a proxy, the next request has a smaller chunk and reports the size of the rejected one', async () => {
    expect(await transferOf(40 * MB)).toBe('done');
    limit = 5 * MB;
    // Both start with the largest chunk size; each reports its own rejected chunk.
    expect(await Promise.all([transferOf(40 * MB), transferOf(6 * MB)])).toEqual(['done', 'done']);
    expect(sent).toEqual([
      { bytes: 32 * MB, refused: null },
      { bytes: 32 * MB, refused: null },
      { bytes: 6 * MB, refused: null },
      { bytes: 4 * MB, refused: `${32 * MB}` },
      { bytes: 4 * MB, refused: `${6 * MB}` },
    ]);

    // Later transfers start with the smaller size.
    expect(await transferOf(40 * MB)).toBe('done');
    expect(sent.at(-1)).toEqual({ bytes: 4 * MB, refused: null });

    limit = 0.1 * MB;
    expect(await transferOf(40 * MB)).toMatch(/blocks uploads, even in small pieces/);
    expect(sent.slice(-2)).toEqual([
      { bytes: 4 * MB, refused: null },
      { bytes: 0.5 * MB, refused: `${4 * MB}` },
    ]);
  });
});
