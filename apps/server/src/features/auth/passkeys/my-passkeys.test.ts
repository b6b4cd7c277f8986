import { requestCode } from '@vestibule/contract/sign-in/codes';
import { recentAuthMinutes, signInMethodChangesPerHour } from '@vestibule/contract/rules/limits';
import {
  addPasskey,
  startPasskey,
  listMyPasskeys,
  passkeysMaximum,
  removePasskey,
  renamePasskey,
} from '@vestibule/contract/sign-in/passkeys';
import { confirmSignIn } from '@vestibule/contract/sign-in/sessions';
import { closeAfterTests } from '../../../test/test-close.ts';
import { describe, expect, test } from 'vitest';
import { createTestAuthenticator } from '../../../test/sign-in/test-authenticator.ts';
import type { TestBrowser } from '../../../test/sign-in/test-browser.ts';
import { startTestOidcProvider } from '../../../test/sign-in/test-oidc-provider.ts';
import { oidcPublicUrl, providerEnvironment } from '../../../test/sign-in/test-oidc-site.ts';
import { postAs, setUpPasskeySite } from '../../../test/sign-in/test-passkey-site.ts';
import { signInStartLimit } from '../oidc/start-authorization.ts';

const acme = closeAfterTests(await startTestOidcProvider({ way: 'acme', publicUrl: oidcPublicUrl }));
const site = await setUpPasskeySite({
  environment: {
    SIGN_IN_WITH: 'passkeys,b2c,oidc',
    OIDC_PROVIDERS: 'acme',
    ...providerEnvironment('acme', acme),
  },
});
const { t } = site;

const list = async (browser: TestBrowser) => (await postAs(browser, listMyPasskeys)).body;
const remove = (browser: TestBrowser, passkeyId: string) =>
  postAs(browser, removePasskey, undefined, { passkeyId });

async function addDevice(browser: TestBrowser, device = createTestAuthenticator()) {
  const { body } = await postAs(browser, startPasskey);
  return postAs(browser, addPasskey, { attempt: body.attempt, response: device.create(body.options) });
}

