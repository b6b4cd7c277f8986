import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import {
  deleteAttachment,
  getAttachment,
  getUsage,
  linkToAttachments,
} from '@vestibule/contract/attachments';
import { afterEach, expect, test } from 'vitest';
import { cleanUpFiles } from './files/clean-up.ts';
import { StorageError, type FileStorage } from '../../platform/storage/storage.ts';
import { limitIdleTime } from '../../platform/storage/time-limits.ts';
import { createListeningApp, uploadIdOf, sha256Of } from './uploads/test-uploads.ts';
import { closeAfterTests } from '../../test/test-close.ts';

let freeBytes = Infinity;
let failingIds: string[] = [];
/** Files whose contents the storage opens but does not send. */
let stalledIds: string[] = [];
/** Runs `work` once, before the `seal` or `remove` of the file, or after its `sizeOf`. */
let hook: { operation: 'sizeOf' | 'seal' | 'remove'; id: string; work: () => Promise<unknown> } | null = null;
const t = closeAfterTests(await createListeningApp({ wrapStorage: withFaults }));
const ann = await t.join('ann@example.com');
/** The clock of the tests passes the expiry of tokens. */
const annWithNewToken = async () => ({
  ...ann,
  token: await t.mint({ sub: ann.subject, emails: [ann.email] }),
});
afterEach(() => {
  freeBytes = Infinity;
  failingIds = [];
  stalledIds = [];
});

/** Runs `act` without the directory, as after a lost mount. */
async function withoutDirectory(act: () => Promise<unknown>): Promise<void> {
  const elsewhere = `${t.filesDirectory}-elsewhere`;
  await rename(t.filesDirectory, elsewhere);
  try {
    await act();
  } finally {
    await rm(t.filesDirectory, { recursive: true, force: true });
    await rename(elsewhere, t.filesDirectory);
  }
}

/** Simulates a full disk and files that cannot be accessed. */
function withFaults(storage: FileStorage): FileStorage {
  async function runHook(operation: string, id: string): Promise<void> {
    if (hook?.operation !== operation || hook.id !== id) return;
    const { work } = hook;
    hook = null;
    await work();
  }
  const failIfSelected = (id: string) =>
    failingIds.includes(id)
      ? Promise.reject(new StorageError('unavailable', new Error('EIO')))
      : Promise.resolve();
  return {
    ...storage,
    async sizeOf(id) {
      await failIfSelected(id);
      const size = await storage.sizeOf(id);
      await runHook('sizeOf', id);
      return size;
    },
    async read(id, range) {
      if (stalledIds.includes(id)) return limitIdleTime(new Readable({ read() {} }), 1);
      return storage.read(id, range);
    },
    async remove(id) {
      await runHook('remove', id);
      await failIfSelected(id);
      await storage.remove(id);
    },
    async seal(id, byOthers) {
      await runHook('seal', id);
      return storage.seal(id, byOthers);
    },
    append: (id, offset, bytes) =>
      storage.append(
        id,
        offset,
        (async function* () {
          for await (const chunk of bytes) {
            const written = chunk.subarray(0, freeBytes);
            freeBytes -= written.length;
            yield written;
            if (written.length < chunk.length) throw new StorageError('full', new Error('ENOSPC'));
          }
        })(),
      ),
  };
}

const runCleanUp = (stopped = new AbortController().signal) =>
  cleanUpFiles({ database: t.database, storage: t.storage, scans: false, now: t.clock.now, stopped });

test('a full disk returns 507, received bytes are preserved, and the upload resumes when there is space', async () => {
  const bytes = Buffer.from('0123456789');
  const location = await t.newUpload(ann, 10);
  freeBytes = 4;
  const full = await t.append(ann, location, 0, bytes);
  expect(full).toMatchObject({ status: 507, code: 'upload.storage_full' });
  expect(full.message).toContain('What you have uploaded so far is kept.');
  freeBytes = Infinity;
  expect((await t.head(ann, location)).headers.get('upload-offset')).toBe('4');
  expect((await t.append(ann, location, 4, bytes.subarray(4))).status).toBe(204);
  const { body } = await t.callAs(ann, getAttachment, { params: { attachmentId: uploadIdOf(location) } });
  expect(body.sha256).toBe(sha256Of(bytes));
});

