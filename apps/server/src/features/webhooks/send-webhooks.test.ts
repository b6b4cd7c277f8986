/** How messages of webhooks are delivered: at least once, in order per object, for three days, and nobody waits for another (Q1; security 69). */
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
import { claim, findDue } from './claim-messages.ts';
import type { WebhookSender } from './send-webhooks.ts';
import { forgetOld } from './webhooks.ts';
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

const inviteSomebody = async (email: string) =>
  (await t.call(invite, { token: await site.freshToken(), body: { email } })).body.id;
const revoke = async (invitationId: string) =>
  t.call(revokeInvitation, { token: await site.freshToken(), params: { invitationId } });
const both = ['invitation.created', 'invitation.revoked'] as const;

test('a change that is rolled back tells nothing, and one whose message cannot be written does not happen', async () => {
  await site.add([...both]);
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
  expect((await t.call(invite, { token: admin.token, body: { email: 'ann@example.com' } })).status).toBe(500);
  expect(await t.select(`select from invitations where email = 'ann@example.com'`)).toEqual([]);
});

test('what fails is tried again, later each time; of the same object nothing overtakes it (Q1)', async () => {
  await site.add([...both]);
  site.answerWith(() => 503);
  const id = await inviteSomebody('ann@example.com');
  await revoke(id);
  await sender.sendDue();
  await sender.sendDue();
  expect(site.told()).toEqual([['invitation.created', id]]);
  t.clock.advance(4_000);
  await sender.sendDue();
  expect(site.received).toHaveLength(1);
  t.clock.advance(2_000);
  await sender.sendDue();
  expect(site.received).toHaveLength(2);
  t.clock.advance(20_000);
  await sender.sendDue();
  expect(site.received).toHaveLength(2);
  site.answerWith(() => 204);
  t.clock.advance(11_000);
  await sender.sendDue();
  expect(site.told().slice(2)).toEqual([
    ['invitation.created', id],
    ['invitation.revoked', id],
  ]);
  // A receiver knows a repetition by the id.
  const ids = site.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
});

test.each([
  ['seconds', () => '90'],
  ['a moment', (now: number) => new Date(now + 90_000).toUTCString()],
])(
  'a receiver that asks for a pause in %s is left alone for so long, with everything (Q1)',
  async (_what, pause) => {
    await site.add([...both]);
    const first = await inviteSomebody('ann@example.com');
    site.answerWith(() => 429, pause(t.clock.now()));
    await sender.sendDue();
    const second = await inviteSomebody('bea@example.com');
    site.answerWith(() => 200);
    t.clock.advance(85_000);
    await sender.sendDue();
    expect(site.told()).toEqual([['invitation.created', first]]);
    t.clock.advance(10_000);
    await sender.sendDue();
    expect(
      new Set(
        site
          .told()
          .slice(1)
          .map(([, id]) => id),
      ),
    ).toEqual(new Set([first, second]));
  },
);

test('a message that a receiver never takes holds up no other object, and is given up after three days (Q1)', async () => {
  const { params } = await site.add([...both]);
  const poison = await inviteSomebody('poison@example.com');
  site.answerWith(({ body }) => (body.includes(poison) ? 400 : 200));
  for (let days = 0; days < 4; days += 1) {
    const other = await inviteSomebody(`other-${days}@example.com`);
    for (let step = 0; step < 3; step += 1) {
      await sender.sendDue();
      t.clock.advance(10_000);
    }
    expect(site.told()).toContainEqual(['invitation.created', other]);
    t.clock.advance(day);
  }
  const token = await site.freshToken();
  const { rows } = (await t.call(listWebhookMessages, { token, params })).body;
  expect(rows.at(-1)).toMatchObject({ objectId: poison, state: 'given_up', status: 400 });
  expect((await t.call(listWebhooks, { token })).body.rows[0]).toMatchObject({ isOn: true, waiting: 0 });
});

test('after three days without success the webhook is switched off, all administrators are told, and what waited can be sent again (Q1)', async () => {
  const { params } = await site.add([...both]);
  const other = await t.join('other@example.com', 'admin');
  site.answerWith(() => 500);
  const id = await inviteSomebody('ann@example.com');
  for (let hours = 0; hours < 74; hours += 1) {
    await sender.sendDue();
    t.clock.advance(60 * minute);
  }
  const token = await site.freshToken();
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

  // While it is off, nothing is written for it.
  await revoke(id);
  const before = await t.call(listWebhookMessages, { token, params });
  expect(before.body.rows).toMatchObject([{ event: 'invitation.created', state: 'given_up', status: 500 }]);
  const messageId = before.body.rows[0]?.id as string;
  const again = { token, params: { ...params, messageId } };
  expect((await t.call(resendWebhookMessage, again)).body.code).toBe('webhook.is_off');
  expect((await t.call(testWebhook, { token, params })).body.code).toBe('webhook.is_off');
  site.answerWith(() => 200);
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

test('whoever answers 410 wants no more: it is switched off at once', async () => {
  await site.add([...both]);
  site.answerWith(() => 410);
  await inviteSomebody('ann@example.com');
  await sender.sendDue();
  const { rows } = (await t.call(listWebhooks, { token: admin.token })).body;
  expect(rows).toMatchObject([{ isOn: false, offBecause: 'gone' }]);
});

test('what went wrong is told in words that can be translated, where they are ours', async () => {
  const { params } = await site.add([...both]);
  await t.call(testWebhook, { token: admin.token, params });
  await t.select(`update webhooks set url = 'https://inside.example/'`);
  const lookup = () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]);
  await site.createSender(createOutboundHttp({ allowsPrivate: false, lookup })).sendDue();
  const [sent] = (await t.call(listWebhookMessages, { token: admin.token, params })).body.rows;
  expect(sent).toMatchObject({ status: null, answerText: { code: 'webhook_failure.private' } });
});

