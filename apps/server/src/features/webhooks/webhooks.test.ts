import { listActivity } from '@vestibule/contract/activity';
import { deleteAttachment, undoDeletion } from '@vestibule/contract/attachments';
import { invite, renewInvitation, revokeInvitation } from '@vestibule/contract/invitations';
import { addMember, changeMember, createOrganization, removeMember } from '@vestibule/contract/organizations';
import { changeRole, disablePerson, enablePerson, removePerson } from '@vestibule/contract/people';
import { erasePerson } from '@vestibule/contract/people/removed';
import {
  changeWebhook,
  createWebhook,
  listWebhookMessages,
  listWebhooks,
  removeWebhook,
  resendWebhookMessage,
  rotateWebhookSecret,
  testWebhook,
  WebhookEvent,
  webhooksMaximum,
} from '@vestibule/contract/webhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEncryption } from '../../platform/identity/encryption.ts';
import { testSecret, type TestApp, type TestPerson } from '../../test/test-app.ts';
import type { WebhookSender } from './send-webhooks.ts';
import { createWebhookSite, verify, type Received, type WebhookSite } from './test-webhooks.ts';
import { createWebhookSecrets } from './webhook-secret.ts';
import { enqueueExpiredInvitations } from './webhooks.ts';

const hour = 3_600_000;
let site: WebhookSite;
let t: TestApp;
let admin: TestPerson;
let sender: WebhookSender;
beforeEach(async () => {
  site = await createWebhookSite();
  ({ t, admin } = site);
  sender = site.createSender();
});
afterEach(() => site.close());

const asAdmin = () => ({ token: admin.token });
const inviteByEmail = async (email: string) =>
  (await t.callAs(admin, invite, { body: { email, name: 'Ann Example', message: 'See you soon' } })).body.id;

/** Redeems an invitation. Returns the id of the person. */
async function redeem(invitationId: string, email: string): Promise<string> {
  const token = await t.mint({ sub: email, emails: [email], invitationId });
  await t.app.inject({ url: '/api/users/me', headers: { authorization: `Bearer ${token}` } });
  const [person] = (await t.select`select id from people where email = ${email}`) as [{ id: string }];
  return person.id;
}

/** Adds a file with the log entries of its upload and of sharing it. Returns its id. */
async function addFileOf(personId: string): Promise<string> {
  const [file] = (await t.select`
    insert into attachments (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at)
    values (gen_random_uuid(), ${personId}, 'Ann', 'ann@example.com', 'plan.pdf', 'application/pdf', 'pdf', 7, '', 'ready', now(), now())
    returning id`) as [{ id: string }];
  await t.select`
    insert into audit_log (action, actor_id, actor_label, target_type, target_id, target_label, address, request_id, detail)
    select action, ${personId}, 'ann@example.com', 'attachment', ${file.id}, 'plan.pdf', '203.0.113.1', '', '{"size": 7, "type": "application/pdf", "sha256": "00"}'
    from unnest(array['attachment.uploaded', 'attachment.shared']) action`;
  return file.id;
}

async function joinAndLeaveOrganization(personId: string): Promise<void> {
  const body = { name: 'Acme', slug: 'acme' };
  const { id: organizationId } = (await t.callAs(admin, createOrganization, { body })).body;
  const membership = { ...asAdmin(), params: { organizationId, personId } };
  await t.call(addMember, { ...membership, body: { personId: admin.id, roleId: 'manager' } });
  await t.call(addMember, { ...membership, body: { personId, roleId: 'member' } });
  await t.call(changeMember, { ...membership, body: { roleId: 'manager' } });
  await t.call(changeMember, { ...membership, body: { roleId: 'member' } });
  await t.call(removeMember, membership);
}