test('unavailable storage returns 503 and loses no data', async () => {
  const id = await t.upload(ann, 'kept.txt', 'kept');
  const location = await t.newUpload(ann, 10);
  await t.append(ann, location, 0, 'hello');
  const { body: link } = await t.callAs(ann, linkToAttachments, {
    body: { attachmentIds: [id], purpose: 'download' },
  });

  await withoutDirectory(async () => {
    await mkdir(t.filesDirectory);
    const unavailable = { status: 503, code: 'attachment.storage_unavailable' };
    expect(await t.createUpload(ann, { name: 'y', size: 1 })).toMatchObject(unavailable);
    expect((await t.head(ann, location)).status).toBe(503);
    expect(await t.append(ann, location, 5, 'world')).toMatchObject(unavailable);
    expect(await t.send(link.path, {})).toMatchObject(unavailable);
    // rmdir fails unless the directory is empty.
    await rmdir(t.filesDirectory);
  });
  expect((await t.send(link.path, {})).text).toBe('kept');

  expect((await t.head(ann, location)).headers.get('upload-offset')).toBe('5');
  expect((await t.append(ann, location, 5, 'world')).status).toBe(204);
});

test('a storage that opens a file but sends no data returns 503 until it responds again', async () => {
  const id = await t.upload(ann, 'stalled.txt', 'stalled');
  const { body: link } = await t.callAs(ann, linkToAttachments, {
    body: { attachmentIds: [id], purpose: 'download' },
  });
  stalledIds = [id];
  const refused = await t.send(link.path, {});
  expect(refused).toMatchObject({ status: 503, code: 'attachment.storage_unavailable' });
  expect(refused.headers.get('retry-after')).toBe('60');
  stalledIds = [];
  expect((await t.send(link.path, {})).text).toBe('stalled');
});

test('an upload that could not be created uses no quota', async () => {
  const before = (await t.callAs(ann, getUsage)).body.mine.used;
  await withoutDirectory(() => t.createUpload(ann, { name: 'y', size: 1_000_000 }));
  expect((await t.callAs(ann, getUsage)).body.mine.used).toBe(before);
});

test('a missing file restored from a backup can be opened again', async () => {
  const attachmentId = await t.upload(ann, 'back.txt', 'back');
  const link = () =>
    t.callAs(ann, linkToAttachments, { body: { attachmentIds: [attachmentId], purpose: 'download' } });
  const { body } = await link();
  const file = path.join(t.filesDirectory, attachmentId.slice(-2), attachmentId.slice(-4, -2), attachmentId);
  await rm(file);
  expect((await t.send(body.path, {})).status).toBe(410);
  await runCleanUp();
  expect((await link()).body.code).toBe('attachment.missing');
  await writeFile(file, 'back');
  t.clock.advance(11 * 60_000);
  await runCleanUp();
  expect((await t.send((await link()).body.path, {})).text).toBe('back');
});

test('an upload that receives no bytes for a day is deleted; an upload that is continued is not', async () => {
  const [abandoned, continued] = [await t.newUpload(ann, 10), await t.newUpload(ann, 10)];
  const token = await t.mint({ sub: ann.subject, emails: [ann.email], exp: t.clock.now() / 1000 + 90_000 });
  t.clock.advance(23 * 3_600_000);
  await t.append({ token }, continued, 0, 'hello');
  t.clock.advance(2 * 3_600_000);
  await runCleanUp();
  const later = await annWithNewToken();
  expect((await t.head(later, abandoned)).status).toBe(404);
  expect((await t.head(later, continued)).headers.get('upload-offset')).toBe('5');
  expect(await t.storage.sizeOf(uploadIdOf(abandoned))).toBe(null);
});

