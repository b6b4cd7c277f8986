import { getInvitation, renewInvitation, revokeInvitation } from '@vestibule/contract/invitations';
import {
  getInvitationLinkState,
  reportInviteCancelled,
  requestNewLink,
} from '@vestibule/contract/invitations/link';
import { changeSettings, getSettings } from '@vestibule/contract/settings';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { createInvitingApp } from '../test-inviting.ts';
import { closeAfterTests } from '../../../test/test-close.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

const webDirectory = mkdtempSync(path.join(tmpdir(), 'web-'));
writeFileSync(path.join(webDirectory, 'index.html'), '<!doctype html><title>Vestibule</title>');
const t = closeAfterTests(await createInvitingApp({ webDirectory }));
beforeEach(() => t.advanceHour());

const invited = async () => {
  const invitation = await t.invited();
  t.clock.advance(minute);
  return { ...invitation, code: await t.codeOf(invitation.id) };
};
const details = async (id: string) => (await t.call(getInvitation, t.one(id))).body;
const eventsOf = async (id: string, kind: string) =>
  (await details(id)).timeline.filter((event) => event.kind === kind);
const exchange = async (code: string) => (await t.exchange(code)).body;

const browser = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
  'accept-language': 'en',
  'sec-fetch-mode': 'navigate',
};
const open = (code: string, headers: Record<string, string> = browser, method: 'GET' | 'HEAD' = 'GET') =>
  t.app.inject({ method, url: `/signup?i=${code}`, headers });

describe('opening a link', () => {
  test('counts people and scanners separately, and only people change the status to opened', async () => {
    const { id, code } = await invited();
    expect((await open(code, { ...browser, 'user-agent': 'Mimecast Link Scanner' })).statusCode).toBe(200);
    await open(code, browser, 'HEAD');
    await expect.poll(() => eventsOf(id, 'opened')).toMatchObject([{ agent: 'scanner', times: 2 }]);
    expect(await details(id)).toMatchObject({
      status: 'pending',
      openedAt: null,
      explanation: expect.stringContaining('scanner'),
    });
    const first = new Date(t.clock.now()).toISOString();
    await open(code);
    await expect.poll(() => eventsOf(id, 'opened')).toHaveLength(2);
    t.clock.advance(minute);
    await open(code);
    await expect
      .poll(async () => (await eventsOf(id, 'opened')).find(({ agent }) => agent === 'person'))
      .toMatchObject({ times: 2, at: first, lastAt: new Date(t.clock.now()).toISOString() });
    expect(await details(id)).toMatchObject({ status: 'opened', openedAt: first });
  });

  test('a thousand times leaves one row, and the link still works (D12; security 18)', async () => {
    const { id, code } = await invited();
    await Promise.all(Array.from({ length: 1_000 }, () => open(code)));
    await expect.poll(async () => (await eventsOf(id, 'opened'))[0]?.times).toBe(1_000);
    expect(await t.select`select from invitation_events where invitation_id = ${id}`).toHaveLength(1);
    expect((await exchange(code)).Succeeded).toBe(true);
  });

  test('writes nothing for a code that is unknown, too long or missing', async () => {
    const before = await t.select('select from invitation_events');
    for (const code of ['1'.repeat(22), 'x'.repeat(5_000), "' or 1=1", ''])
      expect((await open(encodeURIComponent(code))).statusCode).toBe(200);
    const { id, code } = await invited();
    await open(code);
    await expect.poll(() => eventsOf(id, 'opened')).toHaveLength(1);
    expect(await t.select('select from invitation_events')).toHaveLength(before.length + 1);
  });
});

