import { randomBytes } from 'node:crypto';
import { deleteAttachment, getUsage, linkToAttachments, undoDeletion } from '@vestibule/contract/attachments';
import { filesMaximum, filesPerDay } from '@vestibule/contract/attachments/errors';
import { afterEach, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { cleanUpFiles } from '../files/clean-up.ts';
import { createListeningApp, smallLimits } from './test-uploads.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(
  await createListeningApp({
    environment: smallLimits,
  }),
);
const admin = await t.join('admin@example.com', 'admin');
const ann = await t.join('ann@example.com');
afterEach(() => t.select('delete from attachment_uploads'));

test('quotas include running uploads, and the error reports the remaining space', async () => {
  const cem = await t.join('cem@example.com');
  const sizes = [2, 2].map((megabytes) => megabytes * 1024 * 1024);
  const locations = await Promise.all(sizes.map((size) => t.newUpload(cem, size)));
  const response = await t.createUpload(cem, { name: 'more', size: 1.5 * 1024 * 1024 });
  expect(response).toMatchObject({ status: 413, code: 'upload.quota_reached' });
  expect(response.message).toBe(
    'There is not enough space for this file: it needs 1.5 MB, and you have 1 MB of 5 MB left. Delete files you no longer need. Deleted files free up their space after 5 minutes (0 bytes pending).',
  );
  const { body } = await t.callAs(cem, getUsage);
  expect(body).toMatchObject({ mine: { used: 4 * 1024 * 1024, quota: 5 * 1024 * 1024, files: 0 } });

  await t.send(locations[0] as string, { method: 'DELETE', token: cem.token });
  expect(
    (await t.createUpload(cem, { name: 'more', size: 1.5 * 1024 * 1024 })).status,
    'a cancelled upload frees its space',
  ).toBe(201);

  const dan = await t.join('dan@example.com');
  const eve = await t.join('eve@example.com');
  for (const size of sizes) await t.newUpload(dan, size);
  for (const size of sizes) await t.newUpload(eve, size);
  expect(await t.createUpload(ann, { name: 'x', size: 2 * 1024 * 1024 })).toMatchObject({
    status: 413,
    code: 'upload.site_full',
  });
});

test('deleted files count towards the quota until their deletion can no longer be undone', async () => {
  const megabyte = 1024 * 1024;
  const max = await t.join('max@example.com');
  const ids = [];
  for (let time = 0; time < 2; time += 1) ids.push(await t.upload(max, 'x', randomBytes(2 * megabyte)));
  const [id] = ids as [string];
  const { body } = await t.callAs(max, deleteAttachment, { params: { attachmentId: id } });

  const refused = await t.createUpload(max, { name: 'more', size: 1.5 * megabyte });
  expect(refused).toMatchObject({ status: 413, code: 'upload.quota_reached' });
  expect(refused.message).toBe(
    'There is not enough space for this file: it needs 1.5 MB, and you have 1 MB of 5 MB left. Delete files you no longer need. Deleted files free up their space after 5 minutes (2 MB pending).',
  );
  expect(refused.headers.get('retry-after')).toBe('360');

  const undone = await t.callAs(max, undoDeletion, { params: { deletionId: body.deletionId } });
  expect(undone.body).toEqual({ restored: 1 });
  const bytes = await t.scalar<number>`
    select sum(size)::bigint as bytes from attachments where owner_id = ${max.id}`;
  expect(bytes).toBe(4 * megabyte);

  await t.callAs(max, deleteAttachment, { params: { attachmentId: id } });
  t.clock.advance(6 * 60_000);
  await cleanUpFiles({ database: t.database, storage: t.storage, scans: false, now: t.clock.now });
  expect((await t.createUpload(max, { name: 'more', size: 1.5 * megabyte })).status).toBe(201);
});

test('concurrent first uploads of many people on two server processes do not exceed the site quota', async () => {
  const people = await Promise.all(
    Array.from({ length: 24 }, (_, number) => t.join(`newcomer-${number}@example.com`)),
  );
  const second = await createListeningApp({
    sharedWith: t,
    environment: smallLimits,
    wrapStorage: () => t.storage,
  });
  try {
    const responses = await Promise.all(
      people.map((person, number) =>
        (number % 2 ? t : second).createUpload(person, { name: 'x', size: 1024 * 1024 }),
      ),
    );
    const { body } = await t.callAs(admin, getUsage);
    expect(body.all.used).toBeLessThanOrEqual(body.all.quota);
    expect(body.all.used + 1024 * 1024).toBeGreaterThan(body.all.quota);
    expect(new Set(responses.map(({ code }) => code))).toEqual(new Set([null, 'upload.site_full']));
  } finally {
    await second.close();
  }
});

