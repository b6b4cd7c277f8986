/** Several server processes write to one upload; they share a database and a directory. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { getAttachment, linkToAttachments } from '@vestibule/contract/attachments';
import { afterAll, describe, expect, test } from 'vitest';
import { createDiskStorage } from '../../../platform/storage/disk-storage.ts';
import type { FileStorage } from '../../../platform/storage/storage.ts';
import { createListeningApp, uploadIdOf, sha256Of } from './test-uploads.ts';

const scanned: string[] = [];
/** Replaces the next publication in `processA`. */
let replacePublish: ((publish: () => Promise<void>) => Promise<void>) | null = null;

async function scan(bytes: AsyncIterable<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  scanned.push(sha256Of(Buffer.concat(chunks)));
  return { clean: true as const };
}

function interruptible(storage: FileStorage): FileStorage {
  return {
    ...storage,
    async seal(id, byOthers) {
      const contents = await storage.seal(id, byOthers);
      if (!contents || !replacePublish) return contents;
      const publishReplacement = replacePublish;
      replacePublish = null;
      return { ...contents, publish: () => publishReplacement(() => contents.publish()) };
    },
  };
}

const processA = await createListeningApp({ scan, wrapStorage: interruptible });
const processB = await createListeningApp({
  scan,
  sharedWith: processA,
  wrapStorage: () => createDiskStorage(processA.filesDirectory),
});
const ann = await processA.join('ann@example.com');
afterAll(async () => {
  await processB.close();
  await processA.close();
});

const folderOf = (id: string) => path.join(processA.filesDirectory, id.slice(-2), id.slice(-4, -2));
const onDisk = (id: string) => readFile(path.join(folderOf(id), id));
async function newUpload(size: number): Promise<string> {
  return (await processA.createUpload(ann, { name: 'file.bin', size })).headers.get('location') as string;
}
async function attachment(id: string) {
  await processA.scanning?.waitUntilIdle();
  await processB.scanning?.waitUntilIdle();
  return (await processA.callAs(ann, getAttachment, { params: { attachmentId: id } })).body;
}

