/** Profile › Ways to sign in: one's own passkeys (statements M7, M8). */
import { requestCode } from '@vestibule/contract/sign-in/codes';
import { downloadMyData } from '@vestibule/contract/profile';
import { recentAuthMinutes, signInMethodChangesPerHour } from '@vestibule/contract/rules/limits';
import {
  addPasskey,
  startPasskey,
  listMyPasskeys,
  passkeysMaximum,
  removePasskey,
  renamePasskey,
} from '@vestibule/contract/sign-in/passkeys';
import { startCodeConfirmation } from '@vestibule/contract/sign-in/confirm';
import { confirmSignIn, endSession } from '@vestibule/contract/sign-in/sessions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestAuthenticator } from '../../../test/test-authenticator.ts';
import type { TestBrowser } from '../../../test/test-browser.ts';
import { startTestOidcProvider, type TestOidcProvider } from '../../../test/test-oidc-provider.ts';
import { oidcPublicUrl, providerEnvironment } from '../../../test/test-oidc-site.ts';
import { postAs, createPasskeySite, type PasskeySite } from '../../../test/test-passkey-site.ts';
import { signInStarts } from '../oidc/start-authorization.ts';
import { passkeyRenamedMailName } from './passkey-changes.ts';

let site: PasskeySite;
let t: PasskeySite['t'];
let acme: TestOidcProvider;
beforeAll(async () => {
  acme = await startTestOidcProvider({ way: 'acme', publicUrl: oidcPublicUrl });
  const environment = {
    SIGN_IN_WITH: 'passkeys,b2c,oidc',
    OIDC_PROVIDERS: 'acme',
    ...providerEnvironment('acme', acme),
  };
  site = await createPasskeySite({ environment });
  ({ t } = site);
});
afterAll(async () => {
  await site.close();
  await acme.close();
});

const list = async (browser: TestBrowser) => (await postAs(browser, listMyPasskeys)).body;
const remove = (browser: TestBrowser, passkeyId: string) =>
  postAs(browser, removePasskey, undefined, { passkeyId });

async function add(browser: TestBrowser, device = createTestAuthenticator()) {
  const { body } = await postAs(browser, startPasskey);
  return postAs(browser, addPasskey, { attempt: body.attempt, response: device.create(body.options) });
}

