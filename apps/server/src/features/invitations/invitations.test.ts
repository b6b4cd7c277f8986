/** Inviting, revoking, copying links, and what a link's code is exchanged for (H2; security 16–18, 21, 24–26, 31, 50). */
import {
  getInvitationLink,
  invite,
  listInvitations,
  revokeInvitation,
} from '@vestibule/contract/invitations';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { removePerson } from '@vestibule/contract/people';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';

let t: TestApp;
let admin: TestPerson;
let statements: string[] = [];
beforeAll(async () => {
  t = await createTestApp({
    wrapDatabase: (database) => ({
      ...database,
      query: (config) => {
        statements.push(config.name ?? config.text);
        return database.query(config);
      },
    }),
  });
  admin = await t.join('admin@example.com', 'admin');
});
// Each test with a fresh minute, so that the failed exchanges of one do not refuse another's.
beforeEach(() => t.clock.advance(60_000));
afterAll(() => t.close());

let counter = 0;
const newAddress = () => `invited-${(counter += 1)}@example.com`;
const inviteTo = (email: string, more: object = {}) =>
  t.call(invite, { token: admin.token, body: { email, ...more } });
const exchange = (code: string, headers: Record<string, string> = {}) =>
  t.call(getInviteToken, { body: { code }, headers });
const linkOf = async (invitationId: string) =>
  (await t.call(getInvitationLink, { token: admin.token, params: { invitationId } })).body.link;
const codeOf = async (invitationId: string) =>
  new URL(await linkOf(invitationId)).searchParams.get('i') as string;

