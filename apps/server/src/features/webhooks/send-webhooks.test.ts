import { setTimeout as delay } from 'node:timers/promises';
import { invite, revokeInvitation } from '@vestibule/contract/invitations';
import {
  changeWebhook,
  listWebhookMessages,
  listWebhooks,
  resendWebhookMessage,
  testWebhook,
} from '@vestibule/contract/webhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOutboundHttp } from '../../platform/http/outbound-http.ts';
import type { Queryable, QueryConfig } from '../../platform/database/database.ts';
import type { TestApp, TestPerson } from '../../test/test-app.ts';
import { claimMessages, findDueWebhooks, type WebhookSender } from './send-webhooks.ts';
import { deleteOldMessages } from './webhook-store.ts';
import { createWebhookSite, type WebhookSite } from './test-webhooks.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
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

const inviteByEmail = async (email: string) =>
  (await t.call(invite, { token: await site.recentToken(), body: { email } })).body.id;
const revoke = async (invitationId: string) =>
  t.call(revokeInvitation, { token: await site.recentToken(), params: { invitationId } });
const inviteEvents = ['invitation.created', 'invitation.revoked'] as const;

test('no message is sent for a change that is rolled back, and a change fails if its message cannot be written', async () => {
  await site.add([...inviteEvents]);
  await t.database
    .transaction(async (transaction) => {
      await transaction.query({
        text: `insert into audit_log (action, actor_label, target_type, target_id, target_label, address, request_id, detail)
               values ('invitation.created', 'x', 'invitation', 'x', 'x', '', '', '{}')`,
      });
      throw new Error('on second thoughts');
    })
    .catch(() => {});
  expect(await t.select('select from webhook_messages')).toEqual([]);
  await t.select('alter table webhook_messages rename column event to gone');
  expect((await t.callAs(admin, invite, { body: { email: 'ann@example.com' } })).status).toBe(500);
  expect(await t.select(`select from invitations where email = 'ann@example.com'`)).toEqual([]);
});

