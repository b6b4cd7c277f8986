/** Files on records of extensions: who may call each route, and what removes a file. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  actOnAttachments,
  deleteAttachment,
  getAttachment,
  linkToAttachments,
  listAttachments,
  renameAttachment,
  shareAttachment,
} from '@vestibule/contract/attachments';
import { changeMember, deleteOrganization, removeMember } from '@vestibule/contract/organizations';
import { createOrganizationToken } from '@vestibule/contract/organizations/tokens';
import { removePerson } from '@vestibule/contract/people';
import { erasePerson } from '@vestibule/contract/people/removed';
import { downloadMyData } from '@vestibule/contract/profile';
import { recordFileRoutes } from '@vestibule/contract/record-files';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDiskStorage } from '../../platform/storage/disk-storage.ts';
import { createExtensionWriter } from '../../test/extensions/test-extension-files.ts';
import { findRuleViolations } from '../../test/extensions/test-extension-rules.ts';
import { cleanUpFiles } from '../attachments/files/clean-up.ts';
import { uploadFile } from '../attachments/uploads/test-uploads.ts';
import { createOrganizationSite, type OrganizationSite } from '../organizations/test-organizations.ts';

const migration = `create table cases (
  id uuid primary key, organization_id uuid not null references organizations (id) on delete cascade);
  create index cases_organization on cases (organization_id);`;
const permissions = `permissions: [
  { name: 'cases.read', label: 'See cases', memberHasIt: true },
  { name: 'cases.write', label: 'Change cases', memberHasIt: false }]`;
const rules = `table: 'cases', read: 'cases.read', write: 'cases.write'`;
const definition = `case: { ${rules}, maximum: 2, kinds: ['text'], maximumMB: 1 }, other: { ${rules} },
  restricted: { ${rules.replace('cases.read', 'cases.write')} }`;
const files = recordFileRoutes('case');

const writeExtension = createExtensionWriter('cases');
let site: OrganizationSite;
let isStarted: boolean;
beforeEach(() => {
  isStarted = false;
});
afterEach(async () => {
  // A failed start closes what it has opened.
  if (isStarted) await site.t.close();
});

async function start(types = definition) {
  const extensionsDirectory = await writeExtension(
    `export default { name: 'cases', requires: '^1.1', migrations: new URL('migrations/', import.meta.url),
       ${permissions}, files: { ${types} } };`,
    migration,
  );
  site = await createOrganizationSite({ extensionsDirectory });
  isStarted = true;
  return site;
}

type Person = { token: string };

async function createCase(organizationId: string): Promise<string> {
  const id = randomUUID();
  await site.t.select`insert into cases (id, organization_id) values (${id}, ${organizationId})`;
  return id;
}

const at = (organizationId: string, recordId: string, { token }: Person) => ({
  token,
  params: { organizationId, recordId },
});

/** Uploads a file and adds it to a record. */
async function add(recordId: string, { id, manager }: OrganizationSite['a'] = site.a, routes = files) {
  const attachmentId = await uploadFile(site.t, manager, 'note.txt', 'a note');
  const response = await site.t.call(routes.add, { ...at(id, recordId, manager), body: { attachmentId } });
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return attachmentId;
}

const namesOf = async (recordId: string, person: Person = site.a.member) =>
  (await site.t.call(files.list, at(site.a.id, recordId, person))).body.rows.map(({ name }) => name);

async function linkOf(recordId: string, fileId: string, person: Person = site.a.member, routes = files) {
  const { token, params } = at(site.a.id, recordId, person);
  return site.t.call(routes.link, { token, params: { ...params, fileId }, body: { purpose: 'download' } });
}

const storedAt = (id: string) => path.join(site.t.filesDirectory, id.slice(-2), id.slice(-4, -2), id);
const cleanUp = async () => {
  site.t.clock.advance(3_600_000);
  await cleanUpFiles({
    database: site.t.database,
    storage: createDiskStorage(site.t.filesDirectory),
    scans: false,
    // Deletions by triggers have the time of the database.
    now: () => Math.max(site.t.clock.now(), Date.now() + 3_600_000),
  });
};

