import {
  actOnAttachments,
  deleteAttachment,
  findPeopleToShareWith,
  getAttachment,
  listAttachments,
  shareAttachment,
} from '@vestibule/contract/attachments';
import { createBatch } from '@vestibule/contract/invitations/batches';
import { invite } from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { waitForLocks } from '../../../test/test-faults.ts';
import { createListeningApp, type ListeningApp } from '../uploads/test-uploads.ts';

let t: ListeningApp;
let admin: TestPerson;
let member: TestPerson;
let handbook: string;
let mapFile: string;
beforeAll(async () => {
  t = await createListeningApp();
  admin = await t.join('admin@example.com', 'admin');
  member = await t.join('member@example.com');
  handbook = await t.upload(admin, 'handbook.txt', 'welcome');
  mapFile = await t.upload(admin, 'map.txt', 'you are here');
});
afterAll(() => t.close());

const inviteWith = (email: string, attachmentIds: string[]) =>
  t.call(invite, { token: admin.token, body: { email, attachmentIds } });
async function redeem(email: string, invitationId: string): Promise<string> {
  const token = await t.mint({ sub: `subject of ${email}`, emails: [email], invitationId });
  expect((await t.call(getMe, { token })).status).toBe(200);
  return token;
}
async function filesOf(token: string): Promise<string[]> {
  const { body } = await t.call(listAttachments, { token, query: { sort: 'name' } });
  return body.rows.map(({ name }) => name);
}

test('invitation attachments are shared with the invitee, and with no other member, when the invitee first signs in', async () => {
  const { body } = await inviteWith('new@example.com', [handbook, mapFile]);
  expect(await filesOf(member.token)).toEqual([]);
  const token = await redeem('new@example.com', body.id);
  expect(await filesOf(token)).toEqual(['handbook.txt', 'map.txt']);
  const file = await t.call(getAttachment, { token: admin.token, params: { attachmentId: mapFile } });
  expect(file.body).toMatchObject({ sharing: 'people', sharedCount: 1 });
  expect(await filesOf(member.token)).toEqual([]);
});

test('the pending invitees of a file are reported to its owner and administrators until they join', async () => {
  const file = await t.upload(member, 'plan.txt', 'plan');
  const pendingInvitees = async ({ token }: { token: string }) => {
    const { body } = await t.call(getAttachment, { token, params: { attachmentId: file } });
    const { rows } = (await t.call(listAttachments, { token, query: { search: 'plan.txt' } })).body;
    expect(rows.map(({ waitedFor }) => waitedFor)).toEqual([body.waitedFor]);
    return body.waitedFor;
  };
  expect(await pendingInvitees(member)).toEqual({ count: 0, emails: [], names: [] });
  const emails = ['d@example.com', 'b@example.com', 'a@example.com', 'c@example.com'];
  const ids = await Promise.all(emails.map(async (email) => (await inviteWith(email, [])).body.id));
  await t.select(
    `insert into invitation_attachments (attachment_id, invitation_id) select '${file}', unnest('{${ids.join(',')}}'::uuid[])`,
  );
  await t.select(`update invitations set name = 'Bea' where email = 'b@example.com'`);
  const allInvitees = {
    count: 4,
    emails: ['a@example.com', 'b@example.com', 'c@example.com'],
    names: ['a@example.com', 'Bea', 'c@example.com'],
  };
  expect([await pendingInvitees(member), await pendingInvitees(admin)]).toEqual([allInvitees, allInvitees]);
  const token = await redeem('b@example.com', ids[1] as string);
  expect(await pendingInvitees({ token })).toEqual({ count: 0, emails: [], names: [] });
  expect(await pendingInvitees(member)).toEqual({
    count: 3,
    emails: ['a@example.com', 'c@example.com', 'd@example.com'],
    names: ['a@example.com', 'c@example.com', 'd@example.com'],
  });
});

test('all people of a batch get the same files, even if they join concurrently', async () => {
  const emails = Array.from({ length: 20 }, (_, index) => `person${index}@example.com`);
  const { status } = await t.call(createBatch, {
    token: admin.token,
    headers: { 'idempotency-key': 'a-list' },
    body: { rows: emails.map((email) => ({ email })), attachmentIds: [mapFile, handbook] },
  });
  expect(status).toBe(200);
  const invited = await t.select<{ id: string; email: string }>(
    'select id, email from invitations where batch_id is not null',
  );
  const tokens = await Promise.all(invited.map(({ email, id }) => redeem(email, id)));
  expect(tokens).toHaveLength(20);
  for (const token of tokens) expect(await filesOf(token)).toEqual(['handbook.txt', 'map.txt']);
});