describe('looking at an invitation before signing in', () => {
  const getState = async (code: string) => (await t.call(getInvitationLinkState, { body: { code } })).body;

  test('returns the inviter and the invited address to the holder of the link, and consumes nothing (M4; D12)', async () => {
    const { code, email } = await invited();
    const [{ name } = { name: '' }] = await t.select<{ name: string }>`
      select display_name as name from people where email = ${t.admin.email}`;
    const openState = {
      state: 'open',
      inviter: name,
      email,
      name: '',
      codeFirst: false,
      organization: null,
      organizationLogo: null,
      connection: null,
      acceptAfterSignIn: null,
    };
    for (let times = 0; times < 3; times += 1) expect(await getState(code)).toEqual(openState);
    expect((await exchange(code)).Succeeded).toBe(true);
  });

  test('returns no details for an invalid code, records the refusal and counts it towards the limit of the network', async () => {
    const [expired, revoked] = [await invited(), await invited()];
    await t.expire(expired.id);
    await t.call(revokeInvitation, t.one(revoked.id));
    const nothing = {
      inviter: null,
      email: null,
      name: '',
      codeFirst: false,
      organization: null,
      organizationLogo: null,
      connection: null,
      acceptAfterSignIn: null,
    };
    expect(await getState(expired.code)).toEqual({ state: 'expired', ...nothing });
    expect(await getState(revoked.code)).toEqual({ state: 'invalid', ...nothing });
    expect(await getState('1'.repeat(22))).toEqual({ state: 'invalid', ...nothing });
    await expect.poll(() => eventsOf(expired.id, 'refused')).toMatchObject([{ note: 'expired', times: 1 }]);
    for (let times = 3; times < 10; times += 1) await getState('1'.repeat(22));
    expect((await t.call(getInvitationLinkState, { body: { code: '1'.repeat(22) } })).status).toBe(429);
  });
});

describe('the timeline of an invitation', () => {
  test('explains attempts after expiry, revocation and redemption', async () => {
    const [expired, revoked] = [await invited(), await invited()];
    await t.expire(expired.id);
    expect((await exchange(expired.code)).ErrorMessage).toBe('Expired');
    await expect.poll(() => eventsOf(expired.id, 'refused')).toMatchObject([{ note: 'expired', times: 1 }]);
    expect((await details(expired.id)).explanation).toMatch(
      /^Expired on .+ tried the link after that.+ Renew it/,
    );
    await t.call(revokeInvitation, t.one(revoked.id));
    expect((await exchange(revoked.code)).ErrorMessage).toBe('Invalid');
    await expect.poll(() => eventsOf(revoked.id, 'refused')).toMatchObject([{ note: 'revoked' }]);
    expect((await details(revoked.id)).explanation).toContain(`by ${t.admin.email}`);
  });

  test('lists the events from creation to redemption in order, with their actors', async () => {
    const { id, code, email } = await invited();
    await exchange(code);
    await t.signIn(email, { invitationId: id });
    const { timeline, explanation } = await details(id);
    const actorByKind = Object.fromEntries(timeline.map((event) => [event.kind, event.by]));
    expect(actorByKind).toMatchObject({
      created: t.admin.email,
      link_copied: t.admin.email,
      token_issued: null,
      redeemed: email,
    });
    expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted());
    expect(explanation).toMatch(/^The invited person signed up on/);
  });

  test.each([
    [{ mail_state: 'queued', mailed_at: null }, 'will be sent within a minute'],
    [{ mail_state: 'queued', mail_error: '451 later', mailed_at: null }, 'has not been sent yet'],
    [{ mail_state: 'failed', mail_error: '550 5.1.1 unknown user' }, 'This mailbox does not exist'],
    [{ mail_state: 'none', mailed_at: null }, 'No e-mail was sent'],
    [{}, 'the link has not been opened yet'],
    [{ opened_at: '2026-11-21T10:00:00Z' }, 'the sign-up has not been started'],
    [{ expires_at: '2026-11-21T00:00:00Z' }, 'the link was not opened'],
  ])('explains an invitation with %j: %s', async (state, words) => {
    const { id } = await invited();
    for (const [column, value] of Object.entries(state))
      await t.select(`update invitations set ${column} = $2 where id = $1`, [id, value]);
    const { explanation } = await details(id);
    expect(explanation).toContain(words);
    expect(explanation).toMatch(/\.$/);
  });
});

