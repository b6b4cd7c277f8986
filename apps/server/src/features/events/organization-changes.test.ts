/** Live changes of an extension's records, and of the permissions of members. */
import {
  addMember,
  changeMember,
  changeOrganization,
  createRole,
  replaceRole,
} from '@vestibule/contract/organizations';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordChange } from '../../platform/audit/audit-log.ts';
import { createExtensionWriter } from '../../test/extensions/test-extension-files.ts';
import { createOrganizationSite, type OrganizationSite } from '../organizations/test-organizations.ts';
import { openEventStream } from './test-events.ts';

const writeExtension = createExtensionWriter('notes');
let site: OrganizationSite;
let url: string;
beforeEach(async () => {
  const extensionsDirectory = await writeExtension(
    `const list = (area, verb) => ({
       route: { method: 'GET', path: '/api/organizations/:organizationId/' + area, access: { permission: 'notes.' + verb }, summary: '' },
       handle: () => Promise.resolve(null),
     });
     export default { name: 'notes', requires: '^1.1', routes: () => [list('notes', 'read'), list('note-drafts', 'write')],
       permissions: [
         { name: 'notes.read', label: 'Read', memberHasIt: true },
         { name: 'notes.write', label: 'Write', memberHasIt: false },
       ] };`,
  );
  site = await createOrganizationSite({ extensionsDirectory });
  url = await site.t.app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => site.t.close());

const record = ({ id, slug }: OrganizationSite['a'], type: string) =>
  recordChange(site.t.database, {
    action: `${type}.written`,
    actor: null,
    target: { type, id: '7', label: 'A secret' },
    origin: { requestId: '', address: '' },
    organization: { id, name: slug, asSiteAdministrator: false },
  });

test('a change reaches the members of its organization who may read the list, and no member of another', async () => {
  const { t, a, b } = site;
  const second = await t.join('second@acme.example');
  const added = await t.callAs(site.admin, addMember, {
    params: { organizationId: a.id },
    body: { personId: second.id, roleId: 'member' },
  });
  expect(added.status).toBe(200);
  const [manager, member, other, ofB] = [
    await openEventStream(url, a.manager.token),
    await openEventStream(url, a.member.token),
    await openEventStream(url, second.token),
    await openEventStream(url, b.member.token),
  ];
  await record(a, 'note_draft');
  expect(await manager.until('note_drafts')).toEqual(new Set(['note_drafts']));
  await record(a, 'note');
  for (const stream of [manager, member, other]) await stream.until('notes');
  for (const stream of [member, other]) expect(await stream.until('notes')).toEqual(new Set(['notes']));
  await record(b, 'note');
  await ofB.until('notes');
  // Only the change in organization B is reported to its members.
  const received = await ofB.waitForText('notes');
  expect(received.match(/^data:/gm)).toHaveLength(1);
  expect(received).not.toContain('secret');
  for (const stream of [manager, member, other, ofB]) stream.leave();
});

test('a change does not reach members of a suspended organization', async () => {
  const { t, admin, a, b } = site;
  await t.callAs(admin, changeOrganization, {
    params: { organizationId: a.id },
    query: {},
    body: { status: 'suspended' },
  });
  expect(await t.select`select status from organizations where id = ${a.id}`).toEqual([
    { status: 'suspended' },
  ]);
  const ofA = await openEventStream(url, a.member.token);
  const ofB = await openEventStream(url, b.member.token);
  await record(a, 'note');
  await record(b, 'note');
  await ofB.until('notes');
  await t.app.close();
  expect(await ofA.end()).not.toContain('notes');
});

test('a member is notified of another role', async () => {
  const { t, admin, a } = site;
  const stream = await openEventStream(url, a.member.token);
  const unaffected = await openEventStream(url, a.manager.token);
  const { body: role } = await t.callAs(admin, createRole, {
    body: { name: 'Writer', permissions: ['notes.write'] },
  });
  await stream.waitForText('connected');
  const { status } = await t.callAs(admin, changeMember, {
    params: { organizationId: a.id, personId: a.member.id },
    body: { roleId: role.id },
  });
  expect(status).toBe(200);
  await stream.until('me');
  await record(a, 'note_draft');
  await stream.until('note_drafts');
  await unaffected.until('note_drafts');
  expect(await unaffected.until('note_drafts')).not.toContain('me');
  stream.leave();
  unaffected.leave();
});

test('the members with a role are notified of its changed permissions, and may read the lists that these open', async () => {
  const { t, admin, a } = site;
  const body = { name: 'Writer', permissions: ['notes.read'] };
  const { body: role } = await t.callAs(admin, createRole, { body });
  const params = { organizationId: a.id, personId: a.member.id };
  await t.callAs(admin, changeMember, { params, body: { roleId: role.id } });
  const stream = await openEventStream(url, a.member.token);
  const unaffected = await openEventStream(url, a.manager.token);
  await record(a, 'note');
  expect(await stream.until('notes')).not.toContain('me');
  const { status } = await t.callAs(admin, replaceRole, {
    params: { roleId: role.id },
    body: { ...body, permissions: ['notes.read', 'notes.write'] },
  });
  expect(status).toBe(200);
  await stream.until('me');
  await record(a, 'note_draft');
  await stream.until('note_drafts');
  expect(await unaffected.until('note_drafts')).not.toContain('me');
  stream.leave();
  unaffected.leave();
});
