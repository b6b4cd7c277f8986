/**
 * Files in Azure Blob Storage, each an append blob: appended blocks are durable, and a block is only accepted at the current end, so that a
 * retry appends nothing twice. Imported only if configured. https://learn.microsoft.com/rest/api/storageservices/append-block
 */
import { ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import type { Readable } from 'node:stream';
import { sealedInPlace, withStorageErrors, type FileStorage } from './storage.ts';
import { limitIdleTime, storageTimeLimits } from './time-limits.ts';

/** Buffer size per upload. A blob has at most 50,000 blocks, so a file at most 100 GB. */
const blockBytes = 2 * 1024 * 1024;

/** `url`: azure://account/container, with `?endpoint=` outside the public cloud. */
export function createAzureStorage(url: URL, key: string, limits = storageTimeLimits): FileStorage {
  const account = url.hostname;
  const endpoint = url.searchParams.get('endpoint') ?? `https://${account}.blob.core.windows.net`;
  const container = new ContainerClient(
    // The portal of Azure shows endpoints with a slash at the end.
    `${endpoint.replace(/\/+$/, '')}${url.pathname}`,
    new StorageSharedKeyCredential(account, key),
    {
      retryOptions: {
        maxTries: 3,
        retryDelayInMs: 200,
        maxRetryDelayInMs: 2_000,
        tryTimeoutInMs: limits.callMs,
      },
    },
  );
  const blobOf = (id: string) => container.getAppendBlobClient(id);
  // The library's own limit is only a request to the service, which may not respond at all. The limit includes retries.
  const limit = () => ({ abortSignal: AbortSignal.timeout(limits.callMs) });

  const read: FileStorage['read'] = (id, range) =>
    withStorageErrors(async () => {
      const count = range && range.end - range.start + 1;
      // Limits the time until the response starts; the stream has a limit for each chunk.
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), limits.callMs);
      const response = await blobOf(id)
        .download(range?.start, count, { abortSignal: controller.signal })
        .catch(nullIfNotFound)
        .finally(() => clearTimeout(timer));
      const body = response?.readableStreamBody as Readable | undefined;
      return body ? limitIdleTime(body, limits.idleMs) : null;
    });

  return {
    create: (id) =>
      withStorageErrors(async () => {
        await blobOf(id).create({ conditions: { ifNoneMatch: '*' }, ...limit() });
      }),

    async append(id, offset, bytes) {
      const blob = blobOf(id);
      let blockChunks: Uint8Array[] = [];
      let size = 0;
      let position = offset;
      const flush = () =>
        withStorageErrors(async () => {
          if (size === 0) return;
          const block = Buffer.concat(blockChunks);
          [blockChunks, size] = [[], 0];
          await blob.appendBlock(block, block.length, {
            conditions: { appendPosition: position },
            ...limit(),
          });
          position += block.length;
        });
      try {
        for await (const piece of bytes)
          for (let rest = piece; rest.length > 0;) {
            const part = rest.subarray(0, blockBytes - size);
            rest = rest.subarray(part.length);
            blockChunks.push(part);
            size += part.length;
            if (size === blockBytes) await flush();
          }
      } finally {
        // Includes the data received before a connection was lost.
        await flush();
      }
    },

    sizeOf: (id) =>
      withStorageErrors(
        async () => (await blobOf(id).getProperties(limit()).catch(nullIfNotFound))?.contentLength ?? null,
      ),

    // Confirmed blocks are durable, and no block follows the announced size: nothing to do.
    seal: (id) => Promise.resolve(sealedInPlace((range) => read(id, range))),
    read,

    remove: (id) =>
      withStorageErrors(async () => {
        await blobOf(id).delete(limit()).catch(nullIfNotFound);
      }),
  };
}

/** Treats a missing file as deleted, unless the whole container is missing. */
function nullIfNotFound(error: unknown): null {
  const { code, details } = error as { code?: string; details?: { errorCode?: string } };
  // Responses to HEAD have no body; the error code is in a header only.
  if ((details?.errorCode ?? code) === 'BlobNotFound') return null;
  throw error;
}
