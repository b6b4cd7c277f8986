/**
 * Files in S3-compatible storage or in Azure Blob, by the stores of the tus project, which put what arrives in pieces
 * together there. Imported only where the configuration names one.
 */
import { Readable } from 'node:stream';
import { Upload, type DataStore } from '@tus/server';
import { StorageError, type ByteRange, type FileStorage } from './storage.ts';

export type CloudPlace = { url: URL; keyId: string | null; key: string | null };

/** What the stores lack: how long a finished file is, a part of it, and taking it away. */
export type Bucket = {
  store: DataStore;
  /** The most bytes that the store takes in one call, where it gathers them in memory. */
  pieceBytes: number;
  sizeOf: (id: string) => Promise<number | null>;
  read: (id: string, range?: ByteRange) => Promise<Readable | null>;
  remove: (id: string) => Promise<void>;
};

export async function openBucket({ url, keyId, key }: CloudPlace): Promise<Bucket> {
  return url.protocol === 's3:' ? openS3(url, keyId, key) : openAzure(url, key);
}

async function openS3(url: URL, keyId: string | null, key: string | null): Promise<Bucket> {
  const { S3Store } = await import('@tus/s3-store');
  const bucket = url.hostname;
  const endpoint = url.searchParams.get('endpoint');
  class ReadableS3Store extends S3Store {
    async sizeOf(id: string): Promise<number | null> {
      const head = await this.client.headObject({ Bucket: bucket, Key: id }).catch(nullIfGone);
      return head?.ContentLength ?? null;
    }
    async readPart(id: string, range?: ByteRange): Promise<Readable | null> {
      const answer = await this.client
        .getObject({ Bucket: bucket, Key: id, ...(range && { Range: `bytes=${range.start}-${range.end}` }) })
        .catch(nullIfGone);
      return (answer?.Body as Readable | undefined) ?? null;
    }
    /** The store's own way gives up where the parts are put together already. */
    override async remove(id: string): Promise<void> {
      await super.remove(id).catch(nullIfGone);
      await this.client.deleteObjects({
        Bucket: bucket,
        Delete: { Objects: [{ Key: id }, { Key: this.infoKey(id) }] },
      });
      await this.clearCache(id);
    }
  }
  const store = new ReadableS3Store({
    // Tags are for a rule of the bucket that takes abandoned uploads away; the clean-up does that here.
    useTags: false,
    s3ClientConfig: {
      bucket,
      region: url.searchParams.get('region') ?? 'us-east-1',
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      // Without a key, the machine's own role is asked for one.
      ...(keyId !== null && key !== null && { credentials: { accessKeyId: keyId, secretAccessKey: key } }),
    },
  });
  return {
    store,
    pieceBytes: Infinity,
    sizeOf: (id) => store.sizeOf(id),
    read: (id, range) => store.readPart(id, range),
    remove: (id) => store.remove(id),
  };
}

/** A block of an append blob has at most 4 MiB in every version of the service. */
const azureBlock = 4 * 1024 * 1024;

async function openAzure(url: URL, key: string | null): Promise<Bucket> {
  const { AzureStore } = await import('@tus/azure-store');
  const store = new AzureStore({
    account: url.hostname,
    accountKey: key ?? '',
    containerName: url.pathname.slice(1),
  });
  // Not part of what the store shows, and the only way to a part of a file.
  const { containerClient } = store as unknown as { containerClient: AzureContainer };
  const blob = (id: string) => containerClient.getAppendBlobClient(id);
  return {
    store,
    pieceBytes: azureBlock,
    sizeOf: async (id) => (await blob(id).getProperties().catch(nullIfGone))?.contentLength ?? null,
    async read(id, range) {
      const answer = await blob(id)
        .download(range?.start ?? 0, range && range.end - range.start + 1)
        .catch(nullIfGone);
      return (answer?.readableStreamBody as Readable | undefined) ?? null;
    },
    async remove(id) {
      await blob(id).deleteIfExists();
    },
  };
}

type AzureContainer = {
  getAppendBlobClient(id: string): {
    getProperties(): Promise<{ contentLength?: number }>;
    download(offset: number, count?: number): Promise<{ readableStreamBody?: NodeJS.ReadableStream }>;
    deleteIfExists(): Promise<unknown>;
  };
};

export function createCloudStorage({ store, pieceBytes, sizeOf, read, remove }: Bucket): FileStorage {
  return {
    create: (id, size) =>
      naming(async () => {
        await store.create(new Upload({ id, size, offset: 0 }));
        // Nobody sends the bytes of an empty file, and without any it would never be put together.
        if (size === 0) await store.write(Readable.from([]), id, 0);
      }),

    async append(id, offset, bytes) {
      let broken: { error: unknown } | undefined;
      // What came before the connection was lost is to be kept, so that to the store it looks like the end.
      async function* unbroken() {
        try {
          yield* bytes;
        } catch (error) {
          broken = { error };
        }
      }
      await naming(async () => {
        let at = offset;
        for await (const piece of inPieces(unbroken(), pieceBytes)) at = await store.write(piece, id, at);
      });
      if (broken) throw broken.error;
    },

    sizeOf: (id) =>
      naming(async () => {
        const size = await sizeOf(id);
        // Of S3, what is not yet put together is no file yet; of Azure, only the store knows what it has begun.
        return size ?? (await store.getUpload(id).catch(nullIfGone))?.offset ?? null;
      }),

    complete: () => Promise.resolve(),
    read: (id, range) => naming(() => read(id, range)),
    // Its state keeps everybody from it; a copy elsewhere in the bucket would keep it no better.
    setAside: () => Promise.resolve(),
    remove: (id) =>
      naming(async () => {
        await remove(id).catch(nullIfGone);
      }),
  };
}

/** Streams of at most so many bytes each; one stream where there is no such limit. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Readable> {
  if (most === Infinity) {
    yield Readable.from(bytes, { objectMode: false });
    return;
  }
  let gathered: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes)
    for (let rest = piece; rest.length > 0;) {
      const part = rest.subarray(0, most - size);
      rest = rest.subarray(part.length);
      gathered.push(part);
      size += part.length;
      if (size < most) continue;
      yield Readable.from(gathered, { objectMode: false });
      gathered = [];
      size = 0;
    }
  if (size > 0) yield Readable.from(gathered, { objectMode: false });
}

const goneNames = new Set(['NotFound', 'NoSuchKey', 'NoSuchUpload', 'BlobNotFound']);

function nullIfGone(error: unknown): null {
  const {
    name,
    status_code: tus,
    statusCode: azure,
  } = error as {
    name?: string;
    status_code?: number;
    statusCode?: number;
  };
  if ((name !== undefined && goneNames.has(name)) || tus === 404 || azure === 404) return null;
  throw error;
}

async function naming<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StorageError ? error : new StorageError('unavailable', error);
  }
}
