import { rejectedChunkHeader } from '@vestibule/contract/attachments';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { setTokenProvider } from '../../../lib/call.ts';
import { transfer } from './tus-transfer.ts';

type Options = {
  uploadUrl?: string;
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
        const isGone = this.options.uploadUrl?.endsWith('/expired') === true;
        const status = isGone ? 404 : 413;
        const originalResponse = {
          getStatus: () => status,
          getBody: () => (isGone ? '{}' : '<h1>413</h1>'),
          getHeader: () => undefined,
        };
        if (isGone || bytes > limit) this.options.onError({ originalResponse });
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
async function transferOf(size: number, uploadId = '1'): Promise<string> {
  const file = new File([], 'train.bin');
  Object.defineProperty(file, 'size', { value: size });
  const options = { signal: new AbortController().signal, onUploadId() {}, onProgress() {} };
  return (await transfer(file, uploadId, options))?.message ?? 'done';
}

describe('transfer', () => {
  test('an upload that no longer exists on the server restarts once (K7)', async () => {
    expect(await transferOf(1 * MB, 'expired')).toBe('done');
    expect(sent).toHaveLength(2);
    sent.length = 0;
  });

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