test('only existing files of the inviter can be attached', async () => {
  const otherFile = await t.upload(member, 'private.txt', 'private');
  const deletedFile = await t.upload(admin, 'gone.txt', 'gone');
  await t.call(deleteAttachment, { token: admin.token, params: { attachmentId: deletedFile } });
  for (const [index, id] of [otherFile, deletedFile, '0192f0c1-2345-7abc-8def-0123456789ab'].entries()) {
    const { body } = await inviteWith(`refused${index}@example.com`, [handbook, id]);
    expect(body.code).toBe('invitation.file_unknown');
  }
  const tooManyFiles = Array.from({ length: 21 }, () => handbook);
  expect((await inviteWith('many@example.com', tooManyFiles)).body).toMatchObject({
    code: 'request.invalid',
    fields: { attachmentIds: 'An invitation can include at most 20 files.' },
  });
});

test('a file deleted after the invitation was sent is not shared with the invitee', async () => {
  const lateFile = await t.upload(admin, 'late.txt', 'late');
  const { body } = await inviteWith('late@example.com', [handbook, lateFile]);
  await t.call(deleteAttachment, { token: admin.token, params: { attachmentId: lateFile } });
  expect(await filesOf(await redeem('late@example.com', body.id))).toEqual(['handbook.txt']);
});

test('unsharing files detaches them from pending invitations and logs the affected invitees', async () => {
  const packed = [await t.upload(admin, 'first.txt', '1'), await t.upload(admin, 'second.txt', '2')];
  const { body } = await inviteWith('waits@example.com', [handbook, ...packed]);
  const stopped = await t.call(actOnAttachments, {
    token: admin.token,
    body: { action: 'stopSharing', selection: { ids: packed } },
  });
  expect(stopped.body.done).toBe(2);
  expect(await filesOf(await redeem('waits@example.com', body.id))).toEqual(['handbook.txt']);
  expect(
    await t.select(
      `select target_label, detail->'people' as people from audit_log where action = 'attachment.unshared' order by target_label`,
    ),
  ).toEqual([
    { target_label: 'first.txt', people: ['waits@example.com'] },
    { target_label: 'second.txt', people: ['waits@example.com'] },
  ]);
});

test('an invitee who joins while a file is being detached does not get it', async () => {
  const removedFile = await t.upload(admin, 'no longer.txt', 'no longer');
  const { body } = await inviteWith('meanwhile@example.com', [handbook, removedFile]);
  const { signUp } = await t.database.transaction(async (transaction) => {
    await transaction.query({
      text: 'select from attachments where id = $1 for update',
      values: [removedFile],
    });
    const redeemed = redeem('meanwhile@example.com', body.id);
    await waitForLocks(t, 1);
    await transaction.query({
      text: 'delete from invitation_attachments where attachment_id = $1',
      values: [removedFile],
    });
    return { signUp: redeemed };
  });
  expect(await filesOf(await signUp)).toEqual(['handbook.txt']);
});

test('sharing with an invitee who is joining is refused instead of being lost', async () => {
  const menuFile = await t.upload(admin, 'menu.txt', 'menu');
  const { body } = await inviteWith('here@example.com', [handbook]);
  const { signUp, shared } = await t.database.transaction(async (transaction) => {
    await transaction.query({ text: 'select from attachments where id = $1 for update', values: [handbook] });
    const redeemed = redeem('here@example.com', body.id);
    await waitForLocks(t, 1);
    const sharing = t.call(shareAttachment, {
      token: admin.token,
      params: { attachmentId: menuFile },
      body: { sharing: 'people', personIds: [], invitationIds: [body.id] },
    });
    await waitForLocks(t, 2);
    return { signUp: redeemed, shared: sharing };
  });
  expect(await filesOf(await signUp)).toEqual(['handbook.txt']);
  expect((await shared).body.code).toBe('attachment.unknown_people');
});

test('an administrator finds members and invitees by Turkish and Greek names', async () => {
  await t.call(invite, { token: admin.token, body: { email: 'ipek@example.com', name: 'İpek ΝΙΚΟΣ' } });
  await t.select(`update people set display_name = 'İpek Νίκος' where id = $1`, [member.id]);
  const findEmails = async (search: string) => {
    const { body } = await t.call(findPeopleToShareWith, { token: admin.token, query: { search } });
    return body.people.map(({ email }) => email);
  };
  expect(await findEmails('İPEK')).toEqual([member.email, 'ipek@example.com']);
  expect(await findEmails('ΝΊΚΟΣ')).toEqual([member.email]);
  expect(await findEmails('νικος')).toEqual(['ipek@example.com']);
});
