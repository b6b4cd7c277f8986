/** Uploads: begun, sent in parts, gone on with, refused (statement K7; security 9, 34, 35). */
import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  deleteAttachment,
  getAttachment,
  getUsage,
  listAttachments,
  listUploads,
  undoDeletion,
  uploadsPath,
} from '@vestibule/contract/attachments';
import { disablePerson, enablePerson, removePerson } from '@vestibule/contract/people';
import { signOutEverywhere } from '@vestibule/contract/profile';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { cleanUp } from '../files/clean-up.ts';
import { createListeningApp, metadataOf, sha256Of, type ListeningApp } from './test-uploads.ts';

const limits = {
  ATTACHMENT_FILE_LIMIT_MB: '2',
  ATTACHMENT_QUOTA_MB: '5',
  ATTACHMENT_SITE_QUOTA_MB: '12',
};
let t: ListeningApp;
let ann: TestPerson;
let bob: TestPerson;
let admin: TestPerson;
beforeAll(async () => {
  t = await createListeningApp({
    environment: limits,
  });
  admin = await t.join('admin@example.com', 'admin');
  ann = await t.join('ann@example.com');
  bob = await t.join('bob@example.com');
});
afterAll(() => t.close());

const idOf = (location: string | null) => (location ?? '').split('/').at(-1) as string;
const bytesOnDisk = (id: string) =>
  stat(path.join(t.filesDirectory, id.slice(-2), id.slice(-4, -2), `${id}.part`)).then(({ size }) => size);
async function begun(person: TestPerson, size: number, name = 'file.bin'): Promise<string> {
  const { headers, text } = await t.begin(person, { name, size });
  return headers.get('location') ?? text;
}

test('a file arrives in parts and is an attachment when the last one is there (K7)', async () => {
  const bytes = randomBytes(300_000);
  const { status, headers } = await t.begin(ann, { name: 'photo.bin', size: bytes.length });
  const location = headers.get('location') as string;
  expect({ status, location }).toEqual({
    status: 201,
    location: expect.stringMatching(/^\/api\/attachments\/uploads\/[0-9a-f-]{36}$/),
  });

  const first = await t.append(ann, location, 0, bytes.subarray(0, 100_000));
  expect({ status: first.status, offset: first.headers.get('upload-offset') }).toEqual({
    status: 204,
    offset: '100000',
  });
  const half = await t.call(getAttachment, { token: ann.token, params: { attachmentId: idOf(location) } });
  expect(half.status, 'nothing half-written is visible').toBe(404);
  expect((await t.call(listUploads, { token: ann.token })).body.rows).toMatchObject([
    { id: idOf(location), name: 'photo.bin', size: 300_000, received: 100_000 },
  ]);

  const asked = await t.ask(ann, location);
  expect(asked.headers.get('upload-offset')).toBe('100000');
  expect((await t.append(ann, location, 100_000, bytes.subarray(100_000))).status).toBe(204);

  const { body } = await t.call(getAttachment, {
    token: ann.token,
    params: { attachmentId: idOf(location) },
  });
  expect(body).toMatchObject({
    name: 'photo.bin',
    size: 300_000,
    sha256: sha256Of(bytes),
    ownerEmail: 'ann@example.com',
    sharing: 'nobody',
    status: 'ready',
    may: { open: true, rename: true, share: true, delete: true },
  });
  expect((await t.call(listUploads, { token: ann.token })).body.rows).toEqual([]);
  const [row] = await t.select<{ actor_label: string }>(
    `select actor_label from audit_log where action = 'attachment.uploaded' and target_id = $1`,
    [idOf(location)],
  );
  expect(row).toEqual({ actor_label: 'ann@example.com' });
});

test('a file may come with the request that announces it', async () => {
  const answer = await t.send(uploadsPath, {
    method: 'POST',
    token: ann.token,
    headers: {
      'upload-length': '5',
      'upload-metadata': metadataOf({ name: 'hello.txt', type: 'text/plain' }),
      'content-type': 'application/offset+octet-stream',
    },
    body: 'hello',
  });
  expect({ status: answer.status, offset: answer.headers.get('upload-offset') }).toEqual({
    status: 201,
    offset: '5',
  });
  const { body } = await t.call(getAttachment, {
    token: ann.token,
    params: { attachmentId: idOf(answer.headers.get('location')) },
  });
  expect(body).toMatchObject({ kind: 'text', sha256: sha256Of(Buffer.from('hello')) });
});

