import { inviteToOrganization } from '@vestibule/contract/invitations/in-organization';
import { listMyInvitations } from '@vestibule/contract/invitations/mine';
import { createOrganization, listMembers } from '@vestibule/contract/organizations';
import { listMembershipRequests } from '@vestibule/contract/organizations/requests';
import { changeMyName, changePerson, nameChangesPerHour } from '@vestibule/contract/people/details';
import { getMe } from '@vestibule/contract/profile/me';
import { createToken } from '@vestibule/contract/profile/tokens';
import { listPeople } from '@vestibule/contract/people';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestPerson } from '../../test/test-app.ts';
import { closeAfterTests } from '../../test/test-close.ts';
import type { MailTemplate } from '../../platform/mail/mail-queue.ts';
import { personMails } from './person-mail.ts';

let admin: TestPerson;
let ann: TestPerson;
const t = closeAfterTests(await createTestApp());
beforeEach(async () => {
  admin = await t.join('admin@example.com', 'admin');
  ann = await t.join('ann@example.com');
});
afterEach(() => t.select('delete from people'));

const change = (body: { displayName?: string; email?: string }, version?: number) =>
  t.call(changePerson, {
    token: admin.token,
    params: { personId: ann.id },
    query: version === undefined ? {} : { version },
    body,
  });
const jobs = () =>
  t.select<{ subject: string }>`
    select data ->> 'subjectId' as subject from jobs.job
    where data ->> 'template' = 'person-address-changed' and data ->> 'subjectId' like ${`${ann.id} %`}
    order by 1`;

