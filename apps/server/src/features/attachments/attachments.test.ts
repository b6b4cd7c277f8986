import {
  actOnAttachments,
  deleteAttachment,
  findPeopleToShareWith,
  getAttachment,
  listAttachments,
  listShares,
  renameAttachment,
  shareAttachment,
  sharingModes,
  undoDeletion,
  type Sharing,
} from '@vestibule/contract/attachments';
import { removePerson } from '@vestibule/contract/people';
import { describe, expect, test } from 'vitest';
import type { TestPerson } from '../../test/test-app.ts';
import { createListeningApp } from './uploads/test-uploads.ts';
import { closeAfterTests } from '../../test/test-close.ts';

const t = closeAfterTests(await createListeningApp());
const admin = await t.join('admin@example.com', 'admin');
const ann = await t.join('ann@example.com');
const bob = await t.join('bob@example.com');
const cem = await t.join('cem@example.com');

const unshared = { sharing: sharingModes.private, sharedCount: 0 };
const of = (id: string) => ({ params: { attachmentId: id } });
const get = (person: TestPerson, id: string) => t.callAs(person, getAttachment, { ...of(id) });
const share = (
  person: TestPerson,
  id: string,
  body: { sharing: Sharing; personIds?: string[]; invitationIds?: string[] },
  version?: number,
) =>
  t.callAs(person, shareAttachment, {
    ...of(id),
    body,
    ...(version !== undefined && { query: { version: String(version) } }),
  });
async function names(person: TestPerson, query: Record<string, string> = {}): Promise<string[]> {
  const { body } = await t.callAs(person, listAttachments, { query: { sort: 'name', ...query } as never });
  return body.rows.map(({ name }) => name);
}
const actionsOn = (id: string) =>
  t.scalars<string>`select action from audit_log where target_id = ${id} order by id`;

test('members list their own and shared files; administrators list all files', async () => {
  await t.upload(ann, 'a private.txt', '1');
  const everyone = await t.upload(ann, 'a for all.txt', '1');
  const sharedWithBob = await t.upload(ann, 'a for bob.txt', '1');
  await t.upload(bob, 'b private.txt', '1');
  await share(ann, everyone, { sharing: 'everyone' });
  await share(ann, sharedWithBob, { sharing: 'people', personIds: [bob.id] });

  expect(await names(ann)).toEqual(['a for all.txt', 'a for bob.txt', 'a private.txt']);
  expect(await names(bob)).toEqual(['a for all.txt', 'a for bob.txt', 'b private.txt']);
  expect(await names(cem)).toEqual(['a for all.txt']);
  expect(await names(admin)).toEqual(['a for all.txt', 'a for bob.txt', 'a private.txt', 'b private.txt']);
  const { body } = await t.callAs(admin, listAttachments, { query: { sort: 'name' } });
  expect(body.total).toBe(4);
  expect(body.rows.map(({ may }) => may.open)).toEqual([true, false, false, false]);
});

test.each([
  ['mine', ['b private.txt'], []],
  ['shared', ['a for all.txt', 'a for bob.txt'], ['a for all.txt']],
  ['others', [], ['a for bob.txt', 'a private.txt', 'b private.txt']],
])('the owner filter "%s" returns the matching files', async (owner, bobs, admins) => {
  const filters = JSON.stringify([{ column: 'owner', is: 'oneOf', values: [owner] }]);
  expect(await names(bob, { filters })).toEqual(bobs);
  expect(await names(admin, { filters })).toEqual(admins);
});

test('search, filters and selections return no files that the caller may not see (security 14)', async () => {
  const filters = JSON.stringify([{ column: 'ownerId', is: 'oneOf', values: [ann.id] }]);
  expect(await names(cem, { filters })).toEqual(['a for all.txt']);
  expect(await names(cem, { search: 'private' })).toEqual([]);
  const { body } = await t.callAs(cem, actOnAttachments, {
    body: { action: 'delete', selection: { all: { search: 'private', total: 10 } } },
  });
  expect(body).toEqual({ done: 0, skipped: [], skippedCount: 0, rest: null, deletion: null });
});