test('an empty file is a file', async () => {
  const id = await t.upload(ann, 'empty.txt', '');
  const { body } = await t.call(getAttachment, { token: ann.token, params: { attachmentId: id } });
  expect(body).toMatchObject({ size: 0, sha256: sha256Of(Buffer.alloc(0)), status: 'ready' });
});

test('two files of one name are both kept', async () => {
  const ids = [await t.upload(bob, 'same.txt', 'one'), await t.upload(bob, 'same.txt', 'two')];
  const { body } = await t.call(listAttachments, {
    token: bob.token,
    query: { search: 'same.txt', sort: 'createdAt', direction: 'asc' },
  });
  expect(body.rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

describe('names from hell (security 34)', () => {
  test.each([
    ['../../etc/passwd', 'passwd'],
    [String.raw`C:\Users\ann\photo.png`, 'photo.png'],
    ['a\0b\r\nSet-Cookie: x.txt', 'abSet-Cookie: x.txt'],
    ['harmless\u202egpj.exe', 'harmlessgpj.exe'],
    ['..', 'file'],
    ['   ', 'file'],
    [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(196)}.pdf`],
    ['Übergröße 漢字 😀.txt', 'Übergröße 漢字 😀.txt'],
    ['CON', 'CON'],
  ])('%j is kept as %j', async (given, kept) => {
    const id = await t.upload(ann, given, 'x');
    const { body } = await t.call(getAttachment, { token: ann.token, params: { attachmentId: id } });
    expect(body.name).toBe(kept);
  });

  test('none of them reaches the disk', async () => {
    const files = await readdir(t.filesDirectory, { recursive: true });
    expect(
      files.filter(
        (file) =>
          !/^these-are-the-files-of-vestibule$|^[0-9a-f]{2}(?:\/[0-9a-f]{2}(?:\/[0-9a-f-]{36}(?:\.part)?)?)?$/.test(
            file,
          ),
      ),
    ).toEqual([]);
  });
});

describe('what is refused (security 35)', () => {
  test('another place than where the upload stands: 409, and nothing is written', async () => {
    const location = await begun(ann, 10);
    await t.append(ann, location, 0, 'hello');
    expect(await t.append(ann, location, 3, 'lo')).toMatchObject({
      status: 409,
      code: 'upload.offset_mismatch',
    });
    expect((await t.ask(ann, location)).headers.get('upload-offset')).toBe('5');
  });

  test("somebody else's upload: the same 404 as an unknown one (security 14)", async () => {
    const location = await begun(ann, 10);
    const unknown = `${uploadsPath}/0192f0c1-2345-7abc-8def-0123456789ab`;
    for (const address of [location, unknown, `${uploadsPath}/..%2f..%2fsecret`]) {
      expect(await t.append(bob, address, 0, 'mine now')).toMatchObject({ status: 404 });
      expect((await t.ask(bob, address)).status).toBe(404);
      expect((await t.send(address, { method: 'DELETE', token: bob.token })).status).toBe(404);
    }
    expect((await t.ask(ann, location)).headers.get('upload-offset')).toBe('0');
  });

  test.each(['-1', '1e3', '1e+21', '9999999999999999', '0x10', 'NaN', '5.5'])(
    'a length of %s: 400',
    async (length) => {
      const answer = await t.send(uploadsPath, {
        method: 'POST',
        token: ann.token,
        headers: { 'upload-length': length, 'upload-metadata': metadataOf({ name: 'x' }) },
      });
      expect(answer).toMatchObject({ status: 400, code: 'upload.length_invalid' });
    },
  );

  test.each(['-1', '1e3', '9999999999999999', '0x10', 'NaN', '0.5', '1, 2'])(
    'an offset of %s: 400',
    async (offset) => {
      const location = await begun(ann, 10);
      const answer = await t.send(location, {
        method: 'PATCH',
        token: ann.token,
        headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': offset },
        body: 'hello',
      });
      expect(answer).toMatchObject({ status: 400, code: 'upload.length_invalid' });
      expect((await t.ask(ann, location)).headers.get('upload-offset')).toBe('0');
    },
  );

  test('no length, and a length that comes later: 400', async () => {
    const headers = { 'upload-metadata': metadataOf({ name: 'x' }) };
    const none = await t.send(uploadsPath, { method: 'POST', token: ann.token, headers });
    expect(none).toMatchObject({ status: 400, code: 'upload.length_invalid' });
    const later = await t.send(uploadsPath, {
      method: 'POST',
      token: ann.token,
      headers: { ...headers, 'upload-defer-length': '1' },
    });
    expect(later).toMatchObject({ status: 400, code: 'upload.length_invalid' });
  });

  test('more bytes than were announced: 400', async () => {
    const location = await begun(ann, 3);
    expect(await t.append(ann, location, 0, 'too many')).toMatchObject({
      status: 400,
      code: 'upload.length_invalid',
    });
    expect(await bytesOnDisk(idOf(location))).toBe(0);
  });

  test('more bytes than were announced, of which nobody said how many they are: 400', async () => {
    const location = await begun(ann, 100_000);
    const pieces = new ReadableStream({
      start(stream) {
        for (const length of [60_000, 60_000]) stream.enqueue(randomBytes(length));
        stream.close();
      },
    });
    expect(await t.append(ann, location, 0, pieces)).toMatchObject({
      status: 400,
      code: 'upload.length_invalid',
    });
    expect(Number((await t.ask(ann, location)).headers.get('upload-offset'))).toBeLessThanOrEqual(100_000);
    expect(await t.select('select from attachments where id = $1', [idOf(location)])).toEqual([]);
  });

  test.each([
    ['no name', metadataOf({ type: 'text/plain' })],
    ['no base64', 'name not-base64!'],
    ['a hash that is none', metadataOf({ name: 'x', sha256: 'abc' })],
  ])('%s: 400', async (_what, metadata) => {
    const answer = await t.send(uploadsPath, {
      method: 'POST',
      token: ann.token,
      headers: { 'upload-length': '1', 'upload-metadata': metadata },
    });
    expect(answer).toMatchObject({ status: 400, code: 'upload.metadata_invalid' });
  });

  test('another version of the protocol: 412', async () => {
    const answer = await fetch(new URL(uploadsPath, t.origin), {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}`, 'upload-length': '1' },
    });
    expect(answer.status).toBe(412);
  });

  test('a file that is too large: 413, and how much is allowed', async () => {
    const answer = await t.begin(ann, { name: 'film.mp4', size: 3 * 1024 * 1024 });
    expect(answer).toMatchObject({ status: 413, code: 'upload.file_too_large' });
    expect(answer.message).toBe('This file is too large: it has 3 MB, and the limit is 2 MB.');
  });

  test('no token, and the token of a stranger (security 1)', async () => {
    const location = await begun(ann, 3);
    expect(await t.send(location, { method: 'HEAD' })).toMatchObject({ status: 401 });
    const stranger = { token: await t.mint({ sub: 'stranger', emails: ['stranger@example.com'] }) };
    expect(await t.append(stranger, location, 0, 'abc')).toMatchObject({
      status: 403,
      code: 'person.not_invited',
    });
  });

  test('another origin gets no permission to read (security 39)', async () => {
    const answer = await t.send(uploadsPath, {
      method: 'OPTIONS',
      token: ann.token,
      headers: { origin: 'https://evil.example' },
    });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

test('an announced SHA-256 is compared at the end, and what differs is not kept', async () => {
  const right = await t.begin(ann, { name: 'a', size: 5, sha256: sha256Of(Buffer.from('hello')) });
  expect((await t.append(ann, right.headers.get('location') as string, 0, 'hello')).status).toBe(204);
  const wrong = await t.begin(ann, { name: 'a', size: 5, sha256: sha256Of(Buffer.from('hallo')) });
  const location = wrong.headers.get('location') as string;
  expect(await t.append(ann, location, 0, 'hello')).toMatchObject({
    status: 460,
    code: 'upload.hash_mismatch',
  });
  expect((await t.ask(ann, location)).status).toBe(404);
});

test('a quota holds, counts what is under way, and says how much is left', async () => {
  const cem = await t.join('cem@example.com');
  const sizes = [2, 2].map((megabytes) => megabytes * 1024 * 1024);
  const locations = await Promise.all(sizes.map((size) => begun(cem, size)));
  const answer = await t.begin(cem, { name: 'more', size: 1.5 * 1024 * 1024 });
  expect(answer).toMatchObject({ status: 413, code: 'upload.quota_reached' });
  expect(answer.message).toBe(
    'There is not enough space for this file: it has 1.5 MB, and you have 1 MB of 5 MB left. Delete files you no longer need. Deleted files free their space after 5 minutes (0 bytes at the moment).',
  );
  const { body } = await t.call(getUsage, { token: cem.token });
  expect(body).toMatchObject({ mine: { used: 4 * 1024 * 1024, quota: 5 * 1024 * 1024, files: 0 } });

  await t.send(locations[0] as string, { method: 'DELETE', token: cem.token });
  expect(
    (await t.begin(cem, { name: 'more', size: 1.5 * 1024 * 1024 })).status,
    'a cancelled upload makes room',
  ).toBe(201);

  const dan = await t.join('dan@example.com');
  const eve = await t.join('eve@example.com');
  for (const size of sizes) await begun(dan, size);
  for (const size of sizes) await begun(eve, size);
  expect(await t.begin(ann, { name: 'x', size: 2 * 1024 * 1024 })).toMatchObject({
    status: 413,
    code: 'upload.site_full',
  });
});

test('what was deleted and can come back still takes room: no quota is filled twice by deleting, uploading and undoing', async () => {
  const megabyte = 1024 * 1024;
  await t.select('delete from attachment_uploads');
  const max = await t.join('max@example.com');
  const ids = [];
  for (let time = 0; time < 2; time += 1) ids.push(await t.upload(max, 'x', randomBytes(2 * megabyte)));
  const [id] = ids as [string];
  const { body } = await t.call(deleteAttachment, { token: max.token, params: { attachmentId: id } });

  const refused = await t.begin(max, { name: 'more', size: 1.5 * megabyte });
  expect(refused).toMatchObject({ status: 413, code: 'upload.quota_reached' });
  expect(refused.message).toBe(
    'There is not enough space for this file: it has 1.5 MB, and you have 1 MB of 5 MB left. Delete files you no longer need. Deleted files free their space after 5 minutes (2 MB at the moment).',
  );
  expect(refused.headers.get('retry-after')).toBe('360');

  const undone = await t.call(undoDeletion, {
    token: max.token,
    params: { deletionId: body.deletionId },
  });
  expect(undone.body).toEqual({ restored: 1 });
  const [kept] = await t.select<{ bytes: number }>(
    'select sum(size)::bigint as bytes from attachments where owner_id = $1',
    [max.id],
  );
  expect(kept?.bytes).toBe(4 * megabyte);

  await t.call(deleteAttachment, { token: max.token, params: { attachmentId: id } });
  t.clock.advance(6 * 60_000);
  await cleanUp({ database: t.database, storage: t.storage, scans: false, now: t.clock.now });
  expect((await t.begin(max, { name: 'more', size: 1.5 * megabyte })).status).toBe(201);
  await t.select('delete from attachment_uploads');
});

test("first uploads of many people at once, on two server processes, do not fill more than the site's room", async () => {
  await t.select('delete from attachment_uploads');
  const people = await Promise.all(
    Array.from({ length: 24 }, (_, number) => t.join(`newcomer-${number}@example.com`)),
  );
  const second = await createListeningApp({ beside: t, environment: limits, wrapStorage: () => t.storage });
  try {
    const answers = await Promise.all(
      people.map((person, number) =>
        (number % 2 ? t : second).begin(person, { name: 'x', size: 1024 * 1024 }),
      ),
    );
    const { body } = await t.call(getUsage, { token: admin.token });
    expect(body.all.used).toBeLessThanOrEqual(body.all.quota);
    expect(body.all.used + 1024 * 1024).toBeGreaterThan(body.all.quota);
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([null, 'upload.site_full']));
  } finally {
    await second.close();
    await t.select('delete from attachment_uploads');
  }
});

test('every limit holds to the byte: what just fits is taken, one byte more is not', async () => {
  const megabyte = 1024 * 1024;
  await t.select('delete from attachment_uploads');
  const [ian, jil, kim] = await Promise.all(
    ['ian', 'jil', 'kim'].map((name) => t.join(`${name}@example.com`)),
  );
  const begins = async (person: TestPerson | undefined, size: number) => {
    const { status, code } = await t.begin(person as TestPerson, { name: 'x', size });
    return status === 201 ? 'taken' : code;
  };
  expect(await begins(ian, 2 * megabyte + 1)).toBe('upload.file_too_large');
  expect(await begins(ian, 2 * megabyte)).toBe('taken');
  expect(await begins(ian, 2 * megabyte)).toBe('taken');
  expect(await begins(ian, megabyte)).toBe('taken');
  expect(await begins(ian, 1)).toBe('upload.quota_reached');

  for (const size of [2 * megabyte, 2 * megabyte]) expect(await begins(jil, size)).toBe('taken');
  const { body } = await t.call(getUsage, { token: admin.token });
  const room = 12 * megabyte - (body as { all: { used: number } }).all.used;
  expect(room).toBeGreaterThan(0);
  expect(await begins(kim, Math.min(room, 2 * megabyte))).toBe('taken');
  expect(await begins(kim, Math.max(0, room - 2 * megabyte))).toBe('taken');
  expect(await begins(kim, 1)).toBe('upload.site_full');
  await t.select('delete from attachment_uploads');
});

test('2,000 unfinished uploads are the most that somebody has', async () => {
  const leo = await t.join('leo@example.com');
  await t.select(
    `insert into attachment_uploads (id, owner_id, name, declared_type, size, created_at, touched_at)
     select gen_random_uuid(), $1, 'x', '', 0, now(), now() from generate_series(1, 1999)`,
    [leo.id],
  );
  expect((await t.begin(leo, { name: 'the last', size: 1 })).status).toBe(201);
  expect(await t.begin(leo, { name: 'one more', size: 1 })).toMatchObject({
    code: 'upload.too_many_unfinished',
  });
  await t.select('delete from attachment_uploads where owner_id = $1', [leo.id]);
});

test('of many that begin at once no more pass than there is room for', async () => {
  const fay = await t.join('fay@example.com');
  await t.select('delete from attachment_uploads');
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => t.begin(fay, { name: 'x', size: 1024 * 1024 })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ code }) => code === 'upload.quota_reached')).toHaveLength(7);
  await t.select('delete from attachment_uploads');
});

