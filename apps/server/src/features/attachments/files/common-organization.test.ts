import {
  findPeopleToShareWith,
  getAttachment,
  linkToAttachments,
  listAttachments,
  shareAttachment,
} from '@vestibule/contract/attachments';
import { expect, test } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { closeAfterTests } from '../../../test/test-close.ts';
import { createListeningApp } from '../uploads/test-uploads.ts';

const t = closeAfterTests(await createListeningApp());
const admin = await t.join('admin@example.com', 'admin');
const [ann, colleague, stranger, alone] = [
  await t.join('ann@acme.example'),
  await t.join('colleague@acme.example'),
  await t.join('stranger@bolt.example'),
  await t.join('alone@example.com'),
];
const fileId = await t.upload(ann, 'plans.txt', '1');
const share = (personIds: string[] | null) =>
  t.callAs(ann, shareAttachment, {
    params: { attachmentId: fileId },
    body: personIds === null ? { sharing: 'everyone' } : { sharing: 'people', personIds },
  });

/** Returns what a person sees of the file: in the list, alone, and by a link. */
async function seen({ token }: TestPerson) {
  const list = await t.call(listAttachments, { token, query: { search: 'plans' } });
  const one = await t.call(getAttachment, { token, params: { attachmentId: fileId } });
  const links = await t.call(linkToAttachments, {
    token,
    body: { attachmentIds: [fileId], purpose: 'download' },
  });
  return { total: list.body.total, status: one.status, link: links.status };
}
const visible = { total: 1, status: 200, link: 200 };
const hidden = { total: 0, status: 404, link: 404 };
const found = async ({ token }: TestPerson, search: string) =>
  (await t.call(findPeopleToShareWith, { token, query: { search } })).body.people.map(({ email }) => email);

const join = (organization: string, { id }: TestPerson) =>
  t
    .select(
      `with made as (insert into organizations (id, name, slug, created_at) values ($1, $2, $2, now()) on conflict do nothing)
     select`,
      [organization, `organization-${organization.slice(-1)}`],
    )
    .then(
      () =>
        t.select`
        insert into memberships (organization_id, person_id, role_id, joined_at)
        values (${organization}, ${id}, 'member', now())`,
    );
const acme = '0192f0c1-2345-7abc-8def-00000000000a';
const bolt = '0192f0c1-2345-7abc-8def-00000000000b';

test('"everyone" is everyone on a site without organizations, and the members of a common organization otherwise', async () => {
  await share(null);
  for (const person of [colleague, stranger, alone]) expect(await seen(person)).toEqual(visible);
  expect(await found(stranger, ann.email)).toEqual([ann.email]);

  await join(acme, ann);
  await join(bolt, stranger);
  for (const person of [colleague, stranger, alone]) expect(await seen(person)).toEqual(hidden);
  // Effective from the next request on, also for colleagues who join later.
  await join(acme, colleague);
  expect(await seen(colleague)).toEqual(visible);
  // Administrators see that the file exists, as for files that are not shared.
  expect((await t.callAs(admin, getAttachment, { params: { attachmentId: fileId } })).body.may.open).toBe(
    false,
  );
});

test('a member finds only people of common organizations, and cannot share with others by their id', async () => {
  expect(await found(ann, colleague.email)).toEqual([colleague.email]);
  expect(await found(ann, stranger.email)).toEqual([]);
  expect(await found(ann, alone.email)).toEqual([]);
  expect(await found(alone, ann.email)).toEqual([]);
  expect(await found(admin, stranger.email)).toEqual([stranger.email]);
  expect((await share([stranger.id])).body.code).toBe('attachment.unknown_people');
  expect((await share([colleague.id])).status).toBe(200);
  // A person who leaves the organization keeps the file until the owner stops sharing it.
  await t.select`delete from memberships where person_id = ${colleague.id}`;
  expect(await seen(colleague)).toEqual(visible);
  expect((await share([colleague.id])).status).toBe(200);
  expect((await share([])).status).toBe(200);
  expect(await seen(colleague)).toEqual(hidden);
});

test('members of a suspended or expired organization do not see the files of each other, and files are private when their owner leaves the last organization', async () => {
  await join(acme, colleague);
  await share(null);
  expect(await seen(colleague)).toEqual(visible);
  const setStatus = (status: string) =>
    t.select`update organizations set status = ${status} where id = ${acme}`;
  await setStatus('suspended');
  for (const person of [colleague, alone]) expect(await seen(person)).toEqual(hidden);
  await setStatus('active');
  const expireAfter = (days: number) =>
    t.select`update organizations set expires_at = now() + ${days} * interval '1 day' where id = ${acme}`;
  await expireAfter(-1);
  for (const person of [colleague, alone]) expect(await seen(person)).toEqual(hidden);
  await expireAfter(1);
  expect(await seen(colleague)).toEqual(visible);
  await t.select`delete from memberships where person_id = ${ann.id}`;
  for (const person of [colleague, stranger, alone]) expect(await seen(person)).toEqual(hidden);
  await join(bolt, ann);
  expect(await seen(stranger)).toEqual(hidden);
  await share(null);
  await t.select('delete from organizations');
  expect(await seen(alone)).toEqual(hidden);
});