test('every size limit is exact to the byte', async () => {
  const megabyte = 1024 * 1024;
  const [ian, jil, kim] = await Promise.all(
    ['ian', 'jil', 'kim'].map((name) => t.join(`${name}@example.com`)),
  );
  const tryToCreate = async (person: TestPerson | undefined, size: number) => {
    const { status, code } = await t.createUpload(person as TestPerson, { name: 'x', size });
    return status === 201 ? 'taken' : code;
  };
  expect(await tryToCreate(ian, 2 * megabyte + 1)).toBe('upload.file_too_large');
  expect(await tryToCreate(ian, 2 * megabyte)).toBe('taken');
  expect(await tryToCreate(ian, 2 * megabyte)).toBe('taken');
  expect(await tryToCreate(ian, megabyte)).toBe('taken');
  expect(await tryToCreate(ian, 1)).toBe('upload.quota_reached');

  for (const size of [2 * megabyte, 2 * megabyte]) expect(await tryToCreate(jil, size)).toBe('taken');
  const { body } = await t.callAs(admin, getUsage);
  const remaining = 12 * megabyte - (body as { all: { used: number } }).all.used;
  expect(remaining).toBeGreaterThan(0);
  expect(await tryToCreate(kim, Math.min(remaining, 2 * megabyte))).toBe('taken');
  expect(await tryToCreate(kim, Math.max(0, remaining - 2 * megabyte))).toBe('taken');
  expect(await tryToCreate(kim, 1)).toBe('upload.site_full');
});

test('a person can have at most 2,000 unfinished uploads', async () => {
  const leo = await t.join('leo@example.com');
  await t.select`
    insert into attachment_uploads (id, owner_id, name, declared_type, size, created_at, touched_at)
    select gen_random_uuid(), ${leo.id}, 'x', '', 0, now(), now() from generate_series(1, 1999)`;
  expect((await t.createUpload(leo, { name: 'the last', size: 1 })).status).toBe(201);
  expect(await t.createUpload(leo, { name: 'one more', size: 1 })).toMatchObject({
    code: 'upload.too_many_unfinished',
  });
});

test('concurrent uploads of one person do not exceed the quota', async () => {
  const fay = await t.join('fay@example.com');
  const responses = await Promise.all(
    Array.from({ length: 12 }, () => t.createUpload(fay, { name: 'x', size: 1024 * 1024 })),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(responses.filter(({ code }) => code === 'upload.quota_reached')).toHaveLength(7);
});

test('uploads are limited per person and hour, including empty and cancelled ones', async () => {
  const ole = await t.join('ole@example.com');
  const first = await t.newUpload(ole, 1);
  await t.send(first, { method: 'DELETE', token: ole.token });
  await t.newUpload(ole, 0);
  const { rowCount } = await t.database.query({
    text: 'update rate_limits set used = 4998 where key = $1 and used = 2',
    values: [`attachment uploads:${ole.id}`],
  });
  expect(rowCount).toBe(1);
  for (const name of ['one', 'two']) expect((await t.createUpload(ole, { name, size: 0 })).status).toBe(201);
  const refused = await t.createUpload(ole, { name: 'three', size: 0 });
  expect(refused).toMatchObject({ status: 429, code: 'upload.too_often' });
  expect(refused.headers.get('retry-after')).toBe('3600');
});

test.each(['uploads', 'changes', 'links'] as const)(
  '%s are limited per person and day in addition to the hourly limit',
  async (operation) => {
    const pat = await t.join(`pat-${operation}@example.com`);
    const id = await t.upload(pat, 'x', randomBytes(10));
    const operations = {
      uploads: () => t.createUpload(pat, { name: 'more', size: 0 }),
      changes: async () => {
        const params = { attachmentId: id };
        const { status, body } = await t.callAs(pat, deleteAttachment, { params });
        if (status === 200) await t.callAs(pat, undoDeletion, { params: { deletionId: body.deletionId } });
        return { status, code: (body as { code?: string }).code };
      },
      links: async () => {
        const { status, body } = await t.callAs(pat, linkToAttachments, {
          body: { attachmentIds: [id], purpose: 'download' },
        });
        return { status, code: (body as { code?: string }).code };
      },
    };
    expect((await operations[operation]()).status).toBeLessThan(300);
    const { rowCount } = await t.database.query({
      text: 'update rate_limits set used = $2 where key = $1',
      values: [`attachment ${operation} of a day:${pat.id}`, filesPerDay[operation] - 1],
    });
    expect(rowCount).toBe(1);
    expect((await operations[operation]()).status).toBeLessThan(300);
    const { status, code } = await operations[operation]();
    expect([status, code]).toEqual([
      429,
      operation === 'uploads' ? 'upload.too_often' : 'attachment.too_often',
    ]);
    // The daily limit still applies after an hour.
    t.clock.advance(3_600_000);
    pat.token = await t.recentTokenOf(pat);
    expect((await operations[operation]()).status).toBe(429);
  },
);

test('a person can have at most 100,000 files, including unfinished uploads and empty files', async () => {
  const quinn = await t.join('quinn@example.com');
  await t.newUpload(quinn, 1);
  await t.select(
    'insert into attachment_usage (owner_id, bytes, files) values ($1, 0, $2) on conflict (owner_id) do update set files = $2',
    [quinn.id, filesMaximum - 2],
  );
  expect((await t.createUpload(quinn, { name: 'the last', size: 0 })).status).toBe(201);
  const refused = await t.createUpload(quinn, { name: 'one more', size: 0 });
  expect([refused.status, refused.code, refused.message]).toEqual([
    413,
    'upload.too_many_files',
    'You have reached the limit of 100,000 files. Delete some that you no longer need.',
  ]);
});