test('whoever is disabled with a half-done upload goes on when they are enabled again (security 9)', async () => {
  const gus = await t.join('gus@example.com');
  const location = await begun(gus, 10);
  await t.append(gus, location, 0, 'hello');
  await t.call(disablePerson, { token: admin.token, params: { personId: gus.id } });
  expect(await t.append(gus, location, 5, 'world')).toMatchObject({ status: 403, code: 'person.disabled' });
  expect(await t.begin(gus, { name: 'x', size: 1 })).toMatchObject({ status: 403, code: 'person.disabled' });
  await t.call(enablePerson, { token: admin.token, params: { personId: gus.id } });
  expect((await t.append(gus, location, 5, 'world')).status).toBe(204);
});

test('whoever is disabled or removed while the last bytes are on their way finishes nothing (security 9)', async () => {
  const hal = await t.join('hal@example.com');
  const beginning = Buffer.alloc(600_000);
  const location = await begun(hal, beginning.length + 5);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const sending = t.append(hal, location, 0, readable);
  await writer.write(beginning);
  await expect.poll(() => bytesOnDisk(idOf(location))).toBeGreaterThan(0);
  await t.call(removePerson, { token: admin.token, params: { personId: hal.id } });
  await writer.write(Buffer.from('world'));
  await writer.close();
  expect(await sending).toMatchObject({ status: 403, code: 'person.disabled' });
  expect(await t.select('select from attachments where id = $1', [idOf(location)])).toEqual([]);
});

