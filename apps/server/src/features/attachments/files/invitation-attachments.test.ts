import {
  actOnAttachments,
  findPeopleToShareWith,
  getAttachment,
  listAttachments,
  shareAttachment,
} from '@vestibule/contract/attachments';
import { invite } from '@vestibule/contract/invitations';
import { getMe } from '@vestibule/contract/profile/me';
import { expect, test } from 'vitest';
import { waitForLocks } from '../../../test/database/test-faults.ts';
import { createListeningApp } from '../uploads/test-uploads.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const t = closeAfterTests(await createListeningApp());
const admin = await t.join('admin@example.com', 'admin');
const member = await t.join('member@example.com');
const handbook = await t.upload(admin, 'handbook.txt', 'welcome');
const mapFile = await t.upload(admin, 'map.txt', 'you are here');

/** Creates an invitation with files, as sharing does, and as version 1.0.0 did when the invitation was sent. */
async function inviteWith(email: string, attachmentIds: string[]): Promise<string> {
  const { id } = await t.invitationTo(email);
  await t.select`
    insert into invitation_attachments (invitation_id, attachment_id) select ${id}, unnest(${attachmentIds}::uuid[])`;
  return id;
}
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
  const id = await inviteWith('new@example.com', [handbook, mapFile]);
  expect(await filesOf(member.token)).toEqual([]);
  const token = await redeem('new@example.com', id);
  expect(await filesOf(token)).toEqual(['handbook.txt', 'map.txt']);
  const file = await t.callAs(admin, getAttachment, { params: { attachmentId: mapFile } });
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
  const ids = await Promise.all(emails.map((email) => inviteWith(email, [file])));
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

test('20 invitees get the same files if they join concurrently', async () => {
  const emails = Array.from({ length: 20 }, (_, index) => `person${index}@example.com`);
  const ids = await Promise.all(emails.map((email) => inviteWith(email, [mapFile, handbook])));
  const tokens = await Promise.all(emails.map((email, index) => redeem(email, ids[index] as string)));
  for (const token of tokens) expect(await filesOf(token)).toEqual(['handbook.txt', 'map.txt']);
});

test('inviting with files is refused; the empty list that version 1.0.0 sends is accepted', async () => {
  const inviteAs = (email: string, attachmentIds: string[]) =>
    t.callAs(admin, invite, { body: { email, attachmentIds } });
  expect((await inviteAs('files@example.com', [handbook])).body).toMatchObject({
    code: 'request.invalid',
    fields: {
      attachmentIds: 'An invitation cannot include files. Share them with the invited address instead.',
    },
  });
  expect((await inviteAs('files@example.com', [])).status).toBe(200);
});

test('unsharing files detaches them from pending invitations and logs the affected invitees', async () => {
  const packed = [await t.upload(admin, 'first.txt', '1'), await t.upload(admin, 'second.txt', '2')];
  const id = await inviteWith('waits@example.com', [handbook, ...packed]);
  const stopped = await t.callAs(admin, actOnAttachments, {
    body: { action: 'stopSharing', selection: { ids: packed } },
  });
  expect(stopped.body.done).toBe(2);
  expect(await filesOf(await redeem('waits@example.com', id))).toEqual(['handbook.txt']);
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
  const id = await inviteWith('meanwhile@example.com', [handbook, removedFile]);
  const { signUp } = await t.database.transaction(async (transaction) => {
    await transaction.query({
      text: 'select from attachments where id = $1 for update',
      values: [removedFile],
    });
    const redeemed = redeem('meanwhile@example.com', id);
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
  const id = await inviteWith('here@example.com', [handbook]);
  const { signUp, shared } = await t.database.transaction(async (transaction) => {
    await transaction.query({ text: 'select from attachments where id = $1 for update', values: [handbook] });
    const redeemed = redeem('here@example.com', id);
    await waitForLocks(t, 1);
    const sharing = t.callAs(admin, shareAttachment, {
      params: { attachmentId: menuFile },
      body: { sharing: 'people', personIds: [], invitationIds: [id] },
    });
    await waitForLocks(t, 2);
    return { signUp: redeemed, shared: sharing };
  });
  expect(await filesOf(await signUp)).toEqual(['handbook.txt']);
  expect((await shared).body.code).toBe('attachment.unknown_people');
});

test('an administrator finds members and invitees by Turkish and Greek names', async () => {
  await t.callAs(admin, invite, { body: { email: 'ipek@example.com', name: 'İpek ΝΙΚΟΣ' } });
  await t.select`update people set display_name = 'İpek Νίκος' where id = ${member.id}`;
  const findEmails = async (search: string) => {
    const { body } = await t.callAs(admin, findPeopleToShareWith, { query: { search } });
    return body.people.map(({ email }) => email);
  };
  expect(await findEmails('İPEK')).toEqual([member.email, 'ipek@example.com']);
  expect(await findEmails('ΝΊΚΟΣ')).toEqual([member.email, 'ipek@example.com']);
  expect(await findEmails('ipek νικοσ')).toEqual([member.email, 'ipek@example.com']);
});
