/** Files in S3-compatible storage, through the store of the tus project, which uses multipart uploads. Imported only if configured. */
import { Readable } from 'node:stream';
import { S3Store } from '@tus/s3-store';
import { Upload } from '@tus/utils';
import { sealedInPlace, withStorageErrors, type ByteRange, type FileStorage } from './storage.ts';
import { limitIdleTime, storageTimeLimits } from './time-limits.ts';

type NodeHttpHandlerOptions = {
  connectionTimeout?: number;
  requestTimeout?: number;
  throwOnRequestTimeout?: boolean;
  socketTimeout?: number;
};

/** Adds to the store: size of a finished file, range reads and deletion. */
class S3Files extends S3Store {
  async sizeOf(id: string): Promise<number | null> {
    const head = await this.client.headObject({ Bucket: this.bucket, Key: id }).catch(nullIfNotFound);
    return head?.ContentLength ?? null;
  }

  async readPart(id: string, range?: ByteRange): Promise<Readable | null> {
    const response = await this.client
      .getObject({
        Bucket: this.bucket,
        Key: id,
        ...(range && { Range: `bytes=${range.start}-${range.end}` }),
      })
      .catch(nullIfNotFound);
    return (response?.Body as Readable | undefined) ?? null;
  }

  /** The store's own method fails for completed uploads, and uses a request that some S3 implementations lack. */
  override async remove(id: string): Promise<void> {
    const upload = await this.getMetadata(id).catch(nullIfNotFound);
    const { bucket: Bucket } = this;
    if (upload?.['upload-id'])
      await this.client
        .abortMultipartUpload({ Bucket, Key: id, UploadId: upload['upload-id'] })
        .catch(nullIfNotFound);
    for (const Key of [id, this.infoKey(id), this.partKey(id, true)])
      await this.client.deleteObject({ Bucket, Key }).catch(nullIfNotFound);
    await this.clearCache(id);
  }
}

/** `url`: s3://bucket?region=…&endpoint=…. Without an access key, the machine's role is used. */
export function createS3Storage(
  url: URL,
  keyId: string | null,
  key: string | null,
  limits = storageTimeLimits,
): FileStorage {
  const endpoint = url.searchParams.get('endpoint');
  const openStore = (requestHandler: NodeHttpHandlerOptions) =>
    new S3Files({
      // Tags are for a bucket rule that deletes abandoned uploads; the server's clean-up does that.
      useTags: false,
      s3ClientConfig: {
        bucket: url.hostname,
        region: url.searchParams.get('region') ?? 'us-east-1',
        maxAttempts: 2,
        requestHandler: { connectionTimeout: limits.connectMs, ...requestHandler },
        ...(endpoint !== null && {
          endpoint,
          forcePathStyle: true,
          // Other vendors may not support Amazon's trailing checksums; every file is compared with its SHA-256 anyway.
          requestChecksumCalculation: 'WHEN_REQUIRED' as const,
          responseChecksumValidation: 'WHEN_REQUIRED' as const,
        }),
        ...(keyId !== null && key !== null && { credentials: { accessKeyId: keyId, secretAccessKey: key } }),
      },
    });
  // A part may take long to send, so the time without data is limited.
  const store = openStore({ socketTimeout: limits.callMs });
  // That limit would end downloads of slow readers.
  const reader = openStore({
    requestTimeout: limits.callMs,
    throwOnRequestTimeout: true,
    socketTimeout: 0,
  });

  const read: FileStorage['read'] = (id, range) =>
    withStorageErrors(async () => {
      const body = await reader.readPart(id, range);
      return body && limitIdleTime(body, limits.idleMs);
    });

  return {
    create: (id, size) =>
      withStorageErrors(async () => {
        await store.create(new Upload({ id, size, offset: 0 }));
        // An empty file has no upload request that would complete it.
        if (size === 0) await store.write(Readable.from([]), id, 0);
      }),

    async append(id, offset, bytes) {
      let sourceError: { error: unknown } | undefined;
      // Ends the stream normally when the connection is lost, so that the store keeps the received data.
      async function* captureError() {
        try {
          yield* bytes;
        } catch (error) {
          sourceError = { error };
        }
      }
      await withStorageErrors(() =>
        store.write(Readable.from(captureError(), { objectMode: false }), id, offset),
      );
      if (sourceError) throw sourceError.error;
    },

    sizeOf: (id) =>
      withStorageErrors(async () => {
        const size = await store.sizeOf(id);
        // An incomplete multipart upload is not an object yet; only the store knows its state.
        return size ?? (await store.getUpload(id).catch(nullIfNotFound))?.offset ?? null;
      }),

    // The last part completed the multipart upload, which accepts no more data.
    seal: (id) => Promise.resolve(sealedInPlace((range) => read(id, range))),
    read,
    remove: (id) =>
      withStorageErrors(async () => {
        await store.remove(id).catch(nullIfNotFound);
      }),
  };
}

const notFoundNames = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload']);

function nullIfNotFound(error: unknown): null {
  const { name, status_code: status } = error as { name?: string; status_code?: number };
  if ((name !== undefined && notFoundNames.has(name)) || status === 404) return null;
  throw error;
}
