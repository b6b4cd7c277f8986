import {
  changeApplication,
  createApplication,
  deleteApplication,
  listApplications,
  type AccessEntry,
} from '@vestibule/contract/applications';
import { getApplicationName, listMyApplications } from '@vestibule/contract/applications/open';
import { changeOrganization, deleteOrganization } from '@vestibule/contract/organizations';
import { removePerson } from '@vestibule/contract/people';
import { describe, expect, test } from 'vitest';
import { png } from '../../test/test-picture.ts';
import { closeAfterTests } from '../../test/test-close.ts';
import { createOrganizationSite } from '../organizations/test-organizations.ts';

const { t, admin, a, b } = await createOrganizationSite();
closeAfterTests(t);

let counter = 0;
const create = (body: Partial<Parameters<typeof createBody>[0]> = {}) =>
  t.callAs(admin, createApplication, { body: createBody(body) });
const createBody = (body: {
  name?: string;
  address?: string;
  icon?: string | null;
  access?: AccessEntry[];
}) => ({ name: 'Wiki', address: `https://wiki${(counter += 1)}.example.com`, access: [], ...body });
const change = (applicationId: string, body: object) =>
  t.callAs(admin, changeApplication, { params: { applicationId }, body });
const list = async () => (await t.callAs(admin, listApplications)).body.rows;
const codeOf = ({ body }: { body: unknown }) => (body as { code?: string }).code;

describe('an application', () => {
  test('is created with its origin, listed, changed and removed, and each change is recorded', async () => {
    const { body: created, status } = await create({
      address: 'HTTPS://Grafana.Example.com:443/',
      access: [{ kind: 'everyone' }],
    });
    expect(status).toBe(200);
    expect(created).toMatchObject({ name: 'Wiki', address: 'https://grafana.example.com', version: 1 });
    expect(created.access).toMatchObject([{ kind: 'everyone' }]);
    expect((await change(created.id, { name: 'Graphs', version: 1 })).body).toMatchObject({
      name: 'Graphs',
      address: 'https://grafana.example.com',
      version: 2,
      access: created.access,
    });
    expect(codeOf(await change(created.id, { name: 'Charts', version: 1 }))).toBe('application.changed');
    expect(await list()).toContainEqual(expect.objectContaining({ id: created.id, name: 'Graphs' }));
    const params = { applicationId: created.id };
    await t.callAs(admin, deleteApplication, { params });
    expect((await t.callAs(admin, deleteApplication, { params })).status).toBe(404);
    expect(codeOf(await change(created.id, { name: 'Graphs' }))).toBe('application.not_found');
    const entries = await t.select<{ action: string; target_label: string }>`
      select action, target_label from audit_log where target_id = ${created.id} order by id`;
    expect(entries).toEqual([
      { action: 'application.created', target_label: 'Wiki' },
      { action: 'application.changed', target_label: 'Graphs' },
      { action: 'application.removed', target_label: 'Graphs' },
    ]);
  });

  test.each([
    ['https://wiki.example.com/path', 'request.invalid'],
    ['https://user@wiki.example.com', 'request.invalid'],
    ['https://wiki.example.com?x', 'request.invalid'],
    ['https://wiki.example.com.', 'request.invalid'],
    ['ftp://wiki.example.com', 'request.invalid'],
    ['wiki.example.com', 'request.invalid'],
    ['http://wiki.example.com', 'application.not_encrypted'],
    ['https://portal.example.com', 'application.site_host'],
    ['https://portal.example.com:8443', 'application.site_host'],
  ])('at %s is rejected with %s', async (address, code) => {
    const response = await create({ address });
    expect(codeOf(response)).toBe(code);
    expect(response.body).toHaveProperty('fields.address');
  });

  test('cannot share the host of another one, even with another port', async () => {
    await create({ address: 'https://one.example.com' });
    expect(codeOf(await create({ address: 'https://one.example.com:8443' }))).toBe(
      'application.address_taken',
    );
    const { body } = await create();
    expect(codeOf(await change(body.id, { address: 'https://ONE.example.com' }))).toBe(
      'application.address_taken',
    );
  });

  test('has an icon whose address changes with it', async () => {
    const first = (await create({ icon: png(8, 8).toString('base64') })).body;
    const second = (await change(first.id, { icon: png(9, 9).toString('base64') })).body;
    expect(second.iconUrl).not.toBe(first.iconUrl);
    const response = await t.app.inject({ url: second.iconUrl as string });
    expect(response.headers['content-type']).toBe('image/png');
    expect(response.rawPayload).toEqual(png(9, 9));
    expect((await change(first.id, { icon: null })).body.iconUrl).toBeNull();
    expect((await t.app.inject({ url: second.iconUrl as string })).statusCode).toBe(404);
    expect(codeOf(await create({ icon: Buffer.from('<svg/>').toString('base64') }))).toBe(
      'application.icon_unusable',
    );
  });

  test('rejects an access list with unknown ids, and stores nothing', async () => {
    const count = (await list()).length;
    const unknown = '0192f0c1-2345-7abc-8def-0123456789ab';
    for (const entry of [
      { kind: 'person', personId: unknown },
      { kind: 'organization', organizationId: unknown, roleId: null },
      { kind: 'organization', organizationId: null, roleId: unknown },
      { kind: 'group', groupId: unknown },
    ] satisfies AccessEntry[])
      expect(codeOf(await create({ access: [entry] }))).toBe('application.access_unknown');
    expect(await list()).toHaveLength(count);
  });
});

