/** Files in S3-compatible storage and in Azure Blob Storage, with test servers for the parts of their APIs that are used (K7). */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../config/read-config.ts';
import { createAzureStorage } from './azure-storage.ts';
import { createStorage } from './create-storage.ts';
import { createS3Storage } from './s3-storage.ts';
import { StorageError, type FileStorage } from './storage.ts';
import { createTestAzureBlob } from './test-azure-blob.ts';
import { createTestS3 } from './test-s3.ts';
import { storageTimeLimits, type StorageTimeLimits } from './time-limits.ts';

const megabyte = 1024 * 1024;
const idOf = (number: number) => `0192f0c1-2345-7abc-8def-${String(number).padStart(12, '0')}`;

async function* pieces(bytes: Buffer, breakAfter = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) {
    if (at >= breakAfter) throw new Error('the connection was lost');
    yield bytes.subarray(at, at + 64 * 1024);
  }
}

async function contentsOf(
  storage: FileStorage,
  id: string,
  range?: { start: number; end: number },
): Promise<Buffer | null> {
  const stream = await storage.read(id, range);
  return stream && buffer(stream);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return originOf(server);
}

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Returns a function that returns the number of connections opened from now on that are still open. */
function countOpenConnections(server: Server): () => number {
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
  });
  return () => open;
}

const azure = createTestAzureBlob();
const azureKey = Buffer.from('key').toString('base64');
const azureAt = (origin: string, container = 'files', limits = storageTimeLimits) =>
  createAzureStorage(new URL(`azure://account/${container}?endpoint=${origin}/account/`), azureKey, limits);
/** Used only while the server does not respond. */
const shortLimits = { connectMs: 5_000, callMs: 200, sealMs: 200, idleMs: 200 };

describe.each([
  {
    kind: 'S3',
    service: createTestS3(),
    open: (origin: string, limits?: StorageTimeLimits) =>
      createS3Storage(new URL(`s3://files?endpoint=${origin}`), 'id', 'key', limits),
  },
  {
    kind: 'Azure',
    service: azure,
    open: (origin: string, limits?: StorageTimeLimits) => azureAt(origin, 'files', limits),
  },
])('$kind', ({ service, open }) => {
  let storage: FileStorage;
  beforeAll(async () => {
    storage = open(await listen(service.server));
  });
  afterAll(() => service.server.close());

  test('a file of several parts can be read in whole and in part until it is removed', async () => {
    const bytes = randomBytes(12 * megabyte + 5);
    await storage.create(idOf(1), bytes.length);
    expect(await storage.sizeOf(idOf(1))).toBe(0);
    await storage.append(idOf(1), 0, pieces(bytes));
    expect(await storage.sizeOf(idOf(1))).toBe(bytes.length);
    expect((await contentsOf(storage, idOf(1)))?.equals(bytes)).toBe(true);
    expect(await contentsOf(storage, idOf(1), { start: 5, end: 9 })).toEqual(bytes.subarray(5, 10));
    await storage.remove(idOf(1));
    expect(await storage.sizeOf(idOf(1))).toBe(null);
    expect(await contentsOf(storage, idOf(1))).toBe(null);
    await storage.remove(idOf(1));
  });

  test('data received before a lost connection is stored, and the next append continues after it', async () => {
    const bytes = randomBytes(7 * megabyte);
    await storage.create(idOf(2), bytes.length);
    await expect(storage.append(idOf(2), 0, pieces(bytes, 6 * megabyte))).rejects.toThrow(
      'the connection was lost',
    );
    const size = (await storage.sizeOf(idOf(2))) as number;
    expect(size).toBe(6 * megabyte);
    await storage.append(idOf(2), size, pieces(bytes.subarray(size)));
    expect((await contentsOf(storage, idOf(2)))?.equals(bytes)).toBe(true);
  });

  test('a late writer does not change a complete file', async () => {
    const bytes = randomBytes(11 * megabyte);
    await storage.create(idOf(8), bytes.length);
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    const { promise: asleep, resolve: sleeps } = Promise.withResolvers<void>();
    async function* sleeping() {
      sleeps();
      await woken;
      yield* pieces(Buffer.alloc(6 * megabyte, 'evil'));
    }
    const another = open(originOf(service.server));
    const late = another.append(idOf(8), 0, sleeping()).catch((error: unknown) => error);
    await asleep;
    await storage.append(idOf(8), 0, pieces(bytes));
    const sealed = await storage.seal(idOf(8), true);
    wake();
    expect(await late).toBeInstanceOf(StorageError);
    await sealed?.publish();
    expect((await contentsOf(storage, idOf(8)))?.equals(bytes)).toBe(true);
    expect((await buffer((await sealed?.read()) as Readable)).equals(bytes)).toBe(true);
  });

  test('an empty file can be stored and read', async () => {
    await storage.create(idOf(3), 0);
    expect(await storage.sizeOf(idOf(3))).toBe(0);
    expect(await contentsOf(storage, idOf(3))).toEqual(Buffer.alloc(0));
  });

  test('unavailable storage fails with a StorageError', async () => {
    await storage.create(idOf(4), 5);
    service.fail(true);
    await expect(storage.create(idOf(5), 1)).rejects.toThrow(StorageError);
    await expect(storage.append(idOf(4), 0, pieces(Buffer.from('hello')))).rejects.toThrow(StorageError);
    await expect(storage.read(idOf(2))).rejects.toMatchObject({
      reason: 'unavailable',
    });
    service.fail(false);
    expect(await storage.sizeOf(idOf(4))).toBe(0);
  });

  test('a storage that accepts calls without a response fails them and closes the connections', async () => {
    const bytes = randomBytes(7 * megabyte);
    await storage.create(idOf(10), bytes.length);
    await expect(storage.append(idOf(10), 0, pieces(bytes, 6 * megabyte))).rejects.toThrow('lost');
    const closed = countOpenConnections(service.server);
    const impatient = open(originOf(service.server), shortLimits);
    service.stall('response');
    const unavailable = { name: 'StorageError', reason: 'unavailable' };
    await expect(impatient.create(idOf(11), 1)).rejects.toMatchObject(unavailable);
    await expect(impatient.sizeOf(idOf(10))).rejects.toMatchObject(unavailable);
    await expect(impatient.read(idOf(1))).rejects.toMatchObject(unavailable);
    await expect(impatient.remove(idOf(10))).rejects.toMatchObject(unavailable);
    await expect(
      impatient.append(idOf(10), 6 * megabyte, pieces(bytes.subarray(6 * megabyte))),
    ).rejects.toMatchObject(unavailable);
    await expect.poll(closed).toBe(0);

    service.stall(null);
    const size = (await storage.sizeOf(idOf(10))) as number;
    await storage.append(idOf(10), size, pieces(bytes.subarray(size)));
    expect((await contentsOf(storage, idOf(10)))?.equals(bytes)).toBe(true);
  });

  test('a storage that stops within a file ends the stream and closes the connection', async () => {
    const bytes = randomBytes(3 * megabyte);
    await storage.create(idOf(12), bytes.length);
    await storage.append(idOf(12), 0, pieces(bytes));
    const closed = countOpenConnections(service.server);
    const impatient = open(originOf(service.server), shortLimits);
    service.stall('body');
    const stalled = (await impatient.read(idOf(12))) as Readable;
    await expect(buffer(stalled)).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'unavailable',
    });
    await expect.poll(closed).toBe(0);
    service.stall(null);
  });
});