test('who signs out everywhere while the last bytes are on their way finishes nothing; after signing in anew they do (security 9)', async () => {
  const ned = await t.join('ned@example.com');
  const beginning = Buffer.alloc(600_000);
  const location = await begun(ned, beginning.length + 5);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const sending = t.append(ned, location, 0, readable);
  await writer.write(beginning);
  await expect.poll(() => bytesOnDisk(idOf(location))).toBeGreaterThan(0);
  await t.call(signOutEverywhere, { token: ned.token, body: { revokeTokens: false } });
  await writer.write(Buffer.from('world'));
  await writer.close();
  expect(await sending).toMatchObject({ status: 403, code: 'person.signed_out' });
  expect(await t.select('select from attachments where id = $1', [idOf(location)])).toEqual([]);
  const auth_time = t.clock.now() / 1000 + 1;
  const again = { token: await t.mint({ sub: ned.subject, emails: [ned.email], auth_time }) };
  expect((await t.ask(again, location)).status).toBe(200);
  expect(await t.select('select owner_email from attachments where id = $1', [idOf(location)])).toEqual([
    { owner_email: 'ned@example.com' },
  ]);
});

test('uploads have a limit per person and hour, empty and cancelled ones included, on all server processes together', async () => {
  const ole = await t.join('ole@example.com');
  const first = await begun(ole, 1);
  await t.send(first, { method: 'DELETE', token: ole.token });
  await begun(ole, 0);
  const { rowCount } = await t.database.query({
    text: 'update rate_limits set used = 4998 where key = $1 and used = 2',
    values: [`attachment uploads:${ole.id}`],
  });
  expect(rowCount).toBe(1);
  const second = await createListeningApp({ beside: t, environment: limits, wrapStorage: () => t.storage });
  try {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, number) =>
        (number % 2 ? t : second).begin(ole, { name: `empty ${number}`, size: 0 }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(({ code }) => code)).toEqual(Array(10).fill('upload.too_often'));
    expect(refused[0]?.headers.get('retry-after')).toBe('3600');
  } finally {
    await second.close();
  }
});

