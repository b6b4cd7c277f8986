import {
  deleteAttachment,
  getAttachment,
  listAttachments,
  sharingModes,
  undoDeletion,
} from '@vestibule/contract/attachments';
import { actOnPeople, disablePerson, removePerson } from '@vestibule/contract/people';
import {
  fileRetentionDays,
  handOverFiles,
  listRemovedPeople,
  type RemovalFileOptions,
} from '@vestibule/contract/people/removed';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../../test/test-app.ts';
import { cleanUpFiles } from '../../attachments/files/clean-up.ts';
import { deleteDueFiles } from '../../attachments/files/removed-owner.ts';
import { newId } from '../../../platform/database/new-id.ts';

const day = 24 * 3600_000;
let t: TestApp;
let admin: TestPerson;
let ann: TestPerson;
let bob: TestPerson;
beforeEach(async () => {
  t = await createTestApp({ environment: { ATTACHMENT_QUOTA_MB: '1', ATTACHMENT_FILE_LIMIT_MB: '1' } });
  admin = await t.join('admin@example.com', 'admin');
  ann = await t.join('ann@example.com');
  bob = await t.join('bob@example.com');
});
afterEach(() => t.close());

const remove = (person: TestPerson, files: RemovalFileOptions = {}) =>
  t.callAs(admin, removePerson, { params: { personId: person.id }, query: files });
async function createFile(owner: TestPerson, name: string, sharedWith: TestPerson[] = []): Promise<string> {
  const id = newId();
  const sharing = sharedWith.length > 0 ? sharingModes.people : sharingModes.private;
  await t.select`
    insert into attachments (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, sharing, shared_count, status, created_at, verified_at)
    values (${id}, ${owner.id}, 'Owner', ${owner.email}, ${name}, 'text/plain', 'text', 900000, '', ${sharing}, ${sharedWith.length}, 'ready', now(), now())`;
  for (const { id: personId } of sharedWith)
    await t.select`
      insert into attachment_shares (attachment_id, person_id, shared_at) values (${id}, ${personId}, now())`;
  return id;
}
const getFile = async (person: TestPerson, attachmentId: string) =>
  (await t.callAs(person, getAttachment, { params: { attachmentId } })).body;
const removedDetail = async () =>
  (
    await t.select<{ detail: Record<string, unknown> }>(
      `select detail from audit_log where action = 'person.removed' order by id`,
    )
  ).map(({ detail }) => detail['files']);
const runCleanUp = async () => {
  await deleteDueFiles({ database: t.database, now: t.clock.now, newId });
  t.clock.advance(3600_000);
  await cleanUpFiles({ database: t.database, storage: t.storage, scans: false, now: t.clock.now });
};
const usageOf = (person: TestPerson) =>
  t.select`select bytes, files from attachment_usage where owner_id = ${person.id}`;

describe('files of a removed person are transferred', () => {
  test('to the remover by default, with their shares (P3)', async () => {
    const ownFile = await createFile(ann, 'own.txt');
    const shared = await createFile(ann, 'shared.txt', [bob, admin]);
    expect((await remove(ann)).status).toBe(200);
    expect(await getFile(admin, ownFile)).toMatchObject({
      ownerId: admin.id,
      ownerEmail: admin.email,
      may: { rename: true },
    });
    expect(await getFile(admin, shared)).toMatchObject({
      sharing: 'people',
      sharedCount: 1,
      ownerId: admin.id,
    });
    expect(await getFile(bob, shared)).toMatchObject({ name: 'shared.txt' });
    expect(await removedDetail()).toEqual([{ count: 2, handedOverTo: admin.email }]);
  });

  test('to the named receiver, even over the quota (P3)', async () => {
    await createFile(bob, 'his.txt');
    const annsFile = await createFile(ann, 'hers.txt', [bob]);
    await remove(ann, { files: 'handOver', handOverTo: 'BOB@example.com' });
    expect(await getFile(bob, annsFile)).toMatchObject({
      ownerId: bob.id,
      sharing: sharingModes.private,
      sharedCount: 0,
    });
    expect(await usageOf(bob)).toEqual([{ bytes: 1_800_000, files: 2 }]);
    expect(await usageOf(ann)).toEqual([{ bytes: 0, files: 0 }]);
    expect((await t.callAs(bob, listAttachments, { query: {} })).body.total).toBe(2);
  });

  test.each([
    ['to an unknown address', 'unknown@example.com'],
    ['to the removed person', 'ann@example.com'],
    ['to a disabled person', 'bob@example.com'],
  ])('but not %s, in which case the removal of the person fails', async (_who, handOverTo) => {
    await t.callAs(admin, disablePerson, { params: { personId: bob.id } });
    expect((await remove(ann, { handOverTo })).body.code).toBe('person.receiver_unusable');
    expect(await t.select`select from people where id = ${ann.id}`).toHaveLength(1);
    expect(await t.select('select from removed_people')).toEqual([]);
  });

  test('for a bulk removal (P3)', async () => {
    const files = [await createFile(ann, 'a.txt'), await createFile(bob, 'b.txt', [ann])];
    const { body } = await t.callAs(admin, actOnPeople, {
      body: { action: 'remove', selection: { ids: [ann.id, bob.id] }, files: 'handOver' },
    });
    expect(body.done).toBe(2);
    for (const id of files)
      expect(await getFile(admin, id)).toMatchObject({ ownerId: admin.id, sharing: sharingModes.private });
    expect(await removedDetail()).toEqual([
      { count: 1, handedOverTo: admin.email },
      { count: 1, handedOverTo: admin.email },
    ]);
  });
});

