import {
  changeInvitationAddress,
  getInvitation,
  getInvitationLink,
  invite,
  listInvitations,
  revokeInvitation,
} from '@vestibule/contract/invitations';
import { getInviteToken, reportInviteCancelled, requestNewLink } from '@vestibule/contract/invitations/link';
import { createBatch } from '@vestibule/contract/invitations/batches';
import { getMe } from '@vestibule/contract/profile/me';
import { changeRole, listPeople, removePerson } from '@vestibule/contract/people';
import { requestCode } from '@vestibule/contract/sign-in/codes';
import {
  askForPasskey,
  startFirstPasskey,
  createFirstPasskey,
  signInWithPasskey,
} from '@vestibule/contract/sign-in/passkeys';
import { expect, test } from 'vitest';
import { invitationMails } from './features/invitations/invitation-mail.ts';
import { createTestApp } from './test/test-app.ts';
import { createTestAuthenticator } from './test/sign-in/test-authenticator.ts';
import { createTestBrowser } from './test/sign-in/test-browser.ts';
import { postAs } from './test/sign-in/test-passkey-site.ts';
import { withoutColumn } from './test/database/test-faults.ts';

test('no issued code or token appears in logs, audit rows, jobs or other tables (statement O3; security 26, 27)', async () => {
  const t = await createTestApp({
    environment: { LOG_LEVEL: 'trace', SIGN_IN_WITH: 'b2c,passkeys' },
  });
  const secrets: string[] = [];
  const addSecret = <T extends string | null | undefined>(secret: T): T => {
    if (secret) secrets.push(secret);
    return secret;
  };
  try {
    const admin = await t.join('admin@example.com', 'admin');
    addSecret(admin.token);
    const mailed: string[] = [];
    await t.mail.work(
      async (mail) => {
        mailed.push(mail.text);
        if (mailed.length === 1)
          throw Object.assign(new Error(`failed: ${mail.text}`.slice(0, 20)), { responseCode: 451 });
      },
      invitationMails({ ...t, publicUrl: t.config.publicUrl, now: t.clock.now }),
    );
    const token = admin.token;
    const { id } = (await t.call(invite, { token, body: { email: 'ann@example.com', message: 'Welcome' } }))
      .body;
    const { link } = (await t.call(getInvitationLink, { token, params: { invitationId: id } })).body;
    const code = addSecret(new URL(link).searchParams.get('i')) as string;
    await expect.poll(() => mailed.join()).toContain(code);
    await t.app.inject(`/signup?i=${code}`);
    const inviteToken = addSecret((await t.call(getInviteToken, { body: { code } })).body.Data) as string;
    await t.app.inject(`/signup?t=${inviteToken}`);
    await t.app.inject(`/api/nothing?code=${code}&t=${inviteToken}`);
    await t.call(reportInviteCancelled, { body: { code, token: inviteToken } });
    // Replaced codes, and the places that show where a link was sent.
    const other = (await t.call(invite, { token, body: { email: 'bob@example.com' } })).body.id;
    const otherRequest = { token, params: { invitationId: other } };
    addSecret(t.shortCodes.codeOf(other));
    await t.call(changeInvitationAddress, { ...otherRequest, body: { email: 'bob@example.org' } });
    const changed = addSecret(t.shortCodes.codeOf(other, 1));
    await t.select('update invitations set expires_at = $2 where id = $1', [other, new Date(t.clock.now())]);
    await t.call(requestNewLink, { body: { code: changed } });
    const newestCode = addSecret(t.shortCodes.codeOf(other, 2));
    await expect.poll(() => mailed.join()).toContain(newestCode);
    await t.call(getInviteToken, { body: { code: changed } });
    const headers = { 'idempotency-key': 'list' };
    await t.call(createBatch, {
      token,
      headers,
      body: { rows: [{ email: code }, { email: 'c@example.com' }] },
    });
    const details = (await t.call(getInvitation, otherRequest)).text;
    // Secrets in wrong places: as bearer token, as id, in malformed bodies and in bodies of another type.
    await t.call(getMe, { token: inviteToken });
    await t.call(getMe, { token: code });
    await t.call(revokeInvitation, { token, params: { invitationId: code } });
    await t.call(getInviteToken, { body: { code: inviteToken } });
    await t.call(invite, { token, body: { email: 'b@example.com', [code]: code } });
    for (const type of ['application/json', 'text/plain'])
      await t.app.inject({
        method: 'POST',
        url: '/api/users/invite-token',
        headers: { 'content-type': type },
        payload: `{"code":"${code}","${code}":`,
      });
    const annsToken = addSecret(await t.mint({ sub: 'ann', emails: ['ann@example.com'], invitationId: id }));
    const strangersToken = addSecret(await t.mint({ sub: 'x', emails: ['x@example.com'], invitationId: id }));
    await t.call(getMe, { token: strangersToken });
    const ann = (await t.call(getMe, { token: annsToken })).body;
    await t.call(changeRole, { token, params: { personId: ann.Id }, body: { role: 'admin' } });
    await t.call(listPeople, { token, query: { search: 'ann' } });
    await t.call(removePerson, { token, params: { personId: ann.Id } });
    const browser = createTestBrowser(t);
    const device = createTestAuthenticator();
    const eve = await t.invitationTo('eve@example.com');
    addSecret(eve.code);
    const started = await postAs(browser, startFirstPasskey, { invitation: eve.code });
    const firstPasskey = { attempt: started.body.attempt, response: device.create(started.body.options) };
    for (const value of browser.cookies.values()) addSecret(value);
    expect((await postAs(browser, createFirstPasskey, firstPasskey)).status).toBe(200);
    const passkeyOptions = await postAs(browser, askForPasskey);
    await postAs(browser, signInWithPasskey, { response: device.get(passkeyOptions.body) });
    await postAs(browser, requestCode, { address: 'eve@example.com' });
    // The passkey prompt cookie has the same value for every browser.
    const secretCookies = [...browser.cookies].filter(([name]) => !name.endsWith('seen-passkey'));
    for (const value of [
      ...secretCookies.map(([, cookieValue]) => cookieValue),
      started.body.options.challenge,
      passkeyOptions.body.challenge,
    ])
      addSecret(value);
    const listText = (await t.call(listInvitations, { token })).text;
    // Unexpected errors are logged completely, but without the request.
    await withoutColumn(t, 'people', 'display_name', () => t.call(getMe, { token: annsToken }));
    await t.mail.stop();

    const tables = await t.select<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'`,
    );
    const places = new Map([
      ['the log', t.log.join('')],
      ['the list', listText],
      ['the timeline', details],
    ]);
    for (const { name } of tables)
      places.set(
        name,
        (await t.select<{ row: string }>(`select t::text as row from ${name} t`))
          .map(({ row }) => row)
          .join('\n'),
      );
    expect(places.get('public.audit_log')).toContain('invitation.redeemed');
    expect(places.get('jobs.job_common')).toContain(id);
    expect(t.log.length).toBeGreaterThan(20);

    // The payload or signature of a token must not appear either.
    const parts = secrets.flatMap((secret) => [secret, ...secret.split('.').slice(1)]);
    for (const [place, content] of places)
      for (const part of parts) expect(content.includes(part), `${place} holds ${part}`).toBe(false);
  } finally {
    await t.close();
  }
});
