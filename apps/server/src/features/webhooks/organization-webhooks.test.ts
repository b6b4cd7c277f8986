import { addMember, changeMember, removeMember } from '@vestibule/contract/organizations';
import {
  changeOrganizationWebhook,
  createOrganizationWebhook,
  listOrganizationWebhookMessages,
  listOrganizationWebhooks,
  OrganizationWebhookEvent,
  removeOrganizationWebhook,
  testOrganizationWebhook,
} from '@vestibule/contract/organizations/webhooks';
import { acceptMyInvitation } from '@vestibule/contract/invitations/mine';
import { disablePerson, enablePerson, removePerson } from '@vestibule/contract/people';
import { invite } from '@vestibule/contract/invitations';
import { createWebhook, listWebhooks, removeWebhook, WebhookEvent } from '@vestibule/contract/webhooks';
import { afterAll, afterEach, expect, test } from 'vitest';
import { testSecret } from '../../test/test-app.ts';
import {
  createInvitingHelpers,
  createOrganizationSite,
  type OrganizationSite,
} from '../organizations/test-organizations.ts';
import { disableWebhook } from './disable-webhook.ts';
import { createWebhookSender } from './send-webhooks.ts';
import { writePayloads, type OutboxMessage } from './webhook-payload.ts';
import { enqueueExpiredInvitations } from './webhooks.ts';