test('a failed message is retried with growing delays (Q1)', async () => {
  await site.add([...inviteEvents]);
  site.respondWith(() => 503);
  const id = await inviteByEmail('ann@example.com');
  await sender.sendDue();
  t.clock.advance(4_000);
  await sender.sendDue();
  expect(site.received).toHaveLength(1);
  t.clock.advance(2_000);
  await sender.sendDue();
  expect(site.received).toHaveLength(2);
  t.clock.advance(20_000);
  await sender.sendDue();
  expect(site.received).toHaveLength(2);
  site.respondWith(() => 204);
  t.clock.advance(11_000);
  await sender.sendDue();
  await sender.sendDue();
  expect(site.receivedEvents()).toEqual(Array.from({ length: 3 }, () => ['invitation.created', id]));
  expect(new Set(site.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test.each([
  ['seconds', () => '90'],
  ['a moment', (now: number) => new Date(now + 90_000).toUTCString()],
])('a receiver that sends Retry-After in %s gets no message before that time (Q1)', async (_what, pause) => {
  await site.add([...inviteEvents]);
  const first = await inviteByEmail('ann@example.com');
  site.respondWith(() => 429, pause(t.clock.now()));
  await sender.sendDue();
  const second = await inviteByEmail('bea@example.com');
  site.respondWith(() => 200);
  t.clock.advance(85_000);
  await sender.sendDue();
  expect(site.receivedEvents()).toEqual([['invitation.created', first]]);
  t.clock.advance(10_000);
  await sender.sendDue();
  expect(
    new Set(
      site
        .receivedEvents()
        .slice(1)
        .map(([, id]) => id),
    ),
  ).toEqual(new Set([first, second]));
});

test('a message that a receiver never accepts delays no other object and is given up after three days (Q1)', async () => {
  const { params } = await site.add([...inviteEvents]);
  const rejectedId = await inviteByEmail('poison@example.com');
  site.respondWith(({ body }) => (body.includes(rejectedId) ? 400 : 200));
  for (let days = 0; days < 4; days += 1) {
    const other = await inviteByEmail(`other-${days}@example.com`);
    for (let step = 0; step < 3; step += 1) {
      await sender.sendDue();
      t.clock.advance(10_000);
    }
    expect(site.receivedEvents()).toContainEqual(['invitation.created', other]);
    t.clock.advance(day);
  }
  const token = await site.recentToken();
  const { rows } = (await t.call(listWebhookMessages, { token, params })).body;
  expect(rows.at(-1)).toMatchObject({ objectId: rejectedId, state: 'given_up', status: 400 });
  expect((await t.call(listWebhooks, { token })).body.rows[0]).toMatchObject({ isOn: true, waiting: 0 });
});

test('a webhook is disabled after three days of failures, all administrators are notified, and its messages can be sent again (Q1)', async () => {
  const { params } = await site.add([...inviteEvents]);
  const other = await t.join('other@example.com', 'admin');
  site.respondWith(() => 500);
  const id = await inviteByEmail('ann@example.com');
  for (let hours = 0; hours < 74; hours += 1) {
    await sender.sendDue();
    t.clock.advance(60 * minute);
  }
  const token = await site.recentToken();
  const [off] = (await t.call(listWebhooks, { token })).body.rows;
  expect(off).toMatchObject({ isOn: false, offBecause: 'failing', waiting: 0 });
  const attempts = site.received.length;
  expect(attempts).toBeGreaterThan(70);
  const jobs = await t.select<{ subject: string }>(
    `select data ->> 'subjectId' as subject from jobs.job where data ->> 'template' = 'webhook-off'`,
  );
  expect(jobs.map(({ subject }) => subject).toSorted()).toEqual(
    [admin.id, other.id].map((person) => `${params.webhookId} ${person}`).toSorted(),
  );
  const mail = await t.mailTemplates['webhook-off']?.write(jobs[0]?.subject as string);
  expect(mail?.text).toContain('For three days, 127.0.0.1');
  expect(mail?.text).toContain('https://portal.example.com/layout/settings/webhooks');

  // Disabled webhooks get no messages.
  await revoke(id);
  const before = await t.call(listWebhookMessages, { token, params });
  expect(before.body.rows).toMatchObject([{ event: 'invitation.created', state: 'given_up', status: 500 }]);
  const messageId = before.body.rows[0]?.id as string;
  const again = { token, params: { ...params, messageId } };
  expect((await t.call(resendWebhookMessage, again)).body.code).toBe('webhook.is_off');
  expect((await t.call(testWebhook, { token, params })).body.code).toBe('webhook.is_off');
  site.respondWith(() => 200);
  const on = await t.call(changeWebhook, { token, params, body: { isOn: true } });
  expect(on.body).toMatchObject({ isOn: true, offBecause: null, failingSince: null });
  expect((await t.call(resendWebhookMessage, again)).body).toMatchObject({
    state: 'waiting',
    nextAttemptAt: null,
  });
  await sender.sendDue();
  expect(site.received).toHaveLength(attempts + 1);
  expect(site.received.at(-1)?.headers['webhook-id']).toBe(site.received[0]?.headers['webhook-id']);
});

test('a webhook is disabled at once when its receiver responds with 410', async () => {
  await site.add([...inviteEvents]);
  site.respondWith(() => 410);
  await inviteByEmail('ann@example.com');
  await sender.sendDue();
  const { rows } = (await t.callAs(admin, listWebhooks)).body;
  expect(rows).toMatchObject([{ isOn: false, offBecause: 'gone' }]);
});

test('failures detected by the server are reported as translatable messages', async () => {
  const { params } = await site.add([...inviteEvents]);
  await t.callAs(admin, testWebhook, { params });
  await t.select(`update webhooks set url = 'https://inside.example/'`);
  const lookup = () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]);
  await site.createSender(createOutboundHttp({ allowsPrivate: false, lookup })).sendDue();
  const [sent] = (await t.callAs(admin, listWebhookMessages, { params })).body.rows;
  expect(sent).toMatchObject({ status: null, answerText: { code: 'webhook_failure.private' } });
});

test('error codes of connections are reported as translatable messages', async () => {
  const { params } = await site.add([...inviteEvents]);
  for (const [code, why] of [
    ['ENOTFOUND', 'unknownHost'],
    ['ECONNREFUSED', 'unreachable'],
    ['ETIMEDOUT', 'unreachable'],
    ['CERT_HAS_EXPIRED', 'certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
    ['ECONNRESET', 'lost'],
  ]) {
    await t.callAs(admin, testWebhook, { params });
    const outboundHttp = createOutboundHttp({ allowsPrivate: true });
    const cause = Object.assign(new Error(`connect ${code}`), { code });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    await site.createSender({ ...outboundHttp, fetch }).sendDue();
    const [sent] = (await t.callAs(admin, listWebhookMessages, { params })).body.rows;
    expect(sent).toMatchObject({ status: null, answerText: { code: `webhook_failure.${why}` } });
    t.clock.advance(1_000);
  }
});

test('a failed test message is not retried, and a test message for a failing receiver is sent at once', async () => {
  const { params } = await site.add([...inviteEvents]);
  site.respondWith(() => 302);
  await inviteByEmail('ann@example.com');
  await sender.sendDue();
  await t.callAs(admin, testWebhook, { params });
  await sender.sendDue();
  const { rows } = (await t.callAs(admin, listWebhookMessages, { params })).body;
  expect(rows).toMatchObject([
    { event: 'webhook.test', state: 'given_up', status: 302, attempts: 1 },
    { event: 'invitation.created', state: 'waiting', status: 302, attempts: 1 },
  ]);
});

test('a test message is sent before all waiting messages', async () => {
  const { params } = await site.add([...inviteEvents]);
  site.respondWith(() => 500);
  await inviteByEmail('ann@example.com');
  await sender.sendDue();
  await inviteByEmail('bob@example.com');
  await t.callAs(admin, testWebhook, { params });
  site.respondWith(() => 200);
  await sender.sendDue();
  expect(site.receivedEvents().map(([type]) => type)).toEqual([
    'invitation.created',
    'webhook.test',
    'invitation.created',
  ]);
});

test('a webhook is tested at most 60 times an hour', async () => {
  const { params } = await site.add([...inviteEvents]);
  const { params: other } = await site.add([...inviteEvents]);
  for (let sent = 0; sent < 60; sent += 1) await t.callAs(admin, testWebhook, { params });
  expect((await t.callAs(admin, testWebhook, { params })).body.code).toBe('request.too_many');
  expect((await t.callAs(admin, testWebhook, { params: other })).status).toBe(200);
  t.clock.advance(3_600_000);
  expect((await t.callAs(admin, testWebhook, { params })).status).toBe(200);
});

test('a new URL is affected neither by the pause of the old URL nor by a late response of the old URL', async () => {
  const { params, webhook } = await site.add([...inviteEvents]);
  const changeUrl = async (path: string) =>
    t.callAs(admin, changeWebhook, { params, body: { url: new URL(path, webhook.url).href } });
  site.respondWith(() => 503, '3600');
  const id = await inviteByEmail('ann@example.com');
  await sender.sendDue();
  const late = Promise.withResolvers<number>();
  site.respondWith(({ path }) => (path === '/second' ? late.promise : 200));
  await changeUrl('/second');
  const sending = sender.sendDue();
  await expect.poll(() => site.receivedEvents('/second')).toEqual([['invitation.created', id]]);
  await changeUrl('/third');
  const another = site.createSender();
  await another.sendDue();
  late.resolve(410);
  await sending;
  t.clock.advance(minute);
  await another.sendDue();
  expect(site.receivedEvents('/third')).toEqual([['invitation.created', id]]);
  const { rows } = (await t.call(listWebhooks, { token: await site.recentToken() })).body;
  expect(rows).toMatchObject([{ isOn: true, failingSince: null, waiting: 0 }]);
});

test('messages waiting when a webhook is disabled are given up and not sent later', async () => {
  const { params } = await site.add([...inviteEvents]);
  site.respondWith(() => 500);
  await inviteByEmail('ann@example.com');
  await sender.sendDue();
  await inviteByEmail('bob@example.com');
  const token = await site.recentToken();
  const off = await t.call(changeWebhook, { token, params, body: { isOn: false } });
  expect(off.body).toMatchObject({ isOn: false, waiting: 0 });
  site.respondWith(() => 200);
  await t.call(changeWebhook, { token, params, body: { isOn: true } });
  t.clock.advance(60 * minute);
  await sender.sendDue();
  expect(site.received).toHaveLength(1);
  const { rows } = (await t.call(listWebhookMessages, { token: await site.recentToken(), params })).body;
  expect(rows.map(({ state }) => state)).toEqual(['given_up', 'given_up']);
});

test('a receiver that does not respond delays no other receiver (security 69)', async () => {
  await site.add([...inviteEvents], '/hangs');
  await site.add([...inviteEvents], '/works');
  const pendingResponse = Promise.withResolvers<number>();
  site.respondWith(({ path }) => (path === '/hangs' ? pendingResponse.promise : 200));
  const ids = await Promise.all(
    Array.from({ length: 30 }, (_, index) => inviteByEmail(`person-${index}@example.com`)),
  );
  const stopping = new AbortController();
  const running = sender.run(stopping.signal);
  await expect.poll(() => site.receivedEvents('/works').length).toBe(ids.length);
  expect(site.receivedEvents('/hangs').length).toBeLessThan(ids.length);
  stopping.abort();
  await running;
  expect(
    await t.select(
      `select from webhook_messages join webhooks on webhooks.id = webhook_id where url like '%/hangs' and answer is not null`,
    ),
  ).toEqual([]);
  pendingResponse.resolve(200);
  site.received.length = 0;
  t.clock.advance(2 * minute);
  await site.createSender().sendDue();
  expect(new Set(site.receivedEvents('/hangs').map(([, id]) => id))).toEqual(new Set(ids));
});

test('two processes send each message once, and messages claimed by a killed process are sent after one minute', async () => {
  await site.add([...inviteEvents]);
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, index) => inviteByEmail(`p-${index}@example.com`)),
  );
  // Simulates a process that was killed while sending.
  await t.select`
    update webhook_messages
    set due_at = ${new Date(t.clock.now() + minute)}, attempts = 1, first_attempt_at = ${new Date(t.clock.now())}
    where object_id = ${ids[0]}`;
  await Promise.all([sender.sendDue(), site.createSender().sendDue()]);
  expect(
    site
      .receivedEvents()
      .map(([, id]) => String(id))
      .toSorted(),
  ).toEqual(ids.slice(1).toSorted());
  t.clock.advance(minute + 1_000);
  await sender.sendDue();
  expect(site.receivedEvents().at(-1)).toEqual(['invitation.created', ids[0]]);
});