describe('the report of a cancelled sign-up', () => {
  const report = (body: { code?: string; token?: string }, remoteAddress = '192.0.2.1') =>
    t.app.inject({ method: 'POST', url: reportInviteCancelled.path, payload: body, remoteAddress });

  test('is recorded in the timeline by code or token, also after the token has expired', async () => {
    const { id, code } = await invited();
    const token = (await exchange(code)).Data as string;
    t.clock.advance(minute);
    expect((await report({ code })).json()).toEqual({ received: true });
    await expect.poll(() => eventsOf(id, 'cancelled')).toMatchObject([{ times: 1 }]);
    expect((await details(id)).explanation).toContain('cancelled at the sign-in service');
    t.clock.advance(15 * minute);
    await report({ token });
    await expect.poll(async () => (await eventsOf(id, 'cancelled'))[0]?.times).toBe(2);
    // A later attempt supersedes the cancellation.
    t.clock.advance(minute);
    await exchange(code);
    expect((await details(id)).explanation).toContain('has not finished signing up');
  });

  test('gets the same response for any code or token, and is ignored for a token of another issuer', async () => {
    const { id } = await invited();
    const foreignToken = await t.mint({ sub: id, iss: 'https://portal.example.com/' });
    const responses = await Promise.all([
      report({ code: '1'.repeat(22) }),
      report({ token: foreignToken }),
      report({ token: 'x.y.z' }),
      report({}),
    ]);
    for (const response of responses)
      expect([response.statusCode, response.body]).toEqual([200, '{"received":true}']);
    const { code } = await invited();
    await report({ code });
    await expect
      .poll(() => t.select("select from invitation_events where kind = 'cancelled'"))
      .not.toHaveLength(0);
    expect(await eventsOf(id, 'cancelled')).toEqual([]);
  });

  test('gets 429 after ten reports a minute from one address', async () => {
    for (let time = 0; time < 10; time += 1) expect((await report({}, '192.0.2.7')).statusCode).toBe(200);
    const refused = await report({}, '192.0.2.7');
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60']);
    expect((await report({}, '192.0.2.8')).statusCode).toBe(200);
  });
});