test('somebody sees theirs: named by the make, with when and whether it is synced', async () => {
  const device = createTestAuthenticator({ aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4' });
  const { browser } = await site.join('member', device);
  await site.signIn(browser, device);
  const shown = await list(browser);
  expect(shown).toMatchObject({
    rpId: 'portal.example.com',
    userId: device.held[0]?.handle,
    codes: 'enough',
  });
  expect(shown.rows).toEqual([
    {
      id: expect.any(String) as string,
      name: 'Google Password Manager',
      createdAt: expect.any(String) as string,
      lastUsedAt: expect.any(String) as string,
      isSynced: true,
      works: true,
      credentialId: device.held[0]?.id,
    },
  ]);
});

test('one more is added, under the same handle, and the device that has one already says so', async () => {
  const { device, browser } = await site.join();
  const { body } = await postAs(browser, startPasskey);
  expect(body.options.user.id).toBe(device.held[0]?.handle);
  expect(() => device.create(body.options)).toThrow(/has one already/);
  const second = createTestAuthenticator({ isSynced: false });
  const added = await postAs(browser, addPasskey, {
    attempt: body.attempt,
    response: second.create(body.options),
  });
  expect(added.body).toMatchObject({ name: 'Firefox', isSynced: false, works: true });
  expect((await list(browser)).rows).toHaveLength(2);
  expect(await site.signIn(site.browser(), second)).toBe('/layout/dashboard');
});

test('somebody who came another way makes a first one, and signs in with it from then on', async () => {
  const ann = await t.join(site.newAddress());
  await t.select(`update people set joined_at = 'epoch' where id = $1`, [ann.id]);
  const headers = { authorization: `Bearer ${await t.freshTokenOf(ann)}` };
  const page = site.browser();
  const ask = (url: string, body: object) => page.ask('POST', url, { body, headers });
  expect((await t.call(listMyPasskeys, { token: ann.token })).body).toMatchObject({
    rows: [],
    userId: null,
    codes: 'no',
  });
  const tabs = await Promise.all(
    [1, 2].map(async () => (await ask(startPasskey.path, {})).json<Awaited<ReturnType<typeof begun>>>()),
  );
  const devices = tabs.map(() => createTestAuthenticator());
  const ended: number[] = [];
  for (const [index, { attempt, options }] of tabs.entries())
    ended.push(
      (await ask(addPasskey.path, { attempt, response: devices[index]?.create(options) })).statusCode,
    );
  // The second was made for another handle than the one that the first has become.
  expect(ended).toEqual([200, 400]);
  const fresh = site.browser();
  expect(await site.signIn(fresh, devices[0] as never)).toBe('/layout/dashboard');
  expect(await fresh.whoAmI()).toBe(ann.email);
  // Codes come with it, and go with it; whoever is signed in stays so.
  const { rows, codes } = await list(fresh);
  expect(codes).toBe('enough');
  expect((await remove(fresh, rows[0]?.id as string)).status).toBe(200);
  expect(await list(fresh)).toMatchObject({ rows: [], userId: null, codes: 'no' });
  expect(await fresh.whoAmI()).toBe(ann.email);
  const { attempt } = (await postAs(site.browser(), requestCode, { address: ann.email })).body;
  expect(await site.codeOf(attempt)).toBeUndefined();
});

test.each([
  ['is closed', 'closed', 'acme'],
  ['the server does not lead', 'b2c', 'b2c'],
])(
  'whoever came a way that %s, and has an account elsewhere since, goes on by that without codes, and confirms there',
  async (_what, way, wayAfterwards) => {
    const { id, email, browser } = await site.join();
    await t.select(`update people set joined_at = 'epoch' where id = $1`, [id]);
    const identity = `insert into identities (issuer, subject, person_id, way, created_at) values ($1, $2, $3, $4, $5)`;
    await t.select(identity, ['https://first.example', id, id, way, 'epoch']);
    await t.select(identity, [acme.issuer, id, id, 'acme', new Date(t.clock.now() + 1_000)]);
    const { rows } = await list(browser);
    expect((await remove(browser, rows[0]?.id as string)).status).toBe(200);
    expect(await list(browser)).toMatchObject({ rows: [], userId: null, codes: 'no' });
    const { attempt } = (await postAs(site.browser(), requestCode, { address: email })).body;
    expect(await site.codeOf(attempt)).toBeUndefined();
    expect(await t.select('select way from sessions where person_id = $1', [id])).toEqual([
      { way: wayAfterwards },
    ]);
    t.clock.advance(recentAuthMinutes * 60_000);
    expect((await postAs(browser, confirmSignIn)).body.url).toContain(`${acme.issuer}/auth?`);
  },
);

test('whoever has only B2C besides stays inside, comes in by that, and is told to where a fresh sign-in is needed', async () => {
  const ann = await t.join(site.newAddress());
  await t.select(`update people set joined_at = 'epoch' where id = $1`, [ann.id]);
  const withToken = async () => ({ authorization: `Bearer ${await t.freshTokenOf(ann)}` });
  /** Makes a passkey by a token, and signs in with it. */
  async function signInByNewPasskey() {
    const [page, device, headers] = [site.browser(), createTestAuthenticator(), await withToken()];
    const { attempt, options } = (await page.ask('POST', startPasskey.path, { body: {}, headers })).json<
      Awaited<ReturnType<typeof begun>>
    >();
    const body = { attempt, response: device.create(options) };
    expect((await page.ask('POST', addPasskey.path, { body, headers })).statusCode).toBe(200);
    const fresh = site.browser();
    expect(await site.signIn(fresh, device)).toBe('/layout/dashboard');
    return fresh;
  }
  const browser = await signInByNewPasskey();
  const [only] = (await list(browser)).rows;
  expect((await remove(browser, only?.id as string)).status).toBe(200);
  expect(await browser.whoAmI()).toBe(ann.email);
  expect(await t.select('select way from sessions where person_id = $1', [ann.id])).toEqual([{ way: 'b2c' }]);
  t.clock.advance(recentAuthMinutes * 60_000);
  expect((await postAs(browser, startPasskey)).body.code).toBe('sign_in.not_fresh');
  for (const way of [startCodeConfirmation, confirmSignIn])
    expect((await postAs(browser, way)).body.code).toBe('sign_in.cannot_confirm');
  // As they are told, and a passkey is theirs again.
  expect((await postAs(browser, endSession)).status).toBe(200);
  expect(await (await signInByNewPasskey()).whoAmI()).toBe(ann.email);
});

/** For its type. */
const begun = async () => (await postAs(site.browser(), startPasskey)).body;

const changes = [
  'New passkey for Vestibule',
  'A passkey for Vestibule was renamed',
  'A passkey for Vestibule was removed',
];
test('a mail tells of what is added, renamed and removed; the log has all three, and names', async () => {
  const { id, email, browser } = await site.join();
  const { body } = await add(browser);
  const renamed = await postAs(browser, renamePasskey, { name: 'My key' }, { passkeyId: body.id });
  expect(renamed.body.name).toBe('My key');
  expect((await remove(browser, body.id)).body).toEqual({ id: body.id });
  const jobs = await t.select<{ template: string; subject: string }>(
    `select data->>'template' as template, data->>'subjectId' as subject from jobs.job
     where data->>'subjectId' like $1 || '%' order by created_on, template`,
    [id],
  );
  // Also of a passkey that is gone when its mails are written.
  const mails = await Promise.all(
    jobs.map(async ({ template, subject }) => t.mailTemplates[template]?.write(subject)),
  );
  expect(mails.map((mail) => [mail?.to.address, mail?.subject])).toEqual(
    ['New passkey for Vestibule', ...changes].map((subject) => [email, subject]),
  );
  expect(mails[1]?.text).toContain('was added to your account at Vestibule: Firefox.');
  expect(mails[2]?.text).toContain('was renamed: My key.');
  const logged = await t.select<{ action: string }>(
    `select action, detail from audit_log where target_id = $1 order by id`,
    [id],
  );
  expect(logged).toMatchObject([
    { action: 'passkey.added' },
    { action: 'passkey.added' },
    { action: 'passkey.renamed', detail: { name: 'My key' } },
    { action: 'passkey.removed', detail: { name: 'My key' } },
  ]);
});

test('one network begins as many passkeys a minute as other sign-ins', async () => {
  const { browser } = await site.join();
  await postAs(browser, startPasskey);
  const rows = async () => (await t.select('select from sign_in_transactions')).length;
  await t.select(`update rate_limits set used = $1 where key like 'sign-in:%'`, [signInStarts.maximum]);
  const before = await rows();
  const refused = await postAs(browser, startPasskey);
  expect([refused.status, refused.body.code]).toEqual([429, 'request.too_many']);
  expect(await rows()).toBe(before);
  await t.select(`delete from rate_limits where key like 'sign-in:%'`);
});

test('somebody adds and renames what they sign in with forty times an hour, which is mailed; removing is never too often', async () => {
  const { id, browser } = await site.join();
  const [passkey] = (await list(browser)).rows;
  const params = { passkeyId: passkey?.id as string };
  const rename = (name: string) => postAs(browser, renamePasskey, { name }, params);
  const told = async () =>
    (await t.select(`select from audit_log where target_id = $1`, [id])).length +
    (await t.select(`select from jobs.job where data->>'subjectId' like $1 || '%'`, [id])).length;
  const { body: added } = await add(browser);
  for (let count = 2; count <= signInMethodChangesPerHour; count += 1)
    expect((await rename(`Key ${count}`)).status).toBe(200);
  const before = await told();
  const rows = (await list(browser)).rows.length;
  for (const refused of [await rename('One more'), await add(browser)])
    expect([refused.status, refused.body.code]).toEqual([429, 'passkey.too_often']);
  expect((await list(browser)).rows).toHaveLength(rows);
  expect(await told()).toBe(before);
  expect((await rename(`Key ${signInMethodChangesPerHour}`)).body.name).toBe(
    `Key ${signInMethodChangesPerHour}`,
  );
  // Whoever's device was stolen removes it all the same, and is told.
  expect((await remove(browser, added.id)).status).toBe(200);
  expect(await told()).toBe(before + 2);
  expect((await add(browser)).status).toBe(429);
});

test('the name that a passkey has is no new one: nobody is told, and the log says nothing', async () => {
  const { id, browser } = await site.join();
  const [passkey] = (await list(browser)).rows;
  const params = { passkeyId: passkey?.id as string };
  const rename = () => postAs(browser, renamePasskey, { name: 'My key' }, params);
  // Of two at once one is the change.
  for (const answer of [...(await Promise.all([rename(), rename()])), await rename()])
    expect(answer).toMatchObject({ status: 200, body: { id: params.passkeyId, name: 'My key' } });
  const told = await t.select(
    `select from jobs.job where data->>'subjectId' = $1 and data->>'template' = $2`,
    [`${id} My key`, passkeyRenamedMailName],
  );
  const logged = await t.select(`select from audit_log where target_id = $1 and action = 'passkey.renamed'`, [
    id,
  ]);
  expect([told.length, logged.length]).toEqual([1, 1]);
});

describe('the last way in', () => {
  test('stays: codes alone are not enough, so the last passkey is not removed', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
      const { id, browser } = await site.join();
      const [first] = (await list(browser)).rows;
      expect((await list(browser)).codes).toBe('only-for-a-passkey');
      expect((await remove(browser, first?.id as string)).body.code).toBe('passkey.last_way');
      const { body: second } = await add(browser);
      // Of two that go at once, one stays.
      const ended = await Promise.all([remove(browser, first?.id as string), remove(browser, second.id)]);
      expect(ended.map(({ body }) => body.code ?? 'removed').sort()).toEqual(['passkey.last_way', 'removed']);
      // Another open way is a way in; one that was closed is none.
      const [rest] = (await list(browser)).rows;
      const identity = `insert into identities (issuer, subject, person_id, way) values ('x', $1, $2, $3)`;
      await t.select(identity, [`closed ${id}`, id, 'closed']);
      expect((await remove(browser, rest?.id as string)).body.code).toBe('passkey.last_way');
      await t.select(identity, [`b2c ${id}`, id, 'b2c']);
      expect((await remove(browser, rest?.id as string)).status).toBe(200);
    }));

  test('may go where a code is enough', async () => {
    const { email, browser } = await site.join();
    const [only] = (await list(browser)).rows;
    expect((await remove(browser, only?.id as string)).status).toBe(200);
    expect((await site.enterCode(site.browser(), { address: email })).status).toBe(200);
  });

  test('of another host is none, and can always be removed', () =>
    site.having({ passkeyRequired: 'everybody' }, async () => {
      const { id, device, browser } = await site.join();
      await add(browser);
      await t.select(`update passkeys set rp_id = 'old.example.com' where credential_id = $1`, [
        device.held[0]?.id,
      ]);
      const { rows } = await list(browser);
      expect(new Set(rows.map(({ works }) => works))).toEqual(new Set([false, true]));
      const [old, current] = rows.toSorted((one, other) => Number(one.works) - Number(other.works));
      expect(await site.signIn(site.browser(), device)).toBe('passkey.unknown');
      expect((await remove(browser, current?.id as string)).body.code).toBe('passkey.last_way');
      expect((await remove(browser, old?.id as string)).status).toBe(200);
      expect(await t.select('select from passkeys where person_id = $1', [id])).toHaveLength(1);
    }));
});