describe('an administrator', () => {
  test('changes an address to a copied one that contains invisible characters', async () => {
    const changed = await change({ email: '\u2068ann.married@example.com\u2069\u200b' });
    expect(changed.body).toMatchObject({ email: 'ann.married@example.com' });
  });

  test('changes the name and the address of a person, in lists, files and organizations too', async () => {
    const organizationId = await t.scalar<string>`
      insert into organizations (id, name, slug, created_at) values (gen_random_uuid(), 'Acme', 'acme', now()) returning id`;
    await t.select`
      insert into memberships (organization_id, person_id, role_id, joined_at)
      values (${organizationId}, ${ann.id}, 'member', now())`;
    await t.select`
      insert into attachments (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at)
      values (gen_random_uuid(), ${ann.id}, 'Ann', ${ann.email}, 'a.txt', 'text/plain', 'text', 1, '', 'ready', now(), now())`;
    const changed = await change({ displayName: ' Ann  Married ', email: 'Ann.Married@example.com' }, 1);
    const expected = { displayName: 'Ann Married', email: 'Ann.Married@example.com' };
    expect(changed).toMatchObject({ status: 200, body: { id: ann.id, version: 2, ...expected } });
    const found = await t.callAs(admin, listPeople, { query: { search: 'married' } });
    expect(found.body.rows).toMatchObject([expected]);
    const members = await t.callAs(admin, listMembers, {
      params: { organizationId },
      query: {},
    });
    expect(members.body.rows).toMatchObject([expected]);
    expect(await t.select('select owner_name, owner_email from attachments')).toEqual([
      { owner_name: expected.displayName, owner_email: expected.email },
    ]);
    expect((await t.callAs(ann, getMe)).body).toMatchObject({
      DisplayName: expected.displayName,
      Email: expected.email,
    });
    expect(await t.auditOf(ann.id, 'person.changed')).toMatchObject([
      { detail: { before: { email: ann.email }, after: expected } },
    ]);
    await t.select('delete from organizations');
    await t.select('delete from attachments');
  });

  test('changes the address of open invitations to organizations, and of requests to join', async () => {
    const create = async (slug: string) => {
      const { body } = await t.callAs(admin, createOrganization, { body: { name: slug, slug } });
      const params = { organizationId: body.id };
      const invited = await t.callAs(admin, inviteToOrganization, {
        params,
        body: { email: ann.email, role: 'member' },
      });
      return { ...params, invitationId: invited.body.id };
    };
    const acme = await create('acme');
    const bolt = await create('bolt');
    const invited = { email: 'Ann.Married@example.com', role: 'member' };
    await t.callAs(admin, inviteToOrganization, { params: bolt, body: invited });
    await t.select`
      insert into membership_requests (id, organization_id, person_id, email, email_canonical, display_name, requested_at)
      values (gen_random_uuid(), ${bolt.organizationId}, ${ann.id}, ${ann.email}, ${ann.email}, 'Ann', now())`;
    await change({ email: invited.email });
    const mine = (await t.callAs(ann, listMyInvitations)).body.rows;
    expect(mine.map(({ organizationName }) => organizationName).toSorted()).toEqual(['acme', 'bolt']);
    expect(await t.auditOf(acme.invitationId, 'invitation.address_changed')).toMatchObject([
      { actor_label: admin.email, detail: { from: ann.email, to: invited.email } },
    ]);
    const { body } = await t.callAs(admin, listMembershipRequests, { params: bolt });
    expect(body.rows).toMatchObject([{ email: invited.email, hasAccount: true }]);
    await t.select('delete from invitations');
    await t.select('delete from organizations');
  });

  test('announces a new address to the old and the new one', async () => {
    await change({ displayName: 'Ann' });
    expect(await jobs()).toEqual([]);
    await change({ email: 'new@example.com' });
    const mails = personMails({ database: t.database, settings: t.settings, publicUrl: t.config.publicUrl });
    const template = mails['person-address-changed'] as MailTemplate;
    const written = await Promise.all((await jobs()).map(async ({ subject }) => template.write(subject)));
    expect(written).toMatchObject([
      { to: { address: 'ann@example.com' } },
      { to: { address: 'new@example.com' } },
    ]);
    for (const mail of written)
      expect(mail?.text).toContain('was ann@example.com and is now new@example.com');
  });

  test('cannot give an address that another person has, or that has been invited', async () => {
    await t.join('taken@example.com');
    await t.invitationTo('invited@example.com');
    expect(await change({ email: 'TAKEN@example.com' })).toMatchObject({
      status: 409,
      body: { code: 'person_details.address_taken', fields: { email: expect.any(String) } },
    });
    expect(await change({ email: 'invited@example.com' })).toMatchObject({
      status: 409,
      body: { code: 'person_details.address_invited', fields: { email: expect.any(String) } },
    });
    await t.select(`update invitations set expires_at = created_at where email = 'invited@example.com'`);
    expect(await change({ email: 'invited@example.com' })).toMatchObject({ status: 200 });
    expect(await change({ email: 'Invited@example.com' })).toMatchObject({ status: 200 });
  });

  test.each([
    ['an empty name', { displayName: ' ' }],
    ['a name of two lines', { displayName: 'Ann\nAdministrator' }],
    ['no address', { email: 'ann' }],
    ['the internal name of a guest', { email: 'ann_example.com#EXT#@contoso.onmicrosoft.com' }],
    ['an address that cannot exist', { email: 'ann@exa_mple.com' }],
  ])('cannot save %s', async (_what, body) => {
    expect(await change(body)).toMatchObject({
      status: 400,
      body: { fields: { [Object.keys(body)[0] as string]: expect.any(String) } },
    });
  });

  test('does not overwrite a concurrent change, and writes no entry without a change', async () => {
    expect(await change({ displayName: 'A' }, 7)).toMatchObject({
      status: 409,
      body: { code: 'person.changed' },
    });
    const { displayName } = (await change({})).body;
    await change({ displayName, email: ann.email });
    expect(await t.auditOf(ann.id, 'person.changed')).toEqual([]);
  });

  test('cannot do it with an access token, which could then sign in as anyone', async () => {
    const { body } = await t.call(createToken, {
      token: admin.token,
      body: { name: 'Import', scopes: ['people:write'], days: 1 },
    });
    const response = await t.call(changePerson, {
      token: body.token,
      params: { personId: ann.id },
      body: { email: 'new@example.com' },
    });
    expect(response).toMatchObject({ status: 403, body: { code: 'token.not_usable_here' } });
  });
});

test('members change their own name only', async () => {
  expect((await t.callAs(ann, changeMyName, { body: { displayName: 'Ann Marie' } })).status).toBe(200);
  expect((await t.callAs(ann, getMe)).body.DisplayName).toBe('Ann Marie');
  for (let count = 1; count < nameChangesPerHour; count += 1)
    await t.callAs(ann, changeMyName, { body: { displayName: `Ann ${count}` } });
  expect((await t.callAs(ann, changeMyName, { body: { displayName: 'Ann' } })).status).toBe(429);
  const other = { params: { personId: admin.id }, body: { displayName: 'x' } };
  expect((await t.callAs(ann, changePerson, other)).status).toBe(403);
});