test('the name of an application is public for its exact address only', async () => {
  const { address } = (await create({ name: 'Wiki of the team' })).body as { address: string };
  const nameOf = async (text: string) =>
    (await t.call(getApplicationName, { query: { address: text } })).body.name;
  expect(await nameOf(address)).toBe('Wiki of the team');
  expect(await nameOf(`${address}/page`)).toBeNull();
  expect(await nameOf('https://unknown.example.com')).toBeNull();
});

describe('the applications of a caller', () => {
  const mine = async (token: string) =>
    (await t.call(listMyApplications, { token })).body.rows.map(({ name }) => name);

  test('are those that the access list allows', async () => {
    const outsider = await t.join('outsider@example.com');
    const person = (personId: string) => ({ kind: 'person', personId }) as const;
    const member = (organizationId: string | null, roleId: 'manager' | null) =>
      ({ kind: 'organization', organizationId, roleId }) as const;
    await create({ name: 'List: everyone', access: [{ kind: 'everyone' }] });
    await create({ name: 'List: administrators', access: [{ kind: 'siteRole', role: 'admin' }] });
    await create({ name: 'List: outsider', access: [person(outsider.id)] });
    await create({ name: 'List: a', access: [member(a.id, null)] });
    await create({ name: 'List: managers of b', access: [member(b.id, 'manager')] });
    await create({ name: 'List: all managers', access: [member(null, 'manager')] });
    await create({ name: 'List: any member', access: [member(null, null)] });
    await create({ name: 'List: no access', access: [] });
    const all = async (token: string) =>
      (await mine(token)).flatMap((name) => (name.startsWith('List: ') ? name.slice(6) : [])).toSorted();
    expect(await all(outsider.token)).toEqual(['everyone', 'outsider']);
    expect(await all(admin.token)).toEqual(['administrators', 'everyone']);
    expect(await all(a.member.token)).toEqual(['a', 'any member', 'everyone']);
    expect(await all(b.member.token)).toEqual(['any member', 'everyone']);
    expect(await all(b.manager.token)).toEqual(['all managers', 'any member', 'everyone', 'managers of b']);
    await t.callAs(admin, changeOrganization, {
      params: { organizationId: b.id },
      body: { status: 'suspended' },
    });
    expect(await all(b.manager.token)).toEqual(['everyone']);
  });

  test('lose entries whose organization or person was removed', async () => {
    const person = await t.join('leaving@example.com');
    const { body } = await create({
      access: [
        { kind: 'person', personId: person.id },
        { kind: 'organization', organizationId: b.id, roleId: null },
        { kind: 'siteRole', role: 'member' },
      ],
    });
    await t.callAs(admin, removePerson, { params: { personId: person.id } });
    await t.callAs(admin, deleteOrganization, { params: { organizationId: b.id } });
    expect((await list()).find(({ id }) => id === body.id)?.access).toMatchObject([{ kind: 'siteRole' }]);
  });
});