/** Sends the first bytes through `processA` and returns a function that sends the rest. */
async function startSlowWriter(location: string, beginning: Uint8Array) {
  const sending = request(new URL(location, processA.origin), {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${ann.token}`,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
    },
  });
  const closed = new Promise((resolve) => sending.once('close', resolve));
  sending.on('error', () => {}).flushHeaders();
  if (beginning.length > 0) sending.write(beginning);
  const writers = 'select cardinality(writers) as writers from attachment_uploads where id = $1';
  await expect.poll(() => processA.select(writers, [uploadIdOf(location)])).toEqual([{ writers: 1 }]);
  await expect.poll(() => processA.storage.sizeOf(uploadIdOf(location))).toBe(beginning.length);
  return async (rest: Uint8Array) => {
    sending.end(rest);
    sending.once('response', (response) => response.resume());
    await closed;
  };
}

test('a paused writer cannot change a file that another process has finished', async () => {
  const bytes = randomBytes(900_000);
  const location = await newUpload(bytes.length);
  const id = uploadIdOf(location);
  const sendRest = await startSlowWriter(location, bytes.subarray(0, 600_000));

  const offset = Number((await processB.head(ann, location)).headers.get('upload-offset'));
  expect(offset).toBe(600_000);
  expect((await processB.append(ann, location, offset, bytes.subarray(offset))).status).toBe(204);
  expect(await attachment(id)).toMatchObject({ status: 'ready', sha256: sha256Of(bytes) });

  await sendRest(Buffer.alloc(300_000, 'evil'));
  expect((await onDisk(id)).equals(bytes)).toBe(true);
  const { body } = await processA.callAs(ann, linkToAttachments, {
    body: { attachmentIds: [id], purpose: 'download' },
  });
  const response = await fetch(new URL(body.path, processB.origin));
  expect(sha256Of(Buffer.from(await response.arrayBuffer()))).toBe(sha256Of(bytes));
  expect(scanned.at(-1), 'the stored bytes were scanned').toBe(sha256Of(bytes));
  expect(await readdir(folderOf(id)), 'no other file remains').toEqual([id]);
});

test('the hash and the scan use the stored bytes if a late writer overwrites some before the upload is complete', async () => {
  const bytes = randomBytes(900_000);
  const location = await newUpload(bytes.length);
  const id = uploadIdOf(location);
  const sendRest = await startSlowWriter(location, bytes.subarray(0, 600_000));
  // The other process appends the next bytes, the sleeping writer overwrites them, then the last bytes arrive.
  await processB.append(ann, location, 600_000, bytes.subarray(600_000, 800_000));
  const overwritten = Buffer.alloc(200_000, 'evil');
  await sendRest(overwritten);
  const offset = Number((await processB.head(ann, location)).headers.get('upload-offset'));
  expect(offset).toBe(800_000);
  expect((await processB.append(ann, location, offset, bytes.subarray(offset))).status).toBe(204);
  const stored = Buffer.concat([bytes.subarray(0, 600_000), overwritten, bytes.subarray(800_000)]);
  expect(await attachment(id)).toMatchObject({ status: 'ready', sha256: sha256Of(stored) });
  expect((await onDisk(id)).equals(stored)).toBe(true);
  expect(scanned.at(-1)).toBe(sha256Of(stored));
});

test('a hash of received bytes is not used if another process has overwritten some of them', async () => {
  const bytes = randomBytes(900_000);
  const location = await newUpload(bytes.length);
  const id = uploadIdOf(location);
  const sendRest = await startSlowWriter(location, Buffer.alloc(0));
  // The other process hashes the bytes that it receives, and the paused writer overwrites them.
  await processB.append(ann, location, 0, bytes.subarray(0, 800_000));
  const overwritten = Buffer.alloc(600_000, 'evil');
  await sendRest(overwritten);
  expect((await processB.append(ann, location, 800_000, bytes.subarray(800_000))).status).toBe(204);
  const stored = Buffer.concat([overwritten, bytes.subarray(600_000)]);
  expect(await attachment(id)).toMatchObject({ status: 'ready', sha256: sha256Of(stored) });
  expect((await onDisk(id)).equals(stored)).toBe(true);
});

test('concurrent requests on two processes finish a file once', async () => {
  const bytes = randomBytes(300_000);
  const location = await newUpload(bytes.length);
  const id = uploadIdOf(location);
  await processA.append(ann, location, 0, bytes.subarray(0, 100_000));
  replacePublish = () => Promise.reject(new Error('stopped'));
  await processB.append(ann, location, 100_000, bytes.subarray(100_000, 200_000));
  expect((await processA.append(ann, location, 200_000, bytes.subarray(200_000))).status).toBe(500);
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, number) => (number % 2 ? processA : processB).head(ann, location)),
  );
  expect(responses.map(({ headers }) => headers.get('upload-offset'))).toEqual(Array(12).fill('300000'));
  expect(await attachment(id)).toMatchObject({ status: 'ready', sha256: sha256Of(bytes) });
  expect((await onDisk(id)).equals(bytes)).toBe(true);
  expect(await readdir(folderOf(id))).toEqual([id]);
  const rows = await processA.select`select from audit_log where target_id = ${id}`;
  expect(rows).toHaveLength(1);
});

describe.each([
  ['before publishing the file', () => Promise.reject(new Error('stopped'))],
  [
    'after publishing the file',
    async (publish: () => Promise<void>) => {
      await publish();
      throw new Error('stopped');
    },
  ],
])('an upload whose last request fails %s', (_when, interrupt) => {
  test.each([
    ['as the only writer', () => processA],
    ['as one of two writers', () => processB],
  ])('is finished by the next request if the failing process wrote %s', async (_who, first) => {
    const bytes = randomBytes(200_000);
    const location = await newUpload(bytes.length);
    const id = uploadIdOf(location);
    await first().append(ann, location, 0, bytes.subarray(0, 100_000));
    replacePublish = interrupt;
    expect((await processA.append(ann, location, 100_000, bytes.subarray(100_000))).status).toBe(500);
    expect(await processA.select`select from attachments where id = ${id}`).toEqual([]);
    expect((await processB.head(ann, location)).headers.get('upload-offset')).toBe('200000');
    expect(await attachment(id)).toMatchObject({ status: 'ready', sha256: sha256Of(bytes) });
    expect((await onDisk(id)).equals(bytes)).toBe(true);
    expect(await readdir(folderOf(id))).toEqual([id]);
  });
});