describe('"Send me a new link" (D15)', () => {
  let caller = 0;
  /** Each call uses another address by default. */
  const request = (code: string, remoteAddress = `203.0.113.${(caller += 1)}`) =>
    t.app.inject({ method: 'POST', url: requestNewLink.path, payload: { code }, remoteAddress });
  const jobsOf = (id: string) =>
    t.select<{ template: string; subject: string }>`
      select data->>'template' as template, data->>'subjectId' as subject from jobs.job
      where data->>'subjectId' like ${`${id}/%`} order by 2`;

  test('mails a new link for an expired invitation, and the old link stays expired', async () => {
    const { id, code } = await invited();
    await t.expire(id);
    const response = await request(code);
    expect([response.statusCode, response.body]).toEqual([200, '{"received":true}']);
    await expect.poll(() => jobsOf(id)).toHaveLength(2);
    expect((await jobsOf(id))[1]).toEqual({ template: 'invitation-new-link', subject: `${id}/2` });
    expect(await details(id)).toMatchObject({
      status: 'pending',
      expiresAt: new Date(t.clock.now() + 7 * 24 * 60 * minute).toISOString(),
    });
    expect(await eventsOf(id, 'new_link_sent')).toMatchObject([{ by: null }]);
    expect((await exchange(code)).ErrorMessage).toBe('Expired');
    expect((await exchange(t.shortCodes.codeOf(id, 1))).Succeeded).toBe(true);
  });

  test('is limited to once in ten minutes and three times a day per invitation', async () => {
    const { id, code } = await invited();
    const others = await Promise.all(Array.from({ length: 6 }, invited));
    await Promise.all([id, ...others.map((other) => other.id)].map(t.expire));
    const sent = async () => (await jobsOf(id)).length - 1;
    await Promise.all([request(code), request(code), request(code)]);
    await expect.poll(sent).toBe(1);
    for (const [minutes, total] of [
      [9, 1],
      [1, 2],
      [10, 3],
      [10, 3],
      [24 * 60 - 31, 3],
      [1, 4],
    ] as const) {
      t.clock.advance(minutes * minute);
      await request(code);
      // Waits for a later request. When the later one has finished, this one has finished as well.
      const other = others.pop() as (typeof others)[0];
      await request(other.code);
      await expect.poll(() => jobsOf(other.id)).toHaveLength(2);
      await expect.poll(sent).toBe(total);
    }
  });

  /** Sends a request that is granted and waits for its mail. All earlier requests have finished by then. */
  const settled = async () => {
    const other = await invited();
    await t.expire(other.id);
    await request(other.code);
    await expect.poll(() => jobsOf(other.id)).toHaveLength(2);
  };
  const setting = async (name: 'newLinkDays' | 'allowedDomains', value: unknown) => {
    const { [name]: now } = (await t.callAs(t.admin, getSettings)).body;
    const body = { [name]: value, versions: { [name]: now.version } };
    expect((await t.callAs(t.admin, changeSettings, { body })).status).toBe(200);
    t.clock.advance(1_000);
  };
  const ago = (milliseconds: number) => new Date(t.clock.now() - milliseconds);

  test.each([
    ['30 days after expiry, less a minute', 30, 30 * day - minute, 2],
    ['30 days after expiry', 30, 30 * day, 1],
    ['a year after expiry if the settings allow that', 365, 365 * day - minute, 2],
  ])('mails a new link only within newLinkDays: %s', async (_when, newLinkDays, age, mails) => {
    await setting('newLinkDays', newLinkDays);
    try {
      const { id, code } = await invited();
      await t.select`update invitations set expires_at = ${ago(age)} where id = ${id}`;
      await request(code);
      if (mails === 1) await settled();
      await expect.poll(() => jobsOf(id)).toHaveLength(mails);
    } finally {
      await setting('newLinkDays', 30);
    }
  });

  test.each([
    ['to a domain that may no longer be invited', 'allowedDomains', ['elsewhere.example'], []],
    ['if the settings allow no new links', 'newLinkDays', 0, 30],
  ] as const)('mails neither a renewed nor an open link %s', async (_to, name, value, before) => {
    const [expired, renewed] = [await invited(), await invited()];
    await Promise.all([t.expire(expired.id), t.expire(renewed.id)]);
    await t.call(renewInvitation, { ...t.one(renewed.id), body: {} });
    await setting(name, value);
    for (const { code } of [expired, renewed]) await request(code);
    await delay(300);
    await setting(name, before);
    await settled();
    expect([await jobsOf(expired.id), await jobsOf(renewed.id)].map(({ length }) => length)).toEqual([1, 2]);
  });

  test('mails nothing for an open, revoked, redeemed or unknown code, with the same response and the same first database statements (security 16)', async () => {
    const statements: string[] = [];
    const watched = await createTestApp({
      sharedWith: t,
      wrapDatabase: (database) => ({
        ...database,
        query: (config) => {
          statements.push(config.name ?? config.text);
          return database.query(config);
        },
      }),
    });
    try {
      const [opened, revoked, redeemed] = [await invited(), await invited(), await invited()];
      await t.call(revokeInvitation, t.one(revoked.id));
      await t.select`update invitations set status = 'redeemed' where id = ${redeemed.id}`;
      for (const code of [opened.code, revoked.code, redeemed.code, '1'.repeat(22), 'x', '']) {
        statements.length = 0;
        const response = await watched.app.inject({
          method: 'POST',
          url: requestNewLink.path,
          payload: { code },
          remoteAddress: `198.51.100.${(caller += 1)}`,
        });
        expect([response.statusCode, response.body]).toEqual([200, '{"received":true}']);
        // The response only waits for the rate limit.
        expect(statements.length).toBeLessThanOrEqual(2);
        await expect.poll(() => statements).toEqual(['take-rate-limits', 'find-invitation-by-code-hash']);
      }
      for (const { id } of [opened, revoked, redeemed]) expect(await jobsOf(id)).toHaveLength(1);
    } finally {
      await watched.close();
    }
  });

  test('returns 429 after five requests in ten minutes from one address, regardless of the code', async () => {
    for (let time = 0; time < 5; time += 1) expect((await request('x', '192.0.2.20')).statusCode).toBe(200);
    const { id, code } = await invited();
    await t.expire(id);
    const refused = await request(code, '192.0.2.20');
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([429, 'request.too_many']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(500);
  });
});