describe('a file', () => {
  test('of another person gets the same response as an unknown file', async () => {
    const id = await t.upload(ann, 'secret.txt', '1');
    const hidden = await get(cem, id);
    const unknown = await get(cem, '0192f0c1-2345-7abc-8def-0123456789ab');
    const summarize = ({ status, body: { code, message } }: typeof hidden) => ({ status, code, message });
    expect(summarize(hidden)).toEqual({
      status: 404,
      code: 'attachment.not_found',
      message: expect.any(String),
    });
    expect(summarize(hidden)).toEqual(summarize(unknown));
  });

  test('can be renamed by its owner only', async () => {
    const id = await t.upload(ann, 'old.txt', '1');
    await share(ann, id, { sharing: 'everyone' });
    const rename = (person: TestPerson, name: string, version?: string) =>
      t.callAs(person, renameAttachment, {
        ...of(id),
        body: { name },
        ...(version && { query: { version } }),
      });
    expect((await rename(ann, 'new.txt')).body).toMatchObject({ name: 'new.txt', version: 3 });
    for (const person of [bob, admin])
      expect((await rename(person, 'mine.txt')).body.code).toBe('attachment.owner_only');
    expect((await rename(ann, 'other.txt', '1')).body.code).toBe('attachment.changed');
    for (const name of ['a/b', 'a\\b', 'a\nb', '\u202e', '..', ' ', 'x'.repeat(201)])
      expect((await rename(ann, name)).body).toMatchObject({
        code: 'request.invalid',
        fields: { name: expect.any(String) },
      });
    expect(await actionsOn(id)).toEqual(['attachment.uploaded', 'attachment.shared', 'attachment.renamed']);
  });

  test('is shared with exactly the selected people', async () => {
    const id = await t.upload(ann, 'plans.txt', '1');
    const { body } = await share(ann, id, { sharing: 'people', personIds: [bob.id, cem.id] });
    expect(body).toMatchObject({ sharing: 'people', sharedCount: 2 });
    const shares = await t.callAs(ann, listShares, { ...of(id) });
    expect(shares.body.version).toBe(body.version);
    expect(shares.body.people.map(({ email }) => email).toSorted()).toEqual([
      'bob@example.com',
      'cem@example.com',
    ]);
    expect((await t.callAs(bob, listShares, { ...of(id) })).body.code).toBe('attachment.owner_only');
    expect((await share(bob, id, { sharing: 'everyone' })).body.code).toBe('attachment.owner_only');

    expect((await share(ann, id, { sharing: 'people', personIds: [cem.id] })).body.sharedCount).toBe(1);
    expect((await get(bob, id)).status).toBe(404);
    expect((await get(cem, id)).status).toBe(200);
    expect((await share(ann, id, { sharing: 'everyone' }, 1)).body.code).toBe('attachment.changed');
    expect(
      (await share(ann, id, { sharing: 'people', personIds: ['0192f0c1-2345-7abc-8def-0123456789ab'] })).body
        .code,
    ).toBe('attachment.unknown_people');
    expect((await share(ann, id, { sharing: 'people', personIds: [] })).body).toMatchObject(unshared);
    expect((await get(cem, id)).status).toBe(404);
    expect(await actionsOn(id)).toEqual([
      'attachment.uploaded',
      'attachment.shared',
      'attachment.unshared',
      'attachment.unshared',
    ]);
  });
});

