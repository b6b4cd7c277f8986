import { invite } from '@vestibule/contract/invitations';
import { changeRole, disablePerson, signOutPerson } from '@vestibule/contract/people';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';
import { openEventStream } from './test-events.ts';

let t: TestApp;
let admin: TestPerson;
let other: TestPerson;
let url: string;
beforeEach(async () => {
  t = await createTestApp();
  admin = await t.join('admin@example.com', 'admin');
  other = await t.join('other@example.com', 'admin');
  url = await t.app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  vi.useRealTimers();
  await t.close();
});

const openStream = (token: string) => openEventStream(url, token);

test('a change by another user is reported within seconds with the areas it affects', async () => {
  const stream = await openStream(admin.token);
  expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(stream.response.headers.get('cache-control')).toBe('no-store, no-transform');
  await t.callAs(other, invite, { body: { email: 'ann@example.com' } });
  expect(await stream.until('invitations')).toEqual(new Set(['activity', 'invitations']));
  const { id } = await t.join('bob@example.com');
  expect(await stream.until('people')).toContain('people');
  await t.callAs(other, changeRole, { params: { personId: id }, body: { role: 'admin' } });
  stream.leave();
});

test('a stream is closed if the person is disabled while it is opened (F6)', async () => {
  const query = t.database.query.bind(t.database);
  const spy = vi.spyOn(t.database, 'query').mockImplementation(async (statement) => {
    if (statement.text.includes('as newest'))
      await t.select`update people set status = 'disabled' where id = ${other.id}`;
    return query(statement);
  });
  const stream = await openStream(other.token);
  expect(stream.response.status).toBe(200);
  expect(await stream.end()).toContain('connected');
  spy.mockRestore();
});

test('a change is reported even if its transaction commits after a later one', async () => {
  const stream = await openStream(admin.token);
  const insert = (type: string) =>
    `insert into audit_log (action, actor_label, target_type, target_id, target_label, address, request_id, detail)
     values ('test.done', '', '${type}', '', '', '', '', '{}')`;
  await t.database.transaction(async (slowTransaction) => {
    await slowTransaction.query({ text: insert('slow') });
    await t.select(insert('quick'));
    await stream.until('quicks');
  });
  expect(await stream.until('slows')).toContain('quicks');
  stream.leave();
});

test('changes are reported by the English plural of their target', async () => {
  const stream = await openStream(admin.token);
  const types = ['company', 'address', 'day', 'branch'];
  await t.select`
    insert into audit_log (action, actor_label, target_type, target_id, target_label, address, request_id, detail)
    select 'test.done', '', type, '', '', '', '', '{}' from unnest(${types}::text[]) type`;
  expect(await stream.until('branches')).toEqual(
    new Set(['activity', 'companies', 'addresses', 'days', 'branches']),
  );
  stream.leave();
});

test('a sent mail, a thumbnail and an opened migration link are reported without an audit entry', async () => {
  const { id } = await t.invitationTo('ann@example.com');
  await t.select(
    `insert into attachments (id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at)
     values (gen_random_uuid(), 'Ann', 'ann@example.com', 'x.png', 'image/png', 'picture', 1, '', 'ready', now(), now())`,
  );
  await t.select`
    insert into identity_migrations (id, person_id, email, display_name, way, code_hash, created_by, created_at, expires_at, mail)
    values (${other.id}, ${other.id}, '', '', 'acme', '', ${other.id}, now(), now() + interval '1 day', 'sent')`;
  for (const [area, change] of [
    ['invitations', `update invitations set mail_state = 'sent' where id = '${id}'`],
    [
      'attachments',
      `insert into attachment_thumbnails (attachment_id, type, sha256, bytes) select id, 'image/webp', '', '' from attachments`,
    ],
    ['moves', 'update identity_migrations set opened_at = now()'],
  ] as const) {
    const stream = await openStream(admin.token);
    await t.select(change);
    expect(await stream.until(area)).toEqual(new Set([area]));
    stream.leave();
  }
});

test('a demoted administrator is notified and then receives no administrator events (security 9)', async () => {
  const stream = await openStream(other.token);
  await t.callAs(admin, changeRole, { params: { personId: other.id }, body: { role: 'member' } });
  await stream.until('me');
  await t.callAs(admin, invite, { body: { email: 'ann@example.com' } });
  await t.callAs(admin, disablePerson, { params: { personId: other.id } });
  expect(await stream.end()).not.toContain('invitations');
});

describe('an event stream', () => {
  test('is closed when the person is disabled (security 9)', async () => {
    const stream = await openStream(other.token);
    await t.callAs(admin, disablePerson, { params: { personId: other.id } });
    await stream.end();
    expect((await openStream(other.token)).response.status).toBe(403);
  });

  test('is closed when the person is signed out everywhere (security 9)', async () => {
    const stream = await openStream(other.token);
    t.clock.advance(60_000);
    await t.callAs(admin, signOutPerson, { params: { personId: other.id } });
    await stream.end();
    expect(await (await openStream(other.token)).end()).toContain('person.signed_out');
  });

  test('is closed within a minute when the person is deleted without an audit entry', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const stream = await openStream(other.token);
    await t.select`delete from people where id = ${other.id}`;
    vi.advanceTimersByTime(60_000);
    expect(await stream.end()).toContain(': still here');
  });

  test('is closed after a quarter of an hour, so that the token is checked again', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const stream = await openStream(admin.token);
    vi.advanceTimersByTime(15 * 60_000);
    expect(await stream.end()).toMatch(/^: connected\n/);
  });

  test('is closed immediately when the server stops', async () => {
    const stream = await openStream(admin.token);
    const ended = stream.end();
    const startedAt = performance.now();
    await t.app.close();
    await ended;
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });
});

test('a comment every twenty seconds keeps proxies from closing the stream', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const stream = await openStream(admin.token);
  vi.advanceTimersByTime(20_000);
  expect(await stream.waitForText(': still here\n\n')).toMatch(/^: connected\n\n/);
  stream.leave();
});

test('the oldest streams above five per person are closed, also for concurrent requests, and streams of others stay open', async () => {
  const bystander = await openStream(other.token);
  const first = await openStream(admin.token);
  const second = await openStream(admin.token);
  const later = await Promise.all(Array.from({ length: 4 }, () => openStream(admin.token)));
  expect(await first.end()).toContain('retry: 60000\n\n');
  const newest = await openStream(admin.token);
  await second.end();
  await t.callAs(other, invite, { body: { email: 'ann@example.com' } });
  for (const stream of [bystander, ...later, newest]) {
    expect(stream.response.status).toBe(200);
    await stream.until('invitations');
    stream.leave();
  }
});