describe('bad input', () => {
  test("somebody else's passkey is neither renamed nor removed, nor is one that is gone", async () => {
    const one = await site.join();
    const other = await site.join();
    const [theirs] = (await list(other.browser)).rows;
    const params = { passkeyId: theirs?.id as string };
    expect((await postAs(one.browser, renamePasskey, { name: 'Mine' }, params)).body.code).toBe(
      'passkey.not_found',
    );
    expect((await remove(one.browser, params.passkeyId)).body.code).toBe('passkey.not_found');
    await remove(other.browser, params.passkeyId);
    expect((await remove(other.browser, params.passkeyId)).body.code).toBe('passkey.not_found');
  });

  test.each(['', '   ', 'x'.repeat(61), 'two\nlines'])('the name %j', async (name) => {
    const { browser } = await site.join();
    const [first] = (await list(browser)).rows;
    expect((await postAs(browser, renamePasskey, { name }, { passkeyId: first?.id as string })).status).toBe(
      400,
    );
  });

  test("a challenge of somebody else, or of a link, adds nothing; and one of the profile's lets nobody in", async () => {
    const one = await site.join();
    const other = await site.join();
    const { body } = await postAs(one.browser, startPasskey);
    // As if both shared a browser.
    for (const [name, value] of one.browser.cookies)
      if (name.includes('-in-')) other.browser.cookies.set(name, value);
    const response = createTestAuthenticator().create(body.options);
    expect((await postAs(other.browser, addPasskey, { attempt: body.attempt, response })).body.code).toBe(
      'sign_in.expired',
    );
    const again = (await postAs(one.browser, startPasskey)).body;
    const answer = await one.browser.ask('POST', '/api/sign-in/new-passkey', {
      body: { attempt: again.attempt, response: createTestAuthenticator().create(again.options) },
    });
    expect(answer.json()).toMatchObject({ code: 'sign_in.expired' });
    expect((await list(one.browser)).rows).toHaveLength(1);
  });

  test('more than there can be', async () => {
    const { id, browser } = await site.join();
    await t.select(
      `insert into passkeys select 'more_' || n || '_' || $1, gen_random_uuid(), person_id, public_key, counter, rp_id, transports, aaguid,
         name, is_backup_eligible, is_backed_up, created_at, last_used_at
       from passkeys, generate_series(1, $2::int) n where person_id = $1::uuid`,
      [id, passkeysMaximum - 2],
    );
    // Begun while there was room.
    const last = (await postAs(browser, startPasskey)).body;
    expect((await add(browser)).status).toBe(200);
    const response = createTestAuthenticator().create(last.options);
    expect((await postAs(browser, addPasskey, { attempt: last.attempt, response })).body.code).toBe(
      'passkey.too_many',
    );
    expect((await postAs(browser, startPasskey)).body.code).toBe('passkey.too_many');
  });
});

test('what people download about themselves has their passkeys, and nothing that opens anything', async () => {
  const { browser, device } = await site.join();
  const data = (await browser.ask('GET', downloadMyData.path)).json<{ passkeys: object[] }>();
  expect(data.passkeys).toMatchObject([
    { name: 'Firefox', host: 'portal.example.com', credentialId: device.held[0]?.id },
  ]);
  expect(JSON.stringify(data.passkeys)).not.toContain('public_key');
});

test('whoever is removed leaves none behind', async () => {
  const { id } = await site.join();
  await t.select('delete from people where id = $1', [id]);
  for (const table of ['passkeys', 'identities', 'sessions'])
    expect(await t.select(`select from ${table} where person_id = $1`, [id])).toEqual([]);
});