test('finding due webhooks reads none of the messages that are due later', async () => {
  const { params } = await site.add([...inviteEvents]);
  await t.select(
    `insert into webhook_messages (webhook_id, event, at, object_type, object_id, attempts, first_attempt_at, due_at)
     select $1, 'invitation.created', $2, 'invitation', gen_random_uuid(), 1, $2, $3 from generate_series(1, 5000)`,
    [params.webhookId, new Date(t.clock.now()), new Date(t.clock.now() + 60 * minute)],
  );
  await inviteByEmail('ann@example.com');
  await t.select('analyze webhooks, webhook_messages');
  const queries: QueryConfig[] = [];
  const query: Queryable['query'] = (config) => {
    queries.push(config);
    return t.database.query(config);
  };
  const database = { ...t.database, query };
  expect(await findDueWebhooks(database, t.clock.now())).toEqual([params.webhookId]);
  expect(await claimMessages(database, params.webhookId, t.clock.now())).toHaveLength(1);
  for (const { text, values } of queries) {
    const plan = JSON.stringify(await t.select(`explain (analyze, format json) ${text}`, values));
    const read = [...plan.matchAll(/"(?:Actual Rows|Rows Removed by \w+)":(\d+)/g)];
    expect(Math.max(...read.map(([, rows]) => Number(rows)))).toBeLessThan(100);
  }
});

test('deliveries are deleted after two weeks', async () => {
  const { params } = await site.add([...inviteEvents]);
  await inviteByEmail('ann@example.com');
  await sender.sendDue();
  const count = async () =>
    (await t.call(listWebhookMessages, { token: await site.recentToken(), params })).body.rows.length;
  t.clock.advance(13 * day);
  await deleteOldMessages(t.database, t.clock.now());
  expect(await count()).toBe(1);
  t.clock.advance(2 * day);
  await deleteOldMessages(t.database, t.clock.now());
  expect(await count()).toBe(0);
});

test('the response of a receiver and its duration are stored', async () => {
  const { params } = await site.add([...inviteEvents]);
  await t.callAs(admin, testWebhook, { params });
  site.respondWith(() => delay(50, 200));
  await sender.sendDue();
  const [sent] = (await t.callAs(admin, listWebhookMessages, { params })).body.rows;
  expect(sent?.milliseconds).toBeGreaterThanOrEqual(45);
  expect(sent?.answer).toBe('accepted');
});