test('S3: a canceled upload leaves no objects in the bucket', async () => {
  const service = createTestS3();
  const origin = await listen(service.server);
  const storage = createS3Storage(new URL(`s3://files?endpoint=${origin}`), 'id', 'key');
  await storage.create(idOf(9), 7 * megabyte);
  await expect(storage.append(idOf(9), 0, pieces(Buffer.alloc(megabyte), megabyte / 2))).rejects.toThrow(
    'the connection was lost',
  );
  expect(service.keys()).toEqual([`${idOf(9)}.info`, `${idOf(9)}.part`]);
  await storage.remove(idOf(9));
  expect(service.keys()).toEqual([]);
  service.server.close();
});

describe('Azure', () => {
  let origin: string;
  beforeAll(async () => {
    origin = await listen(azure.server);
  });
  afterAll(() => azure.server.close());

  test('a block whose confirmation was lost is not appended twice', async () => {
    const storage = azureAt(origin);
    await storage.create(idOf(6), 10);
    azure.loseResponse();
    // The repeated request is refused, and the client asks for the size.
    await expect(storage.append(idOf(6), 0, pieces(Buffer.from('hello')))).rejects.toThrow(StorageError);
    expect(await storage.sizeOf(idOf(6))).toBe(5);
    await storage.append(idOf(6), 5, pieces(Buffer.from('world')));
    expect(await contentsOf(storage, idOf(6))).toEqual(Buffer.from('helloworld'));
  });

  test('a missing container causes an error and does not appear empty', async () => {
    await expect(azureAt(origin, 'other').sizeOf(idOf(7))).rejects.toThrow(StorageError);
  });
});

test.each([
  undefined,
  'AccountName=account;AccountKey=a2V5;EndpointSuffix=core.windows.net',
  '?sv=2024&sig=a2V5',
])('Azure Blob with the key %s is refused at start', async (ATTACHMENT_STORAGE_KEY) => {
  const config = readConfig({ ATTACHMENT_STORAGE: 'azure://account/files', ATTACHMENT_STORAGE_KEY });
  await expect(createStorage(config)).rejects.toThrow('should be an access key of the Azure storage account');
});