test.each([
  ['ENOTFOUND', 'unknownHost'],
  ['ECONNREFUSED', 'unreachable'],
  ['ETIMEDOUT', 'unreachable'],
  ['CERT_HAS_EXPIRED', 'certificate'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
  ['ECONNRESET', 'lost'],
])('where %s kept us from an answer, the words are ours', async (code, why) => {
  const { params } = await site.add([...both]);
  await t.call(testWebhook, { token: admin.token, params });
  const outboundHttp = createOutboundHttp({ allowsPrivate: true });
  const post = () => Promise.reject(Object.assign(new Error(`connect ${code}`), { code }));
  await site.createSender({ ...outboundHttp, post }).sendDue();
  const [sent] = (await t.call(listWebhookMessages, { token: admin.token, params })).body.rows;
  expect(sent).toMatchObject({ status: null, answerText: { code: `webhook_failure.${why}` } });
});

test('a test that fails is not repeated, and one for a receiver that fails is sent at once', async () => {
  const { params } = await site.add([...both]);
  site.answerWith(() => 302);
  await inviteSomebody('ann@example.com');
  await sender.sendDue();
  await t.call(testWebhook, { token: admin.token, params });
  await sender.sendDue();
  const { rows } = (await t.call(listWebhookMessages, { token: admin.token, params })).body;
  expect(rows).toMatchObject([
    { event: 'webhook.test', state: 'given_up', status: 302, attempts: 1 },
    { event: 'invitation.created', state: 'waiting', status: 302, attempts: 1 },
  ]);
});

test('a test goes before all that waits', async () => {
  const { params } = await site.add([...both]);
  site.answerWith(() => 500);
  await inviteSomebody('ann@example.com');
  await sender.sendDue();
  await inviteSomebody('bob@example.com');
  await t.call(testWebhook, { token: admin.token, params });
  site.answerWith(() => 200);
  await sender.sendDue();
  expect(site.told().map(([type]) => type)).toEqual([
    'invitation.created',
    'webhook.test',
    'invitation.created',
  ]);
});

test.each(['before', 'after'])(
  'another address begins anew: neither the pause of the old one counts, nor its late answer %s the new one has all',
  async (when) => {
    const { params, webhook } = await site.add([...both]);
    const moveTo = async (path: string) =>
      t.call(changeWebhook, {
        token: admin.token,
        params,
        body: { url: new URL(path, webhook.url).href },
      });
    site.answerWith(() => 503, '3600');
    const id = await inviteSomebody('ann@example.com');
    await revoke(id);
    await sender.sendDue();
    const late = Promise.withResolvers<number>();
    site.answerWith(({ path }) => (path === '/second' ? late.promise : 200));
    await moveTo('/second');
    const sending = sender.sendDue();
    await expect.poll(() => site.told('/second')).toEqual([['invitation.created', id]]);
    await moveTo('/third');
    const another = site.createSender();
    if (when === 'after') await another.sendDue();
    late.resolve(410);
    await sending;
    await another.sendDue();
    expect(site.told('/third')).toEqual([
      ['invitation.created', id],
      ['invitation.revoked', id],
    ]);
    t.clock.advance(minute);
    await another.sendDue();
    expect(site.told('/third')).toHaveLength(2);
    const { rows } = (await t.call(listWebhooks, { token: await site.freshToken() })).body;
    expect(rows).toMatchObject([{ isOn: true, failingSince: null, waiting: 0 }]);
  },
);

test('what waits while somebody switches a webhook off is given up, and not told late', async () => {
  const { params } = await site.add([...both]);
  site.answerWith(() => 500);
  await inviteSomebody('ann@example.com');
  await sender.sendDue();
  await inviteSomebody('bob@example.com');
  const token = await site.freshToken();
  const off = await t.call(changeWebhook, { token, params, body: { isOn: false } });
  expect(off.body).toMatchObject({ isOn: false, waiting: 0 });
  site.answerWith(() => 200);
  await t.call(changeWebhook, { token, params, body: { isOn: true } });
  t.clock.advance(60 * minute);
  await sender.sendDue();
  expect(site.received).toHaveLength(1);
  const { rows } = (await t.call(listWebhookMessages, { token: await site.freshToken(), params })).body;
  expect(rows.map(({ state }) => state)).toEqual(['given_up', 'given_up']);
});

test('a receiver that hangs holds up no other (security 69)', async () => {
  await site.add([...both], '/hangs');
  await site.add([...both], '/works');
  const hanging = Promise.withResolvers<number>();
  site.answerWith(({ path }) => (path === '/hangs' ? hanging.promise : 200));
  const ids = await Promise.all(
    Array.from({ length: 30 }, (_, index) => inviteSomebody(`somebody-${index}@example.com`)),
  );
  const stopping = new AbortController();
  const running = sender.run(stopping.signal);
  await expect.poll(() => site.told('/works').length).toBe(ids.length);
  expect(site.told('/hangs').length).toBeLessThan(ids.length);
  // Whoever stops the server does not wait for it either, and nothing of it is lost.
  stopping.abort();
  await running;
  expect(
    await t.select(
      `select from webhook_messages join webhooks on webhooks.id = webhook_id where url like '%/hangs' and answer is not null`,
    ),
  ).toEqual([]);
  hanging.resolve(200);
  site.received.length = 0;
  t.clock.advance(2 * minute);
  await site.createSender().sendDue();
  expect(new Set(site.told('/hangs').map(([, id]) => id))).toEqual(new Set(ids));
});

test('two processes send each message once between them, and what a third had claimed when it was killed goes out a minute later', async () => {
  await site.add([...both]);
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, index) => inviteSomebody(`p-${index}@example.com`)),
  );
  // As a process leaves it that was killed while it sent.
  await t.select(
    `update webhook_messages set due_at = $2, attempts = 1, first_attempt_at = $3 where object_id = $1`,
    [ids[0], new Date(t.clock.now() + minute), new Date(t.clock.now())],
  );
  await Promise.all([sender.sendDue(), site.createSender().sendDue()]);
  expect(
    site
      .told()
      .map(([, id]) => String(id))
      .toSorted(),
  ).toEqual(ids.slice(1).toSorted());
  t.clock.advance(minute + 1_000);
  await sender.sendDue();
  expect(site.told().at(-1)).toEqual(['invitation.created', ids[0]]);
});