describe('access', () => {
  test('follows the rules for extensions', async () => {
    expect(await findRuleViolations(await start())).toEqual([]);
  });

  test('each route by each kind of caller', async () => {
    const { t, admin, a, b } = await start();
    const record = await createCase(a.id);
    const recordOfB = await createCase(b.id);
    const fileId = await add(record);
    const ofB = await add(recordOfB, b);
    const tokenOf = async (names: string[]) =>
      (
        await t.callAs(a.manager, createOrganizationToken, {
          params: { organizationId: a.id },
          body: { name: 'Script', permissions: names, days: 7 },
        })
      ).body;
    const stranger = await t.join('stranger@example.com');
    /** Statuses of list, link, add and remove. Add and remove name a file that cannot be added or removed. */
    const statuses = async (person: Person, organizationId: string, recordId: string, file: string) => {
      const { token, params } = at(organizationId, recordId, person);
      const ofFile = { token, params: { ...params, fileId: file } };
      return [
        (await t.call(files.list, { token, params })).status,
        (await t.call(files.link, { ...ofFile, body: { purpose: 'download' } })).status,
        (await t.call(files.add, { token, params, body: { attachmentId: randomUUID() } })).body.code,
        (await t.call(files.remove, { token, params: { ...params, fileId: randomUUID() } })).body.code,
      ];
    };
    const noFile = ['attachment.not_found', 'attachment.not_found'];
    const notAllowed = ['organization.permission_needed', 'organization.permission_needed'];
    const unknown = [404, 404, 'organization.not_found', 'organization.not_found'];
    expect(await statuses(a.manager, a.id, record, fileId)).toEqual([200, 200, ...noFile]);
    expect(await statuses(admin, a.id, record, fileId)).toEqual([200, 200, ...noFile]);
    expect(await statuses(a.member, a.id, record, fileId)).toEqual([200, 200, ...notAllowed]);
    expect(await statuses(b.manager, a.id, record, fileId)).toEqual(unknown);
    expect(await statuses(stranger, a.id, record, fileId)).toEqual(unknown);
    // The record or the file of another organization.
    const noRecord = ['record_file.record_not_found', 'attachment.not_found'];
    expect(await statuses(a.manager, a.id, recordOfB, ofB)).toEqual([404, 404, ...noRecord]);
    expect(await statuses(a.manager, a.id, record, ofB)).toEqual([200, 404, ...noFile]);
    expect(await statuses(b.manager, b.id, recordOfB, fileId)).toEqual([200, 404, ...noFile]);
    const missing = ['organization.token_permission_missing', 'organization.token_permission_missing'];
    expect(await statuses(await tokenOf(['cases.read']), a.id, record, fileId)).toEqual([
      200,
      200,
      ...missing,
    ]);
    expect(await statuses(await tokenOf(['cases.write']), a.id, record, fileId)).toEqual([
      403,
      403,
      ...noFile,
    ]);
  });

  test('a file of another record, another type or another person cannot be linked, removed or added', async () => {
    const { t, a } = await start();
    const [record, another] = [await createCase(a.id), await createCase(a.id)];
    const fileId = await add(record);
    const params = { organizationId: a.id, recordId: another, fileId };
    const { token } = a.manager;
    expect((await linkOf(another, fileId)).status).toBe(404);
    expect((await t.call(files.remove, { token, params })).status).toBe(404);
    const ofOther = { token, params: { ...params, recordId: record } };
    expect((await t.call(recordFileRoutes('other').remove, ofOther)).status).toBe(404);
    for (const attachmentId of [fileId, await uploadFile(t, a.member, 'mine.txt', 'x')]) {
      const response = await t.call(files.add, { ...at(a.id, another, a.manager), body: { attachmentId } });
      expect(response.body.code).toBe('attachment.not_found');
    }
    expect(await namesOf(record)).toEqual(['note.txt']);
  });

  test('a link stops when its holder leaves the organization or loses the permission', async () => {
    const { t, a } = await start();
    const restricted = recordFileRoutes('restricted');
    const record = await createCase(a.id);
    const fileId = await add(record, a, restricted);
    const { path: url } = (await linkOf(record, fileId, a.manager, restricted)).body;
    const opened = await t.app.inject({ url });
    expect([opened.statusCode, opened.body]).toEqual([200, 'a note']);
    expect(opened.headers['content-disposition']).toContain('attachment; filename="note.txt"');
    expect(opened.headers['content-security-policy']).toBe("sandbox; default-src 'none'");
    const membership = {
      token: site.admin.token,
      params: { organizationId: a.id, personId: a.manager.id },
      query: {},
    };
    const other = { ...membership.params, personId: a.member.id };
    await t.call(changeMember, { ...membership, params: other, body: { roleId: 'manager' } });
    const changed = await t.call(changeMember, { ...membership, body: { roleId: 'member' } });
    expect(changed.status).toBe(200);
    expect((await t.app.inject({ url })).statusCode).toBe(403);
    await t.call(removeMember, membership);
    expect((await t.app.inject({ url })).statusCode).toBe(404);
  });

  test('the file is not an attachment of its uploader or of an administrator', async () => {
    const { t, admin, a } = await start();
    const record = await createCase(a.id);
    const attachmentId = await add(record);
    for (const { token } of [a.manager, admin]) {
      const one = { token, params: { attachmentId }, query: {} };
      expect((await t.call(listAttachments, { token, query: {} })).body.total).toBe(0);
      expect((await t.call(getAttachment, one)).status).toBe(404);
      expect((await t.call(renameAttachment, { ...one, body: { name: 'x' } })).status).toBe(404);
      expect((await t.call(shareAttachment, { ...one, body: { sharing: 'everyone' } })).status).toBe(404);
      expect((await t.call(deleteAttachment, one)).status).toBe(404);
      const body = { attachmentIds: [attachmentId], purpose: 'download' as const };
      expect((await t.call(linkToAttachments, { token, body })).status).toBe(404);
      const selection = { ids: [attachmentId] };
      const acted = await t.call(actOnAttachments, { token, body: { action: 'delete', selection } });
      expect(acted.body.done).toBe(0);
    }
    expect(await namesOf(record)).toEqual(['note.txt']);
  });
});