test('a deleted file is erased only after its deletion can no longer be undone', async () => {
  const person = await annWithNewToken();
  const id = await t.upload(person, 'bye.txt', 'bye');
  await t.callAs(person, deleteAttachment, { params: { attachmentId: id } });
  t.clock.advance(4 * 60_000);
  await runCleanUp();
  expect(await t.storage.sizeOf(id)).toBe(3);
  t.clock.advance(2 * 60_000);
  await runCleanUp(AbortSignal.abort());
  expect(await t.storage.sizeOf(id)).toBe(3);
  await runCleanUp();
  expect(await t.storage.sizeOf(id)).toBe(null);
  expect(await t.select`select from attachments where id = ${id}`).toEqual([]);
});

test('a file that the storage fails to delete or read does not block others, is reported and retried', async () => {
  const person = await annWithNewToken();
  const upload = (name: string) => t.upload(person, name, 'text');
  const deleted = [await upload('deleted 1'), await upload('deleted 2')] as const;
  const missing = [await upload('missing 1'), await upload('missing 2')] as const;
  for (const id of deleted) await t.callAs(person, deleteAttachment, { params: { attachmentId: id } });
  await t.select`update attachments set status = 'missing' where id = any(${missing})`;
  const storedFiles = () =>
    t.scalars<string>`
        select name from attachments where id = any(${[...deleted, ...missing]})
          and (status = 'missing' or deleted_at is not null) order by name`;

  t.clock.advance(11 * 60_000);
  failingIds = [deleted[0]];
  await expect(runCleanUp()).rejects.toThrow(deleted[0]);
  expect(await storedFiles()).toEqual(['deleted 1']);
  failingIds = [];
  await runCleanUp();
  expect(await storedFiles()).toEqual([]);

  await t.select`update attachments set status = 'missing' where id = any(${missing})`;
  t.clock.advance(11 * 60_000);
  failingIds = [missing[0]];
  await expect(runCleanUp()).rejects.toThrow(missing[0]);
  expect(await storedFiles()).toEqual(['missing 1']);
});

/** Creates a day-old upload that has all its bytes but could not be finished. */
async function createReceivedUpload() {
  const person = await annWithNewToken();
  const location = await t.newUpload(person, 5);
  const id = uploadIdOf(location);
  const broken = () => Promise.reject(new StorageError('unavailable', new Error('EIO')));
  hook = { operation: 'seal', id, work: broken };
  expect((await t.append(person, location, 0, 'hello')).status).toBe(503);
  t.clock.advance(25 * 3_600_000);
  return { location, id, person: await annWithNewToken() };
}

test('an old upload that is being finished is not deleted', async () => {
  const { location, id, person } = await createReceivedUpload();
  hook = { operation: 'seal', id, work: runCleanUp };
  expect((await t.head(person, location)).status).toBe(200);
  expect(await t.select`select status from attachments where id = ${id}`).toEqual([{ status: 'ready' }]);
});

test('an old upload that is being deleted cannot be finished', async () => {
  const { location, id, person } = await createReceivedUpload();
  hook = { operation: 'sizeOf', id, work: runCleanUp };
  expect((await t.head(person, location)).status).toBe(404);
});

test('an upload that is interrupted by a server stop resumes on the next server', async () => {
  const person = await annWithNewToken();
  const first = await createListeningApp({ sharedWith: t, wrapStorage: () => t.storage });
  const bytes = Buffer.alloc(700_000, 'x');
  const location = await first.newUpload(person, bytes.length);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const sending = first.append(person, location, 0, readable).catch(() => 'cut off');
  await writer.write(bytes.subarray(0, 600_000));
  await expect.poll(() => t.storage.sizeOf(uploadIdOf(location))).toBeGreaterThan(0);
  await first.close();
  expect(await sending).toBe('cut off');
  const offset = Number((await t.head(person, location)).headers.get('upload-offset'));
  expect(offset).toBe(600_000);
  expect((await t.append(person, location, offset, bytes.subarray(offset))).status).toBe(204);
  const { body } = await t.callAs(person, getAttachment, { params: { attachmentId: uploadIdOf(location) } });
  expect(body.sha256).toBe(sha256Of(bytes));
});