const { t, admin, a, b } = await createOrganizationSite({
  environment: { WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes', PROVIDERS_ON_PRIVATE_ADDRESSES: 'yes' },
});
const { inviteTo, inOrganization, signUp } = createInvitingHelpers(() => t);
afterEach(() => t.select('delete from webhooks'));
afterAll(() => t.close());

type Organization = OrganizationSite['a'];
const events = [...OrganizationWebhookEvent.options];
async function add(organization: Organization) {
  const token = await t.recentTokenOf(organization.manager);
  const { body, status } = await t.call(createOrganizationWebhook, {
    ...inOrganization(organization, token),
    body: { url: 'http://127.0.0.1:9/hook', description: 'Tickets', events },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.webhook.id;
}
const addToSite = async () =>
  (
    await t.callAs(admin, createWebhook, {
      body: { url: 'http://127.0.0.1:9/site', description: 'Site', events: [...WebhookEvent.options] },
    })
  ).body.webhook.id;
const queued = (webhookId: string) =>
  t.scalars<string>`select event from webhook_messages where webhook_id = ${webhookId} order by id`;

test('receives the events of its organization and about its members, and nothing of others', async () => {
  const [ofA, ofB, site] = [await add(a), await add(b), await addToSite()];
  const joining = await t.join('joining@acme.example');
  const inA = { token: admin.token, params: { organizationId: a.id } };
  await t.select('delete from webhook_messages');
  await t.call(addMember, { ...inA, body: { personId: joining.id, roleId: 'member' } });
  const member = { ...inA, params: { organizationId: a.id, personId: joining.id } };
  await t.call(changeMember, { ...member, body: { roleId: 'manager' } });
  const person = { token: admin.token, params: { personId: joining.id } };
  await t.call(disablePerson, person);
  await t.call(enablePerson, person);
  await t.call(removeMember, member);
  await t.call(disablePerson, person);
  await t.call(enablePerson, person);
  expect(await queued(ofA)).toEqual([
    'member.added',
    'member.changed',
    'person.disabled',
    'person.enabled',
    'member.removed',
  ]);
  expect(await queued(ofB)).toEqual([]);
  expect(await queued(site)).toEqual([
    'member.added',
    'member.changed',
    'person.disabled',
    'person.enabled',
    'member.removed',
    'person.disabled',
    'person.enabled',
  ]);
  const messages = await t.select<OutboxMessage>(
    "select * from webhook_messages where event = 'member.added'",
  );
  const [payload] = [...(await writePayloads(t.database, messages)).values()];
  expect(JSON.parse(payload as string)).toMatchObject({
    type: 'member.added',
    data: {
      member: { id: joining.id, email: 'joining@acme.example' },
      organization: { id: a.id, name: 'The acme' },
    },
  });
});

test('reports the end of a membership when the person is removed from the site', async () => {
  const [ofA, ofB] = [await add(a), await add(b)];
  const leaving = await t.join('leaving@acme.example');
  const body = { personId: leaving.id, roleId: 'member' };
  await t.callAs(admin, addMember, { params: { organizationId: a.id }, body });
  await t.select('delete from webhook_messages');
  await t.callAs(admin, removePerson, { params: { personId: leaving.id } });
  expect(await queued(ofA)).toEqual(['member.removed']);
  expect(await queued(ofB)).toEqual([]);
  const messages = await t.select<OutboxMessage>('select * from webhook_messages');
  const [payload] = [...(await writePayloads(t.database, messages)).values()];
  expect(JSON.parse(payload as string)).toMatchObject({
    type: 'member.removed',
    data: { member: { email: 'leaving@acme.example' }, organization: { id: a.id } },
  });
});

test('receives its invitations until they are redeemed or expire, and no others', async () => {
  const [ofA, ofB, site] = [await add(a), await add(b), await addToSite()];
  await t.callAs(admin, invite, { body: { email: 'site@example.com' } });
  const { body } = await inviteTo(a, 'new@acme.example');
  await inviteTo(a, 'late@acme.example');
  await signUp('new@acme.example', body.id);
  const manager = await t.mint({ sub: a.manager.subject, emails: [a.manager.email] });
  expect(await queued(ofA)).toEqual(
    expect.arrayContaining(['invitation.created', 'invitation.redeemed', 'person.joined']),
  );
  await t.select(
    "update invitations set expires_at = now() + interval '1 hour' where status = 'pending' and email <> 'new@acme.example'",
  );
  await enqueueExpiredInvitations({ database: t.database, now: () => Date.now() + 2 * 3_600_000 });
  expect((await queued(ofA)).filter((event) => event === 'invitation.expired')).toHaveLength(1);
  expect((await queued(site)).filter((event) => event === 'invitation.expired')).toHaveLength(2);
  expect(await queued(ofB)).toEqual([]);
  const listed = await t.call(listOrganizationWebhookMessages, {
    token: manager,
    params: { organizationId: a.id, webhookId: ofA },
  });
  expect(listed.body.rows.at(-1)?.event).toBe('invitation.created');
});

test('receives nothing while the organization is suspended', async () => {
  const ofA = await add(a);
  await t.select`update organizations set status = 'suspended' where id = ${a.id}`;
  const params = { organizationId: a.id, personId: a.member.id };
  await t.callAs(admin, changeMember, { params, body: { roleId: 'manager' } });
  expect(await queued(ofA)).toEqual([]);
  await t.select`update organizations set status = 'active' where id = ${a.id}`;
  await t.callAs(admin, changeMember, { params, body: { roleId: 'member' } });
  expect(await queued(ofA)).toEqual(['member.changed']);
});

test('is found, changed and removed in its organization only, and not among those of the site', async () => {
  const [ofA, site] = [await add(a), await addToSite()];
  const inA = inOrganization(a, await t.recentTokenOf(a.manager));
  const inB = inOrganization(b, await t.recentTokenOf(b.manager));
  expect((await t.call(listOrganizationWebhooks, inA)).body.rows.map(({ id }) => id)).toEqual([ofA]);
  expect((await t.call(listOrganizationWebhooks, inB)).body.rows).toEqual([]);
  expect((await t.callAs(admin, listWebhooks)).body.rows.map(({ id }) => id)).toEqual([site]);
  for (const webhookId of [ofA, site]) {
    const foreign = { ...inB, params: { ...inB.params, webhookId } };
    for (const response of [
      await t.call(changeOrganizationWebhook, { ...foreign, body: { isOn: false } }),
      await t.call(testOrganizationWebhook, foreign),
      await t.call(removeOrganizationWebhook, foreign),
    ])
      expect(response.body).toMatchObject({ code: 'webhook.not_found' });
  }
  expect((await t.callAs(admin, removeWebhook, { params: { webhookId: ofA } })).status).toBe(404);
  const own = { ...inA, params: { ...inA.params, webhookId: ofA } };
  expect((await t.call(changeOrganizationWebhook, { ...own, body: { isOn: false } })).body.isOn).toBe(false);
  expect((await t.call(removeOrganizationWebhook, own)).status).toBe(200);
  const [entry] = await t.auditOf(ofA, 'webhook.removed');
  expect(entry).toMatchObject({ detail: { organization: { id: a.id } } });
});

test('its managers are notified when it is turned off, and administrators of the site are not', async () => {
  const ofA = await add(a);
  await disableWebhook({ database: t.database, mail: t.mail }, ofA, 'gone');
  const jobs =
    await t.scalars<string>`select data ->> 'subjectId' as subject from jobs.job where data ->> 'template' = 'webhook-off'`;
  expect(jobs).toEqual([`${ofA} ${a.manager.id}`]);
  const write = async (personId: string) => t.mailTemplates['webhook-off']?.write(`${ofA} ${personId}`);
  expect(JSON.stringify(await write(a.manager.id))).toContain('All managers of The acme get this e-mail.');
  for (const person of [a.member, b.manager, admin]) expect(await write(person.id)).toBeNull();
  const [entry] = await t.auditOf(ofA, 'webhook.switched_off');
  expect(entry).toMatchObject({ detail: { organization: { id: a.id } } });
});

test('events of the whole site are refused', async () => {
  const { status } = await t.call(createOrganizationWebhook, {
    ...inOrganization(a, await t.recentTokenOf(a.manager)),
    body: {
      url: 'http://127.0.0.1:9/hook',
      description: 'Files',
      events: ['attachment.added'] as never,
    },
  });
  expect(status).toBe(400);
});

test('a person with an account who accepts an invitation becomes a member, and does not join the site again', async () => {
  const ofA = await add(a);
  const { body } = await inviteTo(a, b.member.email);
  const params = { invitationId: body.id };
  expect((await t.callAs(b.member, acceptMyInvitation, { params })).status).toBe(200);
  const messages = await t.select<{ event: string; object_id: string }>`
    select event, object_id from webhook_messages where webhook_id = ${ofA} order by id`;
  expect(messages).toEqual([
    { event: 'invitation.created', object_id: body.id },
    { event: 'invitation.redeemed', object_id: body.id },
    { event: 'member.added', object_id: b.member.id },
  ]);
});

test('is sent by the client of its organization, which refuses private addresses', async () => {
  await add(a);
  await addToSite();
  await inviteTo(a, 'reported@acme.example');
  const clients: (string | null)[] = [];
  const sender = createWebhookSender({
    ...t,
    now: t.clock.now,
    secret: testSecret,
    logger: t.app.log,
    httpOf: (organizationId) => {
      clients.push(organizationId);
      return { fetch: () => Promise.resolve(new Response('')), check: () => Promise.resolve() };
    },
  });
  await sender.sendDue();
  expect(new Set(clients)).toEqual(new Set([a.id, null]));
});