describe('deleting a file', () => {
  test('hides it from all users; undoing within five minutes also restores its shares', async () => {
    const id = await t.upload(ann, 'oops.txt', 'oops');
    await share(ann, id, { sharing: 'people', personIds: [bob.id] });
    const { body } = await t.callAs(ann, deleteAttachment, { ...of(id) });
    expect((await get(bob, id)).status).toBe(404);
    expect((await get(ann, id)).status).toBe(404);
    const undo = (person: TestPerson, deletionId: string) =>
      t.callAs(person, undoDeletion, { params: { deletionId } });
    expect((await undo(bob, body.deletionId)).body.code).toBe('attachment.undo_too_late');
    expect((await undo(ann, body.deletionId)).body).toEqual({ restored: 1 });
    expect((await get(bob, id)).body.may.open).toBe(true);
    expect((await undo(ann, body.deletionId)).status).toBe(409);

    const secondDeletion = await t.callAs(ann, deleteAttachment, { ...of(id) });
    t.clock.advance(5 * 60_000 + 1);
    expect((await undo(ann, secondDeletion.body.deletionId)).body.code).toBe('attachment.undo_too_late');
    expect((await actionsOn(id)).slice(2)).toEqual([
      'attachment.deleted',
      'attachment.restored',
      'attachment.deleted',
    ]);
  });

  test('is allowed for its owner and administrators', async () => {
    const id = await t.upload(ann, 'rules.txt', '1');
    await share(ann, id, { sharing: 'everyone' });
    expect((await t.callAs(bob, deleteAttachment, { ...of(id) })).body.code).toBe('attachment.owner_only');
    expect((await t.callAs(admin, deleteAttachment, { ...of(id) })).status).toBe(200);
  });

  test('skips files of other people in a bulk action; one undo restores all deleted files', async () => {
    const ownIds = [await t.upload(bob, 'one.txt', '1'), await t.upload(bob, 'two.txt', '2')];
    const othersFile = await t.upload(ann, 'hers.txt', '3');
    await share(ann, othersFile, { sharing: 'everyone' });
    const { body } = await t.callAs(bob, actOnAttachments, {
      body: { action: 'delete', selection: { ids: [...ownIds, othersFile] } },
    });
    expect(body).toMatchObject({
      done: 2,
      skipped: [{ id: othersFile, label: 'hers.txt', reason: 'Belongs to someone else.' }],
      skippedCount: 1,
    });
    const undone = await t.callAs(bob, undoDeletion, {
      params: { deletionId: body.deletion?.deletionId as string },
    });
    expect(undone.body).toEqual({ restored: 2 });
  });
});

test('files are shared with everyone and unshared by a bulk action', async () => {
  const ids = [await t.upload(cem, 'c1.txt', '1'), await t.upload(cem, 'c2.txt', '2')];
  const act = (action: 'shareWithEveryone' | 'stopSharing') =>
    t.callAs(cem, actOnAttachments, { body: { action, selection: { ids } } });
  expect((await act('shareWithEveryone')).body).toMatchObject({ done: 2, deletion: null });
  expect(await names(bob, { search: 'c1' })).toEqual(['c1.txt']);
  await act('stopSharing');
  expect(await names(bob, { search: 'c1' })).toEqual([]);
});

test('a person’s changes to files are limited per hour, and each changed file and each share counts; undoing is not limited', async () => {
  const eve = await t.join('eve@example.com');
  const id = await t.upload(eve, 'often.txt', '1');
  const otherIds = [await t.upload(eve, 'o1.txt', '1'), await t.upload(eve, 'o2.txt', '1')];
  const rename = () => t.callAs(eve, renameAttachment, { ...of(id), body: { name: 'x' } });
  const act = (action: 'delete' | 'shareWithEveryone') =>
    t.callAs(eve, actOnAttachments, { body: { action, selection: { ids: otherIds } } });
  expect((await rename()).status).toBe(200);
  expect((await share(eve, id, { sharing: 'people', personIds: [bob.id, cem.id] })).status).toBe(200);
  expect((await act('shareWithEveryone')).status).toBe(200);
  const { body: deleted } = await act('delete');
  const key = `attachment changes:${eve.id}`;
  expect(await t.select`select used from rate_limits where key = ${key}`).toEqual([{ used: 1 + 3 + 2 + 2 }]);

  await t.select`update rate_limits set used = 19999 where key = ${key}`;
  for (const refused of [
    await act('shareWithEveryone'),
    await share(eve, id, { sharing: 'people', personIds: [bob.id] }),
  ])
    expect(refused).toMatchObject({ status: 429, body: { code: 'attachment.too_often' } });
  expect((await share(eve, id, { sharing: unshared.sharing })).status, 'one is left').toBe(200);
  const refused = await t.callAs(eve, deleteAttachment, { ...of(id) });
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '3600' } });
  const { deletionId } = deleted.deletion as { deletionId: string };
  expect((await t.callAs(eve, undoDeletion, { params: { deletionId } })).body).toEqual({
    restored: 2,
  });
});