test('every event is sent once (Q1)', async () => {
  await site.add([...WebhookEvent.options]);
  const expired = await inviteByEmail('carl@example.com');
  t.clock.advance(8 * 24 * hour);
  await enqueueExpiredInvitations({ ...t, now: t.clock.now });
  admin.token = await site.recentToken();
  await t.callAs(admin, renewInvitation, { params: { invitationId: expired }, body: {} });
  const revoked = await inviteByEmail('bob@example.com');
  await t.callAs(admin, revokeInvitation, { params: { invitationId: revoked } });
  const redeemed = await inviteByEmail('ann@example.com');
  const ann = await redeem(redeemed, 'ann@example.com');
  const file = await addFileOf(ann);
  const deleted = await t.callAs(admin, deleteAttachment, { params: { attachmentId: file } });
  await t.callAs(admin, undoDeletion, { params: { deletionId: deleted.body.deletionId } });
  const ofAnn = { ...asAdmin(), params: { personId: ann }, query: {} };
  await t.call(changeRole, { ...ofAnn, body: { role: 'admin' } });
  await t.call(disablePerson, ofAnn);
  await t.call(enablePerson, ofAnn);
  await joinAndLeaveOrganization(ann);
  await t.call(removePerson, ofAnn);
  await t.callAs(admin, erasePerson, { body: { email: 'ann@example.com' } });
  t.clock.advance(400 * 24 * hour);
  await enqueueExpiredInvitations({ ...t, now: t.clock.now });
  await enqueueExpiredInvitations({ ...t, now: t.clock.now });
  await sender.sendDue();

  const byObject = Map.groupBy(site.receivedEvents(), ([, id]) => id);
  const eventsOf = (id: string) => (byObject.get(id) ?? []).map(([event]) => String(event)).toSorted();
  expect(eventsOf(redeemed)).toEqual(['invitation.created', 'invitation.redeemed']);
  expect(eventsOf(revoked)).toEqual(['invitation.created', 'invitation.revoked']);
  expect(eventsOf(expired)).toEqual(
    ['created', 'expired', 'expired', 'renewed'].map((what) => `invitation.${what}`),
  );
  expect(eventsOf(file)).toEqual(
    ['added', 'deleted', 'restored', 'shared'].map((what) => `attachment.${what}`),
  );
  expect(new Set(eventsOf(ann).filter((event) => event.startsWith('member.')))).toEqual(
    new Set(['member.added', 'member.changed', 'member.removed']),
  );
  expect(eventsOf(ann).filter((event) => event.startsWith('person.'))).toEqual(
    ['changed', 'disabled', 'enabled', 'erased', 'joined', 'removed', 'signed_in'].map(
      (what) => `person.${what}`,
    ),
  );
  expect(new Set(site.receivedEvents().map(([event]) => event))).toEqual(new Set(WebhookEvent.options));
  await sender.sendDue();
  expect(site.received.length).toBe(new Set(site.received.map(({ headers }) => headers['webhook-id'])).size);
});

test('a message names its object and actor, and contains no code, network address or user-written text (security 27, 69)', async () => {
  await site.add(['invitation.created', 'person.joined', 'person.changed', 'attachment.added']);
  const id = await inviteByEmail('ann@example.com');
  await sender.sendDue();
  const [message] = site.received as [Received];
  expect(message.payload).toEqual({
    type: 'invitation.created',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    data: {
      invitation: { id, email: 'ann@example.com' },
      by: { id: admin.id, email: admin.email },
      role: 'member',
      expiresAt: expect.stringMatching(/Z$/) as string,
    },
  });
  for (const hidden of [t.shortCodes.codeOf(id), 'See you soon', 'Ann Example', '127.0.0.1'])
    expect(message.body).not.toContain(hidden);

  const ann = await t.join('eve@example.com');
  await t.callAs(admin, changeRole, { params: { personId: ann.id }, query: {}, body: { role: 'admin' } });
  await sender.sendDue();
  const changed = site.received.find(({ payload }) => payload.type === 'person.changed');
  expect(changed?.payload.data).toMatchObject({
    person: { id: ann.id, email: 'eve@example.com' },
    before: { role: 'member' },
    after: { role: 'admin' },
  });
});