test('listMyPasskeys returns passkeys with model name, times and sync state', async () => {
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

test('an additional passkey has the same user handle, and authenticators that already contain a passkey are excluded', async () => {
  const { device, browser } = await site.join();
  const { body } = await postAs(browser, startPasskey);
  expect(body.options.user.id).toBe(device.held[0]?.handle);
  expect(() => device.create(body.options)).toThrow(/This device has one already/);
  const second = createTestAuthenticator({ isSynced: false });
  const added = await postAs(browser, addPasskey, {
    attempt: body.attempt,
    response: second.create(body.options),
  });
  expect(added.body).toMatchObject({ name: 'Firefox', isSynced: false, works: true });
  expect((await list(browser)).rows).toHaveLength(2);
  expect(await site.signIn(site.browser(), second)).toBe('/layout/dashboard');
});

test('a person of another sign-in method adds a first passkey and signs in with it', async () => {
  const ann = await t.join(site.newAddress());
  await t.select`update people set joined_at = 'epoch' where id = ${ann.id}`;
  const headers = { authorization: `Bearer ${await t.recentTokenOf(ann)}` };
  const page = site.browser();
  const post = (url: string, body: object) => page.ask('POST', url, { body, headers });
  expect((await t.callAs(ann, listMyPasskeys)).body).toMatchObject({
    rows: [],
    userId: null,
    codes: 'no',
  });
  const tabs = await Promise.all(
    [1, 2].map(async () =>
      (await post(startPasskey.path, {})).json<Awaited<ReturnType<typeof startAttempt>>>(),
    ),
  );
  const devices = tabs.map(() => createTestAuthenticator());
  const ended: number[] = [];
  for (const [index, { attempt, options }] of tabs.entries())
    ended.push(
      (await post(addPasskey.path, { attempt, response: devices[index]?.create(options) })).statusCode,
    );
  expect(ended).toEqual([200, 400]);
  const signedIn = site.browser();
  expect(await site.signIn(signedIn, devices[0] as never)).toBe('/layout/dashboard');
  expect(await signedIn.whoAmI()).toBe(ann.email);
  // The sign-in by code is added and removed with the passkey; sessions stay.
  const { rows, codes } = await list(signedIn);
  expect(codes).toBe('enough');
  expect((await remove(signedIn, rows[0]?.id as string)).status).toBe(200);
  expect(await list(signedIn)).toMatchObject({ rows: [], userId: null, codes: 'no' });
  expect(await signedIn.whoAmI()).toBe(ann.email);
  const { attempt } = (await postAs(site.browser(), requestCode, { address: ann.email })).body;
  expect(await site.codeOf(attempt)).toBeUndefined();
});

test.each([
  ['is disabled', 'closed', 'acme'],
  ['has no OpenID Connect client', 'b2c', 'b2c'],
])(
  'deleting the last passkey assigns the session to a later identity if the person’s original sign-in method %s',
  async (_what, method, methodAfterwards) => {
    const { id, email, browser } = await site.join();
    await t.select`update people set joined_at = 'epoch' where id = ${id}`;
    const identity = `insert into identities (issuer, subject, person_id, way, created_at) values ($1, $2, $3, $4, $5)`;
    await t.select(identity, ['https://first.example', id, id, method, 'epoch']);
    await t.select(identity, [acme.issuer, id, id, 'acme', new Date(t.clock.now() + 1_000)]);
    const { rows } = await list(browser);
    expect((await remove(browser, rows[0]?.id as string)).status).toBe(200);
    expect(await list(browser)).toMatchObject({ rows: [], userId: null, codes: 'no' });
    const { attempt } = (await postAs(site.browser(), requestCode, { address: email })).body;
    expect(await site.codeOf(attempt)).toBeUndefined();
    expect(await t.select`select way from sessions where person_id = ${id}`).toEqual([
      { way: methodAfterwards },
    ]);
    t.clock.advance(recentAuthMinutes * 60_000);
    expect((await postAs(browser, confirmSignIn)).body.url).toContain(`${acme.issuer}/auth?`);
  },
);

const startAttempt = async () => (await postAs(site.browser(), startPasskey)).body;

const changes = [
  'New passkey for Vestibule',
  'A passkey for Vestibule was renamed',
  'A passkey for Vestibule was removed',
];
test('adding, renaming and deleting a passkey each send a mail and write an audit row', async () => {
  const { id, email, browser } = await site.join();
  const { body } = await addDevice(browser);
  const renamed = await postAs(browser, renamePasskey, { name: 'My key' }, { passkeyId: body.id });
  expect(renamed.body.name).toBe('My key');
  expect((await remove(browser, body.id)).body).toEqual({ id: body.id });
  const jobs = await t.select<{ template: string; subject: string }>`
    select data->>'template' as template, data->>'subjectId' as subject from jobs.job
    where data->>'subjectId' like ${id} || '%' order by created_on, template`;
  const mails = await Promise.all(
    jobs.map(async ({ template, subject }) => t.mailTemplates[template]?.write(subject)),
  );
  expect(mails.map((mail) => [mail?.to.address, mail?.subject])).toEqual(
    ['New passkey for Vestibule', ...changes].map((subject) => [email, subject]),
  );
  expect(mails[1]?.text).toContain('was added to your account at Vestibule: Firefox.');
  expect(mails[2]?.text).toContain('was renamed: My key.');
  expect(await t.auditOf(id)).toMatchObject([
    { action: 'passkey.added' },
    { action: 'passkey.added' },
    { action: 'passkey.renamed', detail: { name: 'My key' } },
    { action: 'passkey.removed', detail: { name: 'My key' } },
  ]);
});

test('starting to create a passkey counts towards the limit of sign-in starts per network', async () => {
  const { browser } = await site.join();
  await postAs(browser, startPasskey);
  const rows = async () => (await t.select('select from sign_in_transactions')).length;
  await t.select`update rate_limits set used = ${signInStartLimit.maximum} where key like 'sign-in:%'`;
  const before = await rows();
  const refused = await postAs(browser, startPasskey);
  expect([refused.status, refused.body.code]).toEqual([429, 'request.too_many']);
  expect(await rows()).toBe(before);
  await t.select(`delete from rate_limits where key like 'sign-in:%'`);
});

test('adding and renaming passkeys is limited to forty an hour; deleting is not', async () => {
  const { id, browser } = await site.join();
  const [passkey] = (await list(browser)).rows;
  const params = { passkeyId: passkey?.id as string };
  const rename = (name: string) => postAs(browser, renamePasskey, { name }, params);
  const countNotifications = async () =>
    (await t.auditOf(id)).length +
    (await t.select`select from jobs.job where data->>'subjectId' like ${id} || '%'`).length;
  const { body: added } = await addDevice(browser);
  for (let count = 2; count <= signInMethodChangesPerHour; count += 1)
    expect((await rename(`Key ${count}`)).status).toBe(200);
  const before = await countNotifications();
  const rows = (await list(browser)).rows.length;
  for (const refused of [await rename('One more'), await addDevice(browser)])
    expect([refused.status, refused.body.code]).toEqual([429, 'passkey.too_often']);
  expect((await list(browser)).rows).toHaveLength(rows);
  expect(await countNotifications()).toBe(before);
  expect((await rename(`Key ${signInMethodChangesPerHour}`)).body.name).toBe(
    `Key ${signInMethodChangesPerHour}`,
  );
  expect((await remove(browser, added.id)).status).toBe(200);
  expect(await countNotifications()).toBe(before + 2);
  expect((await addDevice(browser)).status).toBe(429);
});

describe('the last sign-in method', () => {
  test('cannot be deleted if it is the only passkey and a passkey is required', () =>
    site.withSettings({ passkeyRequired: 'everybody' }, async () => {
      const { id, browser } = await site.join();
      const [first] = (await list(browser)).rows;
      expect((await list(browser)).codes).toBe('only-for-a-passkey');
      expect((await remove(browser, first?.id as string)).body.code).toBe('passkey.last_way');
      const { body: second } = await addDevice(browser);
      const ended = await Promise.all([remove(browser, first?.id as string), remove(browser, second.id)]);
      expect(ended.map(({ body }) => body.code ?? 'removed').sort()).toEqual(['passkey.last_way', 'removed']);
      const [rest] = (await list(browser)).rows;
      const identity = `insert into identities (issuer, subject, person_id, way) values ('x', $1, $2, $3)`;
      await t.select(identity, [`closed ${id}`, id, 'closed']);
      expect((await remove(browser, rest?.id as string)).body.code).toBe('passkey.last_way');
      await t.select(identity, [`b2c ${id}`, id, 'b2c']);
      expect((await remove(browser, rest?.id as string)).status).toBe(200);
    }));

  test('cannot be a passkey of another host; such a passkey can always be deleted', () =>
    site.withSettings({ passkeyRequired: 'everybody' }, async () => {
      const { id, device, browser } = await site.join();
      await addDevice(browser);
      await t.select`
        update passkeys set rp_id = 'old.example.com' where credential_id = ${device.held[0]?.id}`;
      const { rows } = await list(browser);
      expect(new Set(rows.map(({ works }) => works))).toEqual(new Set([false, true]));
      const [old, current] = rows.toSorted((first, other) => Number(first.works) - Number(other.works));
      expect(await site.signIn(site.browser(), device)).toBe('passkey.unknown');
      expect((await remove(browser, current?.id as string)).body.code).toBe('passkey.last_way');
      expect((await remove(browser, old?.id as string)).status).toBe(200);
      expect(await t.select`select from passkeys where person_id = ${id}`).toHaveLength(1);
    }));
});

describe('invalid passkey requests', () => {
  test("another person's or a deleted passkey is neither renamed nor deleted", async () => {
    const first = await site.join();
    const other = await site.join();
    const [theirs] = (await list(other.browser)).rows;
    const params = { passkeyId: theirs?.id as string };
    expect((await postAs(first.browser, renamePasskey, { name: 'Mine' }, params)).body.code).toBe(
      'passkey.not_found',
    );
    expect((await remove(first.browser, params.passkeyId)).body.code).toBe('passkey.not_found');
    await remove(other.browser, params.passkeyId);
    expect((await remove(other.browser, params.passkeyId)).body.code).toBe('passkey.not_found');
  });

  test('a challenge of another person or of a link adds no passkey, and a profile challenge does not sign in', async () => {
    const first = await site.join();
    const other = await site.join();
    const { body } = await postAs(first.browser, startPasskey);
    for (const [name, value] of first.browser.cookies)
      if (name.includes('-in-')) other.browser.cookies.set(name, value);
    const created = createTestAuthenticator().create(body.options);
    const attempt = { attempt: body.attempt, response: created };
    expect((await postAs(other.browser, addPasskey, attempt)).body.code).toBe('sign_in.expired');
    const again = (await postAs(first.browser, startPasskey)).body;
    const response = await first.browser.ask('POST', '/api/sign-in/new-passkey', {
      body: { attempt: again.attempt, response: createTestAuthenticator().create(again.options) },
    });
    expect(response.json()).toMatchObject({ code: 'sign_in.expired' });
    expect((await list(first.browser)).rows).toHaveLength(1);
  });

  test('an additional passkey above the maximum is refused', async () => {
    const { id, browser } = await site.join();
    await t.select`
      insert into passkeys
      select 'more_' || n || '_' || ${id}, gen_random_uuid(), person_id, public_key, counter, rp_id, transports, aaguid,
        name, is_backup_eligible, is_backed_up, created_at, last_used_at
      from passkeys, generate_series(1, ${passkeysMaximum - 2}::int) n where person_id = ${id}::uuid`;
    const last = (await postAs(browser, startPasskey)).body;
    expect((await addDevice(browser)).status).toBe(200);
    const response = createTestAuthenticator().create(last.options);
    expect((await postAs(browser, addPasskey, { attempt: last.attempt, response })).body.code).toBe(
      'passkey.too_many',
    );
    expect((await postAs(browser, startPasskey)).body.code).toBe('passkey.too_many');
  });
});
