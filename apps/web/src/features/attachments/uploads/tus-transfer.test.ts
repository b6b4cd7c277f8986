import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { setTokenProvider } from '../../../lib/call.ts';
import { transfer } from './tus-transfer.ts';

type Options = {
  uploadUrl?: string;
  chunkSize: number;
  onBeforeRequest(request: { setHeader(): void }): Promise<void>;
  onSuccess(): void;
  onError(error: object): void;
};

const MB = 1_000_000;
/** Maximum request size of the simulated proxy. */
let limit = Infinity;
/** Size of each request. */
const sent: number[] = [];

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
        await this.options.onBeforeRequest({ setHeader() {} });
        const bytes = Math.min(this.options.chunkSize, this.file.size);
        sent.push(bytes);
        if (this.options.uploadUrl?.endsWith('/lost') === true) return this.options.onError({});
        const isGone = this.options.uploadUrl?.endsWith('/expired') === true;
        const status = isGone ? 404 : 413;
        const originalResponse = {
          getStatus: () => status,
          getBody: () => (isGone ? '{}' : '<h1>413</h1>'),
          getHeader: () => undefined,
        };
        if (isGone || bytes > limit) this.options.onError({ originalResponse });
        else this.options.onSuccess();
        return undefined;
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
  test('a file that changed during its upload is not retried, unlike a lost connection', async () => {
    const options = { signal: new AbortController().signal, onUploadId() {}, onProgress() {} };
    const file = new File(['train'], 'train.bin');
    expect(await transfer(file, 'lost', options)).toMatchObject({ kind: 'lost' });
    // Browsers refuse to read any part of such a file.
    file.slice = () => {
      const part = new Blob();
      part.arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'));
      return part;
    };
    expect(await transfer(file, 'lost', options)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('can no longer be read'),
    });
    sent.length = 0;
  });

  test('an upload that no longer exists on the server restarts once (K7)', async () => {
    expect(await transferOf(1 * MB, 'expired')).toBe('done');
    expect(sent).toHaveLength(2);
    sent.length = 0;
  });

  test('after a 413 response of a proxy, chunks are smaller, also those of later transfers', async () => {
    expect(await transferOf(40 * MB)).toBe('done');
    limit = 5 * MB;
    expect(await transferOf(40 * MB)).toBe('done');
    expect(await transferOf(40 * MB)).toBe('done');
    expect(sent).toEqual([32 * MB, 32 * MB, 4 * MB, 4 * MB]);

    // Parallel transfers reduce the size once.
    limit = 0.1 * MB;
    expect(await Promise.all([transferOf(40 * MB), transferOf(40 * MB)])).toEqual([
      expect.stringMatching(/blocks uploads, even in small pieces/),
      expect.stringMatching(/blocks uploads, even in small pieces/),
    ]);
    expect(sent.slice(-4)).toEqual([4 * MB, 4 * MB, 0.5 * MB, 0.5 * MB]);
  });
});