describe('adding a file', () => {
  test('checks number, kind, size and sharing, and is recorded with the organization', async () => {
    const { t, a } = await start();
    const record = await createCase(a.id);
    const tryToAdd = async (attachmentId: string) =>
      (await t.call(files.add, { ...at(a.id, record, a.manager), body: { attachmentId } })).body;
    expect(await tryToAdd(await uploadFile(t, a.manager, 'a.bin', Buffer.from([1, 0, 2])))).toMatchObject({
      code: 'record_file.kind_not_allowed',
      message: 'Files of this kind cannot be added here. Choose another file.',
    });
    const large = await uploadFile(t, a.manager, 'large.txt', 'x'.repeat(1_000_001));
    expect((await tryToAdd(large)).code).toBe('upload.file_too_large');
    const shared = await uploadFile(t, a.manager, 'shared.txt', 'x');
    await t.callAs(a.manager, shareAttachment, {
      params: { attachmentId: shared },
      query: {},
      body: { sharing: 'everyone' },
    });
    expect((await tryToAdd(shared)).code).toBe('record_file.shared');
    const first = await add(record);
    expect(await tryToAdd(first)).toMatchObject({ id: first });
    const rest = [await uploadFile(t, a.manager, 'b.txt', 'x'), await uploadFile(t, a.manager, 'c.txt', 'x')];
    const codes = await Promise.all(rest.map(async (id) => (await tryToAdd(id)).code));
    expect(codes.sort()).toEqual(['record_file.too_many', undefined]);
    const [entry] = await t.select(
      `select target_id, target_label, detail #>> '{record,id}' as record, detail #>> '{organization,id}' as organization
       from audit_log where action = 'attachment.added_to_record' order by id limit 1`,
    );
    expect(entry).toEqual({ target_id: first, target_label: 'note.txt', record, organization: a.id });
  });
});

describe('a file is deleted with its contents', () => {
  test('when it is removed, its record is deleted, or the organization is deleted', async () => {
    const { t, admin, a, b } = await start();
    const [one, two] = [await createCase(a.id), await createCase(a.id)];
    const ids = [await add(one), await add(two), await add(two), await add(await createCase(b.id), b)];
    const { token } = a.manager;
    const params = { organizationId: a.id, recordId: one, fileId: ids[0] as string };
    expect((await t.call(files.remove, { token, params })).status).toBe(200);
    expect(await namesOf(one)).toEqual([]);
    await t.select`delete from cases where id = ${two}`;
    const deleted = await t.callAs(admin, deleteOrganization, {
      params: { organizationId: b.id },
      query: {},
    });
    expect(deleted.status).toBe(200);
    expect(ids.map((id) => existsSync(storedAt(id)))).toEqual([true, true, true, true]);
    await cleanUp();
    expect(await t.select('select id from attachments')).toEqual([]);
    expect(ids.map((id) => existsSync(storedAt(id)))).toEqual([false, false, false, false]);
    expect(await t.select('select sum(bytes)::int as bytes from attachment_usage')).toEqual([{ bytes: 0 }]);
  });
});

test('a file stays when its uploader is removed, loses the name at an erasure, and is in their data before', async () => {
  const { t, admin, a } = await start();
  const record = await createCase(a.id);
  const fileId = await add(record);
  const { body } = await t.callAs(a.manager, downloadMyData);
  const data = typeof body === 'string' ? (JSON.parse(body) as object) : body;
  expect(data).toMatchObject({ files: [], 'cases/files of case': [{ id: fileId, recordId: record }] });
  const params = { personId: a.manager.id };
  const removed = await t.callAs(admin, removePerson, { params, query: {} });
  expect(removed.status).toBe(200);
  await t.callAs(admin, erasePerson, { body: { email: a.manager.email } });
  const { rows } = (await t.call(files.list, at(a.id, record, a.member))).body;
  expect(rows).toMatchObject([{ id: fileId, addedBy: expect.stringMatching(/^Erased person/) as string }]);
  expect((await t.app.inject({ url: (await linkOf(record, fileId)).body.path })).body).toBe('a note');
});

test.each([
  ['without the columns', 'cases_old', /need a table cases_old with the columns id and organization_id/],
  [
    'of another extension',
    'people',
    /The files of case of the extension cases \(cases\/extension.ts\) need a type/,
  ],
])('a table %s prevents the start', async (_which, table, message) => {
  await expect(start(`case: { ${rules.replace("'cases'", `'${table}'`)} }`)).rejects.toThrow(message);
});