test('a connection that is lost keeps what had arrived, and the next one takes over at once', async () => {
  const bytes = randomBytes(600_000);
  const location = await begun(ann, bytes.length);
  const lost = new AbortController();
  const first = fetch(new URL(location, t.origin), {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${ann.token}`,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
    },
    // And then nothing more, as when a train enters a tunnel.
    body: new ReadableStream({ start: (stream) => stream.enqueue(bytes.subarray(0, 550_000)) }),
    duplex: 'half',
    signal: lost.signal,
  }).catch(() => 'lost');
  await expect.poll(() => bytesOnDisk(idOf(location))).toBeGreaterThan(0);
  const offset = Number((await t.ask(ann, location)).headers.get('upload-offset'));
  expect(offset).toBe(550_000);
  lost.abort();
  await first;
  expect((await t.append(ann, location, offset, bytes.subarray(offset))).status).toBe(204);
  expect(t.log.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
  const { body } = await t.call(getAttachment, {
    token: ann.token,
    params: { attachmentId: idOf(location) },
  });
  expect(body.sha256).toBe(sha256Of(bytes));
});

test('when the answer to the last bytes is lost, asking makes the file complete', async () => {
  const location = await begun(ann, 5);
  // All of it is on the storage and nobody was told, as after a crash between the two.
  await t.append(ann, location, 0, 'hel');
  await t.select(`update attachment_uploads set size = 3 where id = $1`, [idOf(location)]);
  const asked = await t.ask(ann, location);
  expect(asked.headers.get('upload-offset')).toBe('3');
  const { body } = await t.call(getAttachment, {
    token: ann.token,
    params: { attachmentId: idOf(location) },
  });
  expect(body).toMatchObject({ size: 3, sha256: sha256Of(Buffer.from('hel')) });
  // And asking once more says the same.
  expect((await t.ask(ann, location)).headers.get('upload-offset')).toBe('3');
});

test('a finished upload is neither written to nor cancelled', async () => {
  const id = await t.upload(ann, 'done.txt', 'done');
  const location = `${uploadsPath}/${id}`;
  expect((await t.append(ann, location, 0, 'other')).status).toBe(409);
  expect((await t.send(location, { method: 'DELETE', token: ann.token })).status).toBe(400);
  const { body } = await t.call(getAttachment, { token: ann.token, params: { attachmentId: id } });
  expect(body.status).toBe('ready');
});

test('1,000 small files at once are all there', { timeout: 60_000 }, async () => {
  const ida = await t.join('ida@example.com');
  const waiting = Array.from({ length: 1_000 }, (_, index) => index);
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        await t.upload(ida, `small ${next}.txt`, `number ${next}`);
    }),
  );
  const { body } = await t.call(getUsage, { token: ida.token });
  expect(body.mine.files).toBe(1_000);
});