describe('files of a removed person are deleted', () => {
  test('after 30 days with an audit entry (P3)', async () => {
    const bobsFile = await createFile(bob, 'bob.txt');
    const id = await createFile(ann, 'ann.txt', [bob]);
    await remove(ann, { files: 'delete' });
    const listed = await t.callAs(admin, listRemovedPeople, { query: {} });
    expect(listed.body.rows).toMatchObject([
      {
        email: ann.email,
        removedBy: admin.email,
        remover: { id: admin.id, displayName: 'Someone' },
        files: 1,
        filesGoAt: new Date(t.clock.now() + fileRetentionDays * day).toISOString(),
      },
    ]);
    t.clock.advance(fileRetentionDays * day - 2 * 3600_000);
    await runCleanUp();
    expect(await t.select`select name from kept_attachments where id = ${id}`).toEqual([{ name: 'ann.txt' }]);
    t.clock.advance(2 * 3600_000);
    await runCleanUp();
    expect(await t.select('select id from attachments')).toEqual([{ id: bobsFile }]);
    expect(
      await t.select(`select actor_label, target_label from audit_log where action = 'attachment.deleted'`),
    ).toEqual([{ actor_label: 'Vestibule', target_label: 'ann.txt' }]);
  });

  test('unless they are transferred before (P3)', async () => {
    const id = await createFile(ann, 'ann.txt', [bob]);
    const other = await createFile(bob, 'bob.txt');
    await remove(ann, { files: 'delete' });
    const handOver = (to: string) =>
      t.callAs(admin, handOverFiles, { params: { personId: ann.id }, body: { to } });
    expect((await handOver('unknown@example.com')).body.code).toBe('person.receiver_unusable');
    expect((await handOver(bob.email)).body).toEqual({ files: 1 });
    expect((await handOver(bob.email)).body).toEqual({ files: 0 });
    t.clock.advance(60 * day);
    await runCleanUp();
    expect(
      (await t.select<{ id: string }>`select id from attachments where owner_id = ${bob.id}`)
        .map((row) => row.id)
        .toSorted(),
    ).toEqual([id, other].toSorted());
    expect(
      await t.select(`select target_label, detail from audit_log where action = 'person.files_handed_over'`),
    ).toEqual([
      {
        target_label: ann.email,
        detail: { files: 1, before: { owner: ann.email }, after: { owner: bob.email } },
      },
    ]);
  });
});

test('a file deleted before the removal and restored afterwards belongs to the receiver of the other files (P3)', async () => {
  const id = await createFile(ann, 'ann.txt', [bob]);
  const { body } = await t.callAs(admin, deleteAttachment, { params: { attachmentId: id } });
  await remove(ann, { files: 'handOver', handOverTo: bob.email });
  const params = { deletionId: body.deletionId };
  expect((await t.callAs(admin, undoDeletion, { params })).body).toEqual({ restored: 1 });
  expect(await getFile(bob, id)).toMatchObject({
    ownerId: bob.id,
    sharing: sharingModes.private,
    sharedCount: 0,
  });
  expect(await removedDetail()).toEqual([{ count: 0, handedOverTo: bob.email }]);
});