test('a person erased before a message is sent is named neither in it nor in the stored response (security 67)', async () => {
  await site.add(['person.joined', 'person.signed_in', 'person.removed', 'person.erased']);
  const ann = await t.join('ann@example.com');
  await t.callAs(admin, removePerson, { params: { personId: ann.id }, query: {} });
  await t.select(
    `update webhook_messages set answer = 'thanks for ann@example.com' where event = 'person.joined'`,
  );
  expect((await t.callAs(admin, erasePerson, { body: { email: ann.email } })).status).toBe(200);
  await sender.sendDue();
  expect(new Set(site.receivedEvents().map(([, id]) => id))).toEqual(new Set([ann.id]));
  expect(site.receivedEvents()).toHaveLength(4);
  expect(site.received.find(({ payload }) => payload.type === 'person.erased')?.payload.data).toMatchObject({
    person: { id: ann.id, email: expect.stringMatching(/^Erased person/) },
    personIds: [ann.id],
    invitationIds: [expect.any(String)],
  });
  for (const { body } of site.received) expect(body).not.toContain('ann@');
  const messageRows = await t.scalars<string>`select m::text as row from webhook_messages m`;
  expect(messageRows.join()).not.toContain('ann@');
});

describe('message signatures', () => {
  test('match the published example', () => {
    // https://github.com/standard-webhooks/standard-webhooks, libraries/*/test
    const secrets = createWebhookSecrets(testSecret);
    expect(secrets.create().secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const secret = encrypt('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const headers = secrets.sign(
      { secret, earlier_secret: null, earlier_secret_until: null },
      { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', at: 1_614_265_330_000 },
    );
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('are accepted by the Standard Webhooks library, which rejects altered messages (security 69)', async () => {
    const { secret } = await site.add(['invitation.created']);
    await inviteByEmail('ann@example.com');
    await sender.sendDue();
    const [message] = site.received as [Received];
    expect(verify(secret, message)).toEqual(message.payload);
    const refuses = (altered: Partial<Received>) =>
      expect(() => verify(secret, { ...message, ...altered })).toThrow();
    refuses({ body: message.body.replace('member', 'admin') });
    refuses({ headers: { ...message.headers, 'webhook-id': 'msg_another' } });
    const old = String(Number(message.headers['webhook-timestamp']) - 600);
    refuses({ headers: { ...message.headers, 'webhook-timestamp': old } });
  });

  test('use both secrets for a day after a rotation, then only the new one (security 69)', async () => {
    const { secret: first, params } = await site.add(['invitation.created']);
    const rotated = await t.callAs(admin, rotateWebhookSecret, { params });
    const second = rotated.body.secret;
    expect(second).not.toBe(first);
    const until = Date.parse(rotated.body.webhook.earlierSecretUntil ?? '') - t.clock.now();
    expect(Math.round(until / hour)).toBe(24);
    await inviteByEmail('ann@example.com');
    await sender.sendDue();
    const [during] = site.received as [Received];
    expect(during.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    verify(first, during);
    verify(second, during);

    await t.select`update webhooks set earlier_secret_until = ${new Date(t.clock.now())}`;
    await inviteByEmail('bob@example.com');
    await sender.sendDue();
    const after = site.received.at(-1) as Received;
    verify(second, after);
    expect(() => verify(first, after)).toThrow('No matching signature');
    const [listed] = (await t.callAs(admin, listWebhooks)).body.rows;
    expect(listed?.earlierSecretUntil).toBeNull();
  });
});

test('a secret is shown once and is in no table, log or other response (security 27)', async () => {
  const { secret, params } = await site.add(['invitation.created']);
  const second = (await t.callAs(admin, rotateWebhookSecret, { params })).body.secret;
  await t.callAs(admin, testWebhook, { params });
  await sender.sendDue();
  const tables = await t.select<{ row: string }>(
    `select row::text from webhooks row union all select row::text from audit_log row union all select row::text from webhook_messages row`,
  );
  const seen = [
    ...tables.map(({ row }) => row),
    t.log.join(),
    (await t.callAs(admin, listWebhooks)).text,
    (await t.callAs(admin, listWebhookMessages, { params })).text,
  ].join();
  for (const one of [secret, second]) {
    expect(seen).not.toContain(one.slice('whsec_'.length));
    expect(seen).not.toContain(Buffer.from(one.slice('whsec_'.length), 'base64').toString('hex'));
  }
});

test('each change of a webhook is recorded in the log, without its URL (security 69)', async () => {
  const { params } = await site.add(['invitation.created']);
  await t.callAs(admin, testWebhook, { params });
  await sender.sendDue();
  const [sent] = (await t.callAs(admin, listWebhookMessages, { params })).body.rows;
  expect(sent).toMatchObject({
    event: 'webhook.test',
    state: 'delivered',
    status: 200,
    answer: 'accepted',
    attempts: 1,
  });
  await t.callAs(admin, resendWebhookMessage, { params: { ...params, messageId: sent?.id as string } });
  await t.callAs(admin, rotateWebhookSecret, { params });
  await t.callAs(admin, changeWebhook, {
    params,
    body: { url: 'http://127.0.0.1/x?key=hidden', isOn: false },
  });
  const same = { isOn: false, events: ['invitation.created' as const] };
  expect((await t.callAs(admin, changeWebhook, { params, body: same })).body).toMatchObject(same);
  await t.callAs(admin, removeWebhook, { params });
  const { rows } = (await t.callAs(admin, listActivity, { query: { search: 'webhook.' } })).body;
  expect(rows.map(({ action }) => action).toSorted()).toEqual(
    ['changed', 'created', 'removed', 'secret_rotated', 'sent_again', 'tested'].map(
      (what) => `webhook.${what}`,
    ),
  );
  // A URL may contain secrets.
  expect(JSON.stringify(rows)).not.toContain('hidden');
});

test('a webhook with very many messages is deleted in batches', async () => {
  const { params } = await site.add(['invitation.created']);
  await t.select`
    insert into webhook_messages (webhook_id, event, at, object_type, object_id)
    select ${params.webhookId}, 'invitation.created', now(), 'invitation', gen_random_uuid() from generate_series(1, 10001)`;
  await t.select(
    `create function refuse_many() returns trigger language plpgsql as $$ begin
       if (select count(*) from gone) > 10000 then raise 'too many at once'; end if;
       return null;
     end $$`,
  );
  await t.select(
    `create trigger few after delete on webhook_messages referencing old table as gone
     for each statement execute function refuse_many()`,
  );
  expect((await t.callAs(admin, removeWebhook, { params })).status).toBe(200);
  expect(await t.select('select from webhook_messages')).toEqual([]);
});

test(`no more than ${webhooksMaximum} webhooks exist`, async () => {
  const body = { url: 'http://127.0.0.1/', description: '', events: ['person.joined' as const] };
  const add = () => t.callAs(admin, createWebhook, { body });
  for (let count = 0; count < webhooksMaximum; count++) expect((await add()).status).toBe(200);
  expect((await add()).body.code).toBe('webhook.too_many');
});

function encrypt(secret: string): Buffer {
  return createEncryption(testSecret, 'vestibule webhook secrets').encrypt(secret);
}

test('the time of the next attempt includes the pause of the receiver and is never in the past', async () => {
  const { params } = await site.add(['invitation.created']);
  site.respondWith(() => 429, '90');
  await inviteByEmail('ann@example.com');
  await sender.sendDue();
  await inviteByEmail('bob@example.com');
  const next = async () =>
    (await t.callAs(admin, listWebhookMessages, { params })).body.rows.map(
      ({ nextAttemptAt }) => nextAttemptAt && Date.parse(nextAttemptAt) - t.clock.now(),
    );
  expect(await next()).toEqual([90_000, 90_000]);
  t.clock.advance(60_000);
  expect(await next()).toEqual([30_000, 30_000]);
  t.clock.advance(60_000);
  expect(await next()).toEqual([null, null]);
});
