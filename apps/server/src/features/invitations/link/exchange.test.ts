import { listInvitations } from '@vestibule/contract/invitations';
import { getInviteToken } from '@vestibule/contract/invitations/link';
import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { createInvitingApp } from '../test-inviting.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

let statements: string[] = [];
const t = closeAfterTests(
  await createInvitingApp({
    wrapDatabase: (database) => ({
      ...database,
      query: (config) => {
        statements.push(config.name ?? config.text);
        return database.query(config);
      },
    }),
  }),
);
// Resets the limit of failed exchanges.
beforeEach(() => t.clock.advance(60_000));

describe('exchanging a code', () => {
  test('returns an invite token and marks the invitation as opened', async () => {
    const email = t.newAddress();
    const { id } = (await t.inviteTo(email, { name: 'Ann' })).body;
    const response = await t.exchange(await t.codeOf(id));
    expect(response).toMatchObject({ status: 200, body: { Succeeded: true, ErrorMessage: '' } });
    expect(decodeJwt(response.body.Data as string)).toMatchObject({ sub: id, email, name: 'Ann' });
    const { body } = await t.callAs(t.admin, listInvitations, { query: { search: email } });
    expect(body.rows).toMatchObject([{ status: 'opened' }]);
  });

  test('ignores characters pasted after the code and does not count them as a failure', async () => {
    const { code } = await t.invitationTo(t.newAddress());
    for (const after of ['.', '>', '"', ')', '%3E', '%22.', '\u200b', '\u00a0', ' Thanks', '>.', '’', ','])
      expect((await t.exchange(code + after)).body).toMatchObject({ Succeeded: true });
    for (const longer of [`${code}x`, `${code}1.`])
      expect((await t.exchange(longer)).body.ErrorMessage).toBe('Invalid');
  });

  test('returns Invalid after the same database statements for unknown and altered codes', async () => {
    const { code } = await t.invitationTo(t.newAddress());
    const altered = (code[0] === '2' ? '3' : '2') + code.slice(1);
    const seen = [];
    for (const wrong of [altered, '1'.repeat(22), 'x', '', "' or 1=1 --"]) {
      statements = [];
      const { status, body } = await t.exchange(wrong);
      // Excludes the statements of the mail queue, which runs at the same time.
      seen.push({ status, body, statements: statements.filter((one) => !one.includes('jobs.')) });
    }
    for (const one of seen)
      expect(one).toEqual({
        status: 200,
        body: { Succeeded: false, Data: null, ErrorMessage: 'Invalid' },
        statements: ['wait-rate-limit', 'find-invitation-by-code-hash', 'take-rate-limits'],
      });
  });

  test.each([
    ['no code', {}],
    ['an array', { code: ['x'] }],
    ['201 characters', { code: 'x'.repeat(201) }],
  ])('returns 400 for %s', async (_what, body) => {
    expect((await t.call(getInviteToken, { body: body as { code: string } })).status).toBe(400);
  });
});

describe('more than ten failed exchanges a minute from one address', () => {
  const from = (remoteAddress: string, url = '/api/users/invite-token', code = 'wrong') =>
    t.app.inject({ method: 'POST', url, remoteAddress, payload: { code } });

  test('return 429 with the retry time, also for valid codes, but not for other addresses', async () => {
    const { code } = await t.invitationTo(t.newAddress());
    for (let time = 0; time < 10; time += 1) expect((await from('192.0.2.1')).statusCode).toBe(200);
    t.clock.advance(15_000);
    const refused = await from('192.0.2.1', undefined, code);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('45');
    expect(refused.json()).toMatchObject({ code: 'request.too_many' });
    expect((await from('192.0.2.2', undefined, code)).json()).toMatchObject({ Succeeded: true });
    t.clock.advance(45_000);
    expect((await from('192.0.2.1', undefined, code)).json()).toMatchObject({ Succeeded: true });
  });

  test('are counted per IPv6 network of 64 bits', async () => {
    for (let time = 0; time < 10; time += 1)
      expect((await from(`2001:db8:1:2::${time.toString(16)}`)).statusCode).toBe(200);
    expect((await from('2001:db8:1:2:ffff::1')).statusCode).toBe(429);
    expect((await from('2001:db8:1:3::1')).statusCode).toBe(200);
  });

  test('are counted for every spelling of the path', async () => {
    for (let time = 0; time < 10; time += 1) await from('192.0.2.4', '/api/users/%69nvite-token');
    for (const url of ['/api/users/invite-token', '/api/users/%69nvite-token', '/%61pi/users/invite%2dtoken'])
      expect((await from('192.0.2.4', url)).statusCode).toBe(429);
    // Refused before the code is looked up.
    expect((await from('192.0.2.4', '/api/users/invite-token?x=1')).statusCode).toBe(400);
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
});