describe('inviting', () => {
  test('makes a pending invitation, its audit row and its mail job', async () => {
    const email = newAddress();
    const answer = await inviteTo(` ${email.toUpperCase()} `, {
      name: 'Ann',
      role: 'admin',
      message: 'Hi\nAnn',
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        email: email.toUpperCase(),
        name: 'Ann',
        role: 'admin',
        message: 'Hi\nAnn',
        status: 'pending',
        mailState: 'queued',
        createdBy: 'admin@example.com',
        createdAt: new Date(t.clock.now()).toISOString(),
        expiresAt: new Date(t.clock.now() + 7 * 24 * 3600_000).toISOString(),
      },
    });
    expect(
      await t.select('select action, actor_id from audit_log where target_id = $1', [answer.body.id]),
    ).toEqual([{ action: 'invitation.created', actor_id: admin.id }]);
    expect(
      await t.select("select data->>'template' as template from jobs.job where data->>'subjectId' = $1", [
        `${answer.body.id}/1`,
      ]),
    ).toEqual([{ template: 'invitation' }]);
  });

  test('a second open invitation to an address is refused, however it is written', async () => {
    const email = newAddress();
    await inviteTo(email);
    expect(await inviteTo(email.toUpperCase())).toMatchObject({
      status: 409,
      body: { code: 'invitation.already_invited' },
    });
  });

  test('of 64 invitations to one address at once, on two server processes, one succeeds', async () => {
    const second = await createTestApp({ beside: t });
    try {
      const email = newAddress();
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          (index % 2 ? t : second).call(invite, { token: admin.token, body: { email } }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(63);
      expect(await t.select('select from invitations where email_canonical = $1', [email])).toHaveLength(1);
    } finally {
      await second.close();
    }
  });

  test('an expired invitation makes room for a new one', async () => {
    const email = newAddress();
    const old = await t.invitationTo(email, { expiresInMs: 1 });
    t.clock.advance(1);
    expect((await inviteTo(email)).status).toBe(200);
    expect(await t.select('select status from invitations where id = $1', [old.id])).toEqual([
      { status: 'replaced' },
    ]);
  });

  test('somebody who is inside is not invited again, somebody removed is', async () => {
    const ann = await t.join(newAddress());
    expect((await inviteTo(ann.email)).body.code).toBe('invitation.already_member');
    await t.call(removePerson, { token: admin.token, params: { personId: ann.id } });
    expect((await inviteTo(ann.email)).status).toBe(200);
  });

  test.each([
    ['no address', {}],
    ['an array of addresses', { email: ['a@example.com'] }],
    ['an object', { email: { $ne: '' } }],
    ['a quoted local part', { email: '"a b"@example.com' }],
    ['two @', { email: 'a@b@example.com' }],
    ['CR and LF in the address', { email: 'a@example.com\r\nBcc: b@example.com' }],
    ['a full-width domain', { email: 'a@ｅxample.com' }],
    ['a line break in the name', { email: 'a@example.com', name: 'A\r\nBcc: b@example.com' }],
    ['a line separator in the name', { email: 'a@example.com', name: 'A\u2028B' }],
    ['a NUL in the message', { email: 'a@example.com', message: 'A\0B' }],
    ['an unknown role', { email: 'a@example.com', role: 'owner' }],
    ['a status', { email: 'a@example.com', status: 'redeemed' }],
    ['a 100 KB address', { email: `${'('.repeat(50_000)}${')'.repeat(50_000)}@example.com` }],
  ])('%s is a 400 that names the field', async (_what, body) => {
    const answer = await t.call(invite, { token: admin.token, body: body as { email: string } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
    expect(Object.keys(answer.body.fields ?? {})).toHaveLength(1);
  });

  test('without its audit row or its mail job there is no invitation', async () => {
    await t.select(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`);
    for (const table of ['audit_log', 'jobs.job_common']) {
      await t.select(`create trigger refuse before insert on ${table} execute function refuse()`);
      const email = newAddress();
      expect((await inviteTo(email)).status).toBe(500);
      expect(await t.select('select from invitations where email = $1', [email])).toEqual([]);
      await t.select(`drop trigger refuse on ${table}`);
    }
  });
});

describe('the link', () => {
  test('has a code of 128 bits, is the same each time, and its copying is in the audit log', async () => {
    const { id } = (await inviteTo(newAddress())).body;
    const link = await linkOf(id);
    expect(link).toMatch(/^https:\/\/portal\.example\.com\/signup\?i=[1-9A-HJ-NP-Za-km-z]{22}$/);
    expect(await linkOf(id)).toBe(link);
    expect(
      await t.select("select from audit_log where target_id = $1 and action = 'invitation.link_copied'", [
        id,
      ]),
    ).toHaveLength(2);
  });

  test('keeps the configured address whatever a request says of its host', async () => {
    const { id } = (await inviteTo(newAddress())).body;
    const answer = await t.call(getInvitationLink, {
      token: admin.token,
      params: { invitationId: id },
      headers: {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example;proto=http',
      },
    });
    expect(new URL(answer.body.link).origin).toBe('https://portal.example.com');
  });

  test('is not given for what is not open or not there', async () => {
    const { id } = (await inviteTo(newAddress())).body;
    await t.call(revokeInvitation, { token: admin.token, params: { invitationId: id } });
    const call = (invitationId: string) =>
      t.call(getInvitationLink, { token: admin.token, params: { invitationId } });
    expect((await call(id)).body.code).toBe('invitation.not_pending');
    expect((await call('0192f0c1-2345-7abc-8def-0123456789ab')).body.code).toBe('invitation.not_found');
  });

  test('no code and no hash is in the list, and only a keyed hash is stored', async () => {
    const { id } = (await inviteTo(newAddress())).body;
    const code = await codeOf(id);
    const hash = t.shortCodes.hashOf(code);
    const { text, body } = await t.call(listInvitations, { token: admin.token, query: { limit: 500 } });
    expect(body.rows.find((row) => row.id === id)).toBeDefined();
    for (const secret of [code, hash.toString('hex'), hash.toString('base64'), 'hash', 'code'])
      expect(text).not.toContain(secret);
    const [row] = await t.select<{ stored: string }>(
      'select invitations::text as stored from invitations where id = $1',
      [id],
    );
    expect(row?.stored).not.toContain(code);
    expect(row?.stored).toContain(hash.toString('hex'));
  });
});

describe('a code is exchanged for', () => {
  test('an invite token of the invitation, which is opened by it', async () => {
    const email = newAddress();
    const { id } = (await inviteTo(email, { name: 'Ann' })).body;
    const answer = await exchange(await codeOf(id));
    expect(answer).toMatchObject({ status: 200, body: { Succeeded: true, ErrorMessage: '' } });
    expect(decodeJwt(answer.body.Data as string)).toMatchObject({ sub: id, email, name: 'Ann' });
    const { body } = await t.call(listInvitations, { token: admin.token, query: { search: email } });
    expect(body.rows).toMatchObject([{ status: 'opened' }]);
  });

  test('Expired', async () => {
    const { code } = await t.invitationTo(newAddress(), { expiresInMs: 1000 });
    t.clock.advance(1000);
    expect((await exchange(code)).body).toEqual({ Succeeded: false, Data: null, ErrorMessage: 'Expired' });
  });

  test('AlreadySignedUp', async () => {
    const ann = await t.join(newAddress());
    const [row] = await t.select<{ id: string }>('select id from invitations where email = $1', [ann.email]);
    const { body } = await exchange(t.shortCodes.codeOf(row?.id as string));
    expect(body).toEqual({ Succeeded: false, Data: null, ErrorMessage: 'AlreadySignedUp' });
  });

  test('Invalid when it was revoked', async () => {
    const { id, code } = await t.invitationTo(newAddress());
    await t.call(revokeInvitation, { token: admin.token, params: { invitationId: id } });
    expect((await exchange(code)).body.ErrorMessage).toBe('Invalid');
    // Each of these refusals is in the timeline, after the answer.
    await expect
      .poll(() => t.select("select about from invitation_events where kind = 'refused' order by about"))
      .toEqual([{ about: 'expired' }, { about: 'redeemed' }, { about: 'revoked' }]);
  });

  test('Invalid by the same steps, whether it is unknown or altered by one character', async () => {
    const { code } = await t.invitationTo(newAddress());
    const altered = (code[0] === '2' ? '3' : '2') + code.slice(1);
    const seen = [];
    for (const wrong of [altered, '1'.repeat(22), 'x', '', "' or 1=1 --"]) {
      statements = [];
      const { status, body } = await exchange(wrong);
      seen.push({ status, body, statements });
    }
    for (const one of seen)
      expect(one).toEqual({
        status: 200,
        body: { Succeeded: false, Data: null, ErrorMessage: 'Invalid' },
        statements: ['wait-rate-limit', 'find-invitation-by-code-hash', 'take-rate-limit'],
      });
  });

  test.each([
    ['no code', {}],
    ['an array', { code: ['x'] }],
    ['201 characters', { code: 'x'.repeat(201) }],
  ])('nothing but a 400 for %s', async (_what, body) => {
    expect((await t.call(getInviteToken, { body: body as { code: string } })).status).toBe(400);
  });
});

describe('over ten failed exchanges a minute from one address', () => {
  const from = (remoteAddress: string, url = '/api/users/invite-token', headers = {}, code = 'wrong') =>
    t.app.inject({ method: 'POST', url, remoteAddress, headers, payload: { code } });

  test('are refused with the time to wait, right codes too, and only there', async () => {
    const { code } = await t.invitationTo(newAddress());
    for (let time = 0; time < 10; time += 1) expect((await from('192.0.2.1')).statusCode).toBe(200);
    t.clock.advance(15_000);
    const refused = await from('192.0.2.1', undefined, {}, code);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('45');
    expect(refused.json()).toMatchObject({ code: 'request.too_many' });
    expect((await from('192.0.2.2', undefined, {}, code)).json()).toMatchObject({ Succeeded: true });
    t.clock.advance(45_000);
    expect((await from('192.0.2.1', undefined, {}, code)).json()).toMatchObject({ Succeeded: true });
  });

  test('are no more when they come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => from('192.0.2.5')));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(10);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(90);
  });

  test('are counted by all server processes together', async () => {
    const second = await createTestApp({ beside: t });
    try {
      const on = async ({ app }: Pick<typeof t, 'app'>) =>
        (
          await app.inject({
            method: 'POST',
            url: '/api/users/invite-token',
            remoteAddress: '192.0.2.7',
            payload: { code: 'wrong' },
          })
        ).statusCode;
      const answers = await Promise.all(Array.from({ length: 40 }, (_, time) => on(time % 2 ? t : second)));
      expect(answers.filter((status) => status === 200)).toHaveLength(10);
      expect([await on(t), await on(second)]).toEqual([429, 429]);
    } finally {
      await second.close();
    }
  });

  test('are counted together for a whole IPv6 network of 64 bits, and no further', async () => {
    for (let time = 0; time < 10; time += 1)
      expect((await from(`2001:db8:1:2::${time.toString(16)}`)).statusCode).toBe(200);
    expect((await from('2001:db8:1:2:ffff::1')).statusCode).toBe(429);
    expect((await from('2001:db8:1:3::1')).statusCode).toBe(200);
  });

  test('do not include successful ones', async () => {
    const { code } = await t.invitationTo(newAddress());
    for (let time = 0; time < 30; time += 1)
      expect((await from('192.0.2.6', undefined, {}, code)).json()).toMatchObject({ Succeeded: true });
  });

  test('are counted together whatever the request claims about its origin', async () => {
    for (let time = 0; time < 10; time += 1) {
      const answer = await from('192.0.2.3', undefined, {
        'x-forwarded-for': `203.0.113.${time}`,
        forwarded: `for=203.0.113.${time}`,
        'x-real-ip': `203.0.113.${time}`,
      });
      expect(answer.statusCode).toBe(200);
    }
    expect((await from('192.0.2.3', undefined, { 'x-forwarded-for': '203.0.113.99' })).statusCode).toBe(429);
  });

  test('have no other spelling of the address to go to', async () => {
    for (let time = 0; time < 10; time += 1) await from('192.0.2.4', '/api/users/%69nvite-token');
    for (const url of [
      '/api/users/invite-token',
      '/api/users/invite-token?x=1',
      '/api/users/%69nvite-token',
      '/%61pi/users/invite%2dtoken',
    ])
      expect((await from('192.0.2.4', url)).statusCode).toBe(429);
    for (const url of [
      '//api/users/invite-token',
      '/api//users/invite-token',
      '/API/users/invite-token',
      '/api/users/Invite-Token',
      '/api/users/invite-token/',
      '/api/users/./invite-token',
      '/api/users/invite-token;x',
    ])
      expect([404, 429]).toContain((await from('192.0.2.4', url)).statusCode);
  });

  test('are counted by the client where a trusted proxy is configured, and only then', async () => {
    const behind = await createTestApp({ beside: t, environment: { TRUST_PROXY: '192.0.2.9' } });
    const through = (proxy: string, client: string) =>
      behind.app.inject({
        method: 'POST',
        url: '/api/users/invite-token',
        remoteAddress: proxy,
        headers: { 'x-forwarded-for': client },
        payload: { code: 'wrong' },
      });
    try {
      for (let time = 0; time < 10; time += 1) await through('192.0.2.9', `evil, 203.0.113.1`);
      expect((await through('192.0.2.9', '203.0.113.77, 203.0.113.1')).statusCode).toBe(429);
      expect((await through('192.0.2.9', '203.0.113.2')).statusCode).toBe(200);
      expect((await through('192.0.2.10', '203.0.113.1')).statusCode).toBe(200);
    } finally {
      await behind.close();
    }
  });
});

describe('revoking', () => {
  test('closes an open invitation, once, with its audit row', async () => {
    const { id } = (await inviteTo(newAddress())).body;
    const call = () => t.call(revokeInvitation, { token: admin.token, params: { invitationId: id } });
    expect((await call()).body).toMatchObject({ id, status: 'revoked' });
    expect(await call()).toMatchObject({ status: 409, body: { code: 'invitation.not_pending' } });
    expect(
      await t.select("select from audit_log where target_id = $1 and action = 'invitation.revoked'", [id]),
    ).toHaveLength(1);
  });

  test('makes room for a new invitation', async () => {
    const email = newAddress();
    const { id } = (await inviteTo(email)).body;
    await t.call(revokeInvitation, { token: admin.token, params: { invitationId: id } });
    expect((await inviteTo(email)).status).toBe(200);
  });

  test('closes an expired one too', async () => {
    const { id, code } = await t.invitationTo(newAddress(), { expiresInMs: 1000 });
    t.clock.advance(1000);
    expect(
      (await t.call(revokeInvitation, { token: admin.token, params: { invitationId: id } })).body.status,
    ).toBe('revoked');
    expect((await t.call(getInviteToken, { body: { code } })).body.ErrorMessage).toBe('Invalid');
  });

  test.each(['redeemed', 'replaced'])('does nothing to one that was %s', async (state) => {
    const { id } = await t.invitationTo(newAddress());
    await t.select('update invitations set status = $2 where id = $1', [id, state]);
    expect(
      (await t.call(revokeInvitation, { token: admin.token, params: { invitationId: id } })).body.code,
    ).toBe('invitation.not_pending');
  });

  test('of an unknown one is a 404', async () => {
    const invitationId = '0192f0c1-2345-7abc-8def-0123456789ab';
    expect(await t.call(revokeInvitation, { token: admin.token, params: { invitationId } })).toMatchObject({
      status: 404,
      body: { code: 'invitation.not_found' },
    });
  });
});

test('the list shows expired ones as expired, although nothing has cleaned them up', async () => {
  const email = newAddress();
  await t.invitationTo(email, { expiresInMs: 1000 });
  t.clock.advance(1000);
  const { body } = await t.call(listInvitations, { token: admin.token, query: { search: email } });
  expect(body).toMatchObject({ total: 1, rows: [{ email, status: 'expired' }] });
});
