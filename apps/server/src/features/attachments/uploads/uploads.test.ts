import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { getAttachment, listUploads, sharingModes, uploadsPath } from '@vestibule/contract/attachments';
import { disablePerson, enablePerson, removePerson } from '@vestibule/contract/people';
import { signOutEverywhere } from '@vestibule/contract/profile';
import { describe, expect, test } from 'vitest';
import { testEnvironment, type TestPerson } from '../../../test/test-app.ts';
import { createListeningApp, formatMetadata, sha256Of, uploadIdOf, smallLimits } from './test-uploads.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(
  await createListeningApp({
    environment: smallLimits,
  }),
);
const admin = await t.join('admin@example.com', 'admin');
const ann = await t.join('ann@example.com');

test('a file sent in chunks becomes an attachment when the last chunk arrives (K7)', async () => {
  const bytes = randomBytes(300_000);
  const { status, headers } = await t.createUpload(ann, { name: 'photo.bin', size: bytes.length });
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
  const half = await t.callAs(ann, getAttachment, { params: { attachmentId: uploadIdOf(location) } });
  expect(half.status, 'nothing half-written is visible').toBe(404);
  expect((await t.callAs(ann, listUploads)).body.rows).toMatchObject([
    { id: uploadIdOf(location), name: 'photo.bin', size: 300_000, received: 100_000 },
  ]);

  const progress = await t.head(ann, location);
  expect(progress.headers.get('upload-offset')).toBe('100000');
  expect((await t.append(ann, location, 100_000, bytes.subarray(100_000))).status).toBe(204);

  const { body } = await t.callAs(ann, getAttachment, { params: { attachmentId: uploadIdOf(location) } });
  expect(body).toMatchObject({
    name: 'photo.bin',
    size: 300_000,
    sha256: sha256Of(bytes),
    ownerEmail: 'ann@example.com',
    sharing: sharingModes.private,
    status: 'ready',
    may: { open: true, rename: true, share: true, delete: true },
  });
  expect((await t.callAs(ann, listUploads)).body.rows).toEqual([]);
  const [row] = await t.select<{ actor_label: string }>`
    select actor_label from audit_log where action = 'attachment.uploaded' and target_id = ${uploadIdOf(location)}`;
  expect(row).toEqual({ actor_label: 'ann@example.com' });
});

test('the request that creates an upload can contain the file', async () => {
  const response = await t.send(uploadsPath, {
    method: 'POST',
    token: ann.token,
    headers: {
      'upload-length': '5',
      'upload-metadata': formatMetadata({ name: 'hello.txt', type: 'text/plain' }),
      'content-type': 'application/offset+octet-stream',
    },
    body: 'hello',
  });
  expect({ status: response.status, offset: response.headers.get('upload-offset') }).toEqual({
    status: 201,
    offset: '5',
  });
  const { body } = await t.callAs(ann, getAttachment, {
    params: { attachmentId: uploadIdOf(response.headers.get('location')) },
  });
  expect(body).toMatchObject({ kind: 'text', sha256: sha256Of(Buffer.from('hello')) });
});

