/**
 * Files in Azure Blob Storage, each an append blob: what is appended is there for good, and a block is only taken where the
 * blob ends, so that a repeated request appends nothing twice. Imported only where the configuration names it.
 * https://learn.microsoft.com/rest/api/storageservices/append-block
 */
import { ContainerClient, RestError, StorageSharedKeyCredential } from '@azure/storage-blob';
import type { Readable } from 'node:stream';
import { sealedInPlace, StorageError, type FileStorage } from './storage.ts';

/** Gathered in memory for each upload. A blob has at most 50,000 blocks, a file therefore at most 100 GB. */
const blockBytes = 2 * 1024 * 1024;

/** `url`: azure://account/container, with `?endpoint=` where the account is not at the public cloud's address. */
export function createAzureStorage(url: URL, key: string): FileStorage {
  const account = url.hostname;
  const endpoint = url.searchParams.get('endpoint') ?? `https://${account}.blob.core.windows.net`;
  const container = new ContainerClient(
    `${endpoint}${url.pathname}`,
    new StorageSharedKeyCredential(account, key),
    { retryOptions: { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 2_000, tryTimeoutInMs: 60_000 } },
  );
  const blobOf = (id: string) => container.getAppendBlobClient(id);

  const read: FileStorage['read'] = (id, range) =>
    naming(async () => {
      const count = range && range.end - range.start + 1;
      const answer = await blobOf(id).download(range?.start, count).catch(nullIfGone);
      return (answer?.readableStreamBody as Readable | undefined) ?? null;
    });

  return {
    create: (id) =>
      naming(async () => {
        await blobOf(id).create({ conditions: { ifNoneMatch: '*' } });
      }),

    async append(id, offset, bytes) {
      const blob = blobOf(id);
      let gathered: Uint8Array[] = [];
      let size = 0;
      let position = offset;
      const flush = () =>
        naming(async () => {
          if (size === 0) return;
          const block = Buffer.concat(gathered);
          [gathered, size] = [[], 0];
          await blob.appendBlock(block, block.length, { conditions: { appendPosition: position } });
          position += block.length;
        });
      try {
        for await (const piece of bytes)
          for (let rest = piece; rest.length > 0;) {
            const part = rest.subarray(0, blockBytes - size);
            rest = rest.subarray(part.length);
            gathered.push(part);
            size += part.length;
            if (size === blockBytes) await flush();
          }
      } finally {
        // Also what came before the connection was lost.
        await flush();
      }
    },

    sizeOf: (id) =>
      naming(async () => (await blobOf(id).getProperties().catch(nullIfGone))?.contentLength ?? null),

    // What the service has confirmed is kept, and nobody appends behind the end that was announced: nothing is changed.
    seal: (id) => Promise.resolve(sealedInPlace((range) => read(id, range))),
    read,

    // Its state keeps everybody from it; a copy elsewhere in the container would keep it no better.
    setAside: () => Promise.resolve(),

    remove: (id) =>
      naming(async () => {
        await blobOf(id).delete().catch(nullIfGone);
      }),
  };
}

/** A file that is not there is gone, unless the whole container is. */
function nullIfGone(error: unknown): null {
  const { code, details } = error as { code?: string; details?: { errorCode?: string } };
  // Answers to HEAD have no body, and tell it in a header only.
  if ((details?.errorCode ?? code) === 'BlobNotFound') return null;
  throw error;
}

async function naming<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RestError ? new StorageError('unavailable', error) : error;
  }
}