test('to find what is due, none of the many messages is read that wait for later', async () => {
  const { params } = await site.add([...both]);
  await t.select(
    `insert into webhook_messages (webhook_id, event, at, object_type, object_id, attempts, first_attempt_at, due_at, moves)
     select $1, 'invitation.created', $2, 'invitation', gen_random_uuid(), 1, $2, $3, 1 from generate_series(1, 5000)`,
    [params.webhookId, new Date(t.clock.now()), new Date(t.clock.now() + 60 * minute)],
  );
  await t.select('update webhooks set moves = 1');
  await inviteSomebody('ann@example.com');
  await t.select('analyze webhooks, webhook_messages');
  const asked: QueryConfig[] = [];
  const query: Queryable['query'] = (config) => {
    asked.push(config);
    return t.database.query(config);
  };
  const database = { ...t.database, query };
  expect(await findDue(database, t.clock.now())).toEqual([params.webhookId]);
  expect(await claim(database, params.webhookId, t.clock.now())).toHaveLength(1);
  for (const { text, values } of asked) {
    const plan = JSON.stringify(await t.select(`explain (analyze, format json) ${text}`, values));
    const read = [...plan.matchAll(/"(?:Actual Rows|Rows Removed by \w+)":(\d+)/g)];
    expect(Math.max(...read.map(([, rows]) => Number(rows)))).toBeLessThan(100);
  }
});

test('deliveries are forgotten after two weeks', async () => {
  const { params } = await site.add([...both]);
  await inviteSomebody('ann@example.com');
  await sender.sendDue();
  const count = async () =>
    (await t.call(listWebhookMessages, { token: await site.freshToken(), params })).body.rows.length;
  t.clock.advance(13 * day);
  await forgetOld(t.database, t.clock.now());
  expect(await count()).toBe(1);
  t.clock.advance(2 * day);
  await forgetOld(t.database, t.clock.now());
  expect(await count()).toBe(0);
});

test('what a receiver answers is kept, and how long it took', async () => {
  const { params } = await site.add([...both]);
  await t.call(testWebhook, { token: admin.token, params });
  site.answerWith(() => delay(50, 200));
  await sender.sendDue();
  const [sent] = (await t.call(listWebhookMessages, { token: admin.token, params })).body.rows;
  expect(sent?.milliseconds).toBeGreaterThanOrEqual(45);
  expect(sent?.answer).toBe('noted');
});