describe('hostile file names (security 34)', () => {
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
  ])('the name %j is stored as %j', async (name, storedName) => {
    const id = await t.upload(ann, name, 'x');
    const { body } = await t.callAs(ann, getAttachment, { params: { attachmentId: id } });
    expect(body.name).toBe(storedName);
  });

  test('no file name of a user is used on the disk', async () => {
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

test('an upload whose SHA-256 differs from the announced one is deleted', async () => {
  const right = await t.createUpload(ann, { name: 'a', size: 5, sha256: sha256Of(Buffer.from('hello')) });
  expect((await t.append(ann, right.headers.get('location') as string, 0, 'hello')).status).toBe(204);
  const wrong = await t.createUpload(ann, { name: 'a', size: 5, sha256: sha256Of(Buffer.from('hallo')) });
  const location = wrong.headers.get('location') as string;
  expect(await t.append(ann, location, 0, 'hello')).toMatchObject({
    status: 460,
    code: 'upload.hash_mismatch',
  });
  expect((await t.head(ann, location)).status).toBe(404);
});

test('an upload is rejected while its owner is disabled and resumes when they are enabled (security 9)', async () => {
  const gus = await t.join('gus@example.com');
  const location = await t.newUpload(gus, 10);
  await t.append(gus, location, 0, 'hello');
  await t.callAs(admin, disablePerson, { params: { personId: gus.id } });
  expect(await t.append(gus, location, 5, 'world')).toMatchObject({ status: 403, code: 'person.disabled' });
  expect(await t.createUpload(gus, { name: 'x', size: 1 })).toMatchObject({
    status: 403,
    code: 'person.disabled',
  });
  await t.callAs(admin, enablePerson, { params: { personId: gus.id } });
  expect((await t.append(gus, location, 5, 'world')).status).toBe(204);
});

/** Starts an upload and returns once the server has stored some bytes; `finish` sends the last five. */
async function startSlowUpload(person: TestPerson) {
  const location = await t.newUpload(person, 600_005);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const sending = t.append(person, location, 0, readable);
  await writer.write(Buffer.alloc(600_000));
  await expect.poll(() => t.bytesOnDisk(uploadIdOf(location))).toBeGreaterThan(0);
  const finish = async () => {
    await writer.write(Buffer.from('world'));
    await writer.close();
    return sending;
  };
  return { location, finish };
}

test('an upload is not finished if its owner is removed while the last bytes arrive (security 9)', async () => {
  const hal = await t.join('hal@example.com');
  const { location, finish } = await startSlowUpload(hal);
  await t.callAs(admin, removePerson, { params: { personId: hal.id } });
  expect(await finish()).toMatchObject({ status: 403, code: 'person.disabled' });
  expect(await t.select`select from attachments where id = ${uploadIdOf(location)}`).toEqual([]);
});

test.each([
  ['sign-in', testEnvironment.SIGN_IN_POLICY, 0],
  ['sign-up', testEnvironment.SIGN_UP_POLICY, 30],
])(
  'after its owner signs out everywhere, an upload started with the token of a %s can be finished only after a new sign-in (security 9)',
  async (kind, tfp, ahead) => {
    const joined = await t.join(`ned-${kind}@example.com`);
    const claims = { sub: joined.subject, emails: [joined.email], tfp };
    const ned = {
      ...joined,
      token: await t.mint({ ...claims, auth_time: Math.floor(t.clock.now() / 1000) + ahead }),
    };
    const { location, finish } = await startSlowUpload(ned);
    await t.callAs(ned, signOutEverywhere, { body: { revokeTokens: false } });
    expect(await finish()).toMatchObject({ status: 403, code: 'person.signed_out' });
    expect(await t.select`select from attachments where id = ${uploadIdOf(location)}`).toEqual([]);
    const auth_time = t.clock.now() / 1000 + 1;
    const newSignIn = { token: await t.mint({ sub: ned.subject, emails: [ned.email], auth_time }) };
    expect((await t.head(newSignIn, location)).status).toBe(200);
    expect(await t.select`select owner_email from attachments where id = ${uploadIdOf(location)}`).toEqual([
      { owner_email: ned.email },
    ]);
  },
);

test('received bytes of a lost connection are stored, and the next connection resumes immediately', async () => {
  const bytes = randomBytes(600_000);
  const location = await t.newUpload(ann, bytes.length);
  const lost = new AbortController();
  const first = fetch(new URL(location, t.origin), {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${ann.token}`,
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
    },
    // The connection stays open without further data.
    body: new ReadableStream({ start: (stream) => stream.enqueue(bytes.subarray(0, 550_000)) }),
    duplex: 'half',
    signal: lost.signal,
  }).catch(() => 'lost');
  await expect.poll(() => t.bytesOnDisk(uploadIdOf(location))).toBeGreaterThan(0);
  const offset = Number((await t.head(ann, location)).headers.get('upload-offset'));
  expect(offset).toBe(550_000);
  lost.abort();
  await first;
  expect((await t.append(ann, location, offset, bytes.subarray(offset))).status).toBe(204);
  expect(t.log.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
  const { body } = await t.callAs(ann, getAttachment, { params: { attachmentId: uploadIdOf(location) } });
  expect(body.sha256).toBe(sha256Of(bytes));
});

test('if the response to the last bytes is lost, a HEAD request finishes the file', async () => {
  const location = await t.newUpload(ann, 5);
  // All bytes are stored but the response is lost, as after a crash.
  await t.append(ann, location, 0, 'hel');
  await t.select`update attachment_uploads set size = 3 where id = ${uploadIdOf(location)}`;
  const progress = await t.head(ann, location);
  expect(progress.headers.get('upload-offset')).toBe('3');
  const { body } = await t.callAs(ann, getAttachment, { params: { attachmentId: uploadIdOf(location) } });
  expect(body).toMatchObject({ size: 3, sha256: sha256Of(Buffer.from('hel')) });
  expect((await t.head(ann, location)).headers.get('upload-offset')).toBe('3');
});

test('a finished upload cannot be written to or cancelled', async () => {
  const id = await t.upload(ann, 'done.txt', 'done');
  const location = `${uploadsPath}/${id}`;
  expect((await t.append(ann, location, 0, 'other')).status).toBe(409);
  expect((await t.send(location, { method: 'DELETE', token: ann.token })).status).toBe(400);
  const { body } = await t.callAs(ann, getAttachment, { params: { attachmentId: id } });
  expect(body.status).toBe('ready');
});