describe('findPeopleToShareWith', () => {
  const find = (person: TestPerson, search: string) =>
    t.callAs(person, findPeopleToShareWith, { query: { search } });

  test('members find people by the complete address only', async () => {
    expect((await find(ann, 'Bob@Example.com')).body.people.map(({ id }) => id)).toEqual([bob.id]);
    expect((await find(ann, 'bob')).body.people).toEqual([]);
    expect((await find(ann, '@example.com')).body.people).toEqual([]);
  });

  test('administrators find people by a part of the address', async () => {
    expect((await find(admin, 'bob@')).body.people.map(({ id }) => id)).toEqual([bob.id]);
    expect((await find(admin, '%')).body.people).toEqual([]);
  });

  test('administrators share with an invitee, who gets the file on joining; members do not see invitees (K7)', async () => {
    const { id: invitationId } = await t.invitationTo('nora@example.com');
    expect((await find(admin, 'nora@')).body.people).toEqual([
      { id: invitationId, displayName: 'nora@example.com', email: 'nora@example.com', invited: true },
    ]);
    expect((await find(ann, 'nora@example.com')).body.people).toEqual([]);
    const id = await t.upload(admin, 'for-nora.txt', 'Welcome');
    const shareBody = { sharing: 'people' as const, personIds: [bob.id], invitationIds: [invitationId] };
    expect((await share(admin, id, shareBody)).status).toBe(200);
    const sharedEmails = async () =>
      (await t.callAs(admin, listShares, { ...of(id) })).body.people.map(({ email }) => email);
    expect(await sharedEmails()).toEqual([bob.email, 'nora@example.com']);
    expect((await share(admin, id, { ...shareBody, invitationIds: [] })).status).toBe(200);
    expect(await sharedEmails()).toEqual([bob.email]);
    await share(admin, id, { ...shareBody, personIds: [] });
    expect((await t.callAs(admin, listShares, { ...of(id) })).body.sharing).toBe('people');
    const annsFile = await t.upload(ann, 'of-ann.txt', '1');
    expect(await share(ann, annsFile, shareBody)).toMatchObject({
      status: 409,
      body: { code: 'attachment.unknown_people' },
    });
    const token = await t.mint({ sub: 'nora', emails: ['nora@example.com'], invitationId });
    const { body } = await t.call(listAttachments, { token, query: { search: 'for-nora' } });
    expect(body.rows.map(({ name, sharing }) => [name, sharing])).toEqual([['for-nora.txt', 'people']]);
  });

  test('searching is limited to 60 requests per minute', async () => {
    let last = await find(cem, 'x0@example.com');
    for (let attempt = 1; attempt <= 60; attempt += 1) last = await find(cem, `x${attempt}@example.com`);
    expect(last.body.code).toBe('request.too_many');
  });
});

test.each(['\0', 'bob\0@', 'two\nlines'])(
  'findPeopleToShareWith returns 400 for the search text %j',
  async (search) => {
    for (const { token } of [ann, admin])
      expect(await t.call(findPeopleToShareWith, { token, query: { search } })).toMatchObject({
        status: 400,
        body: { fields: { search: expect.stringContaining('single line') } },
      });
  },
);

test('administrators see a file of a removed owner but cannot open it', async () => {
  const removed = await t.join('left@example.com');
  const params = { attachmentId: await t.upload(removed, 'left.txt', '1') };
  const removal = { params: { personId: removed.id }, query: { files: 'delete' as const } };
  await t.callAs(admin, removePerson, { ...removal });
  expect(await t.callAs(admin, getAttachment, { params })).toMatchObject({
    status: 200,
    body: { name: 'left.txt', ownerId: null, may: { open: false } },
  });
  expect((await t.callAs(ann, getAttachment, { params })).status).toBe(404);
});
