/** Several accounts that sign one person in: seen, added and removed (statement M5; security 64) */
import {
  addIdentity,
  listIdentities,
  listIdentitiesOf,
  removeIdentity,
  type Identity,
} from '@vestibule/contract/sign-in/identities';
import { signOutEverywhere } from '@vestibule/contract/profile';
import { identitiesMaximum, signInMethodChangesPerHour } from '@vestibule/contract/rules/limits';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestApp } from '../../../test/test-app.ts';
import { createTestBrowser, type TestBrowser } from '../../../test/test-browser.ts';
import { createTestOidcSite, providerEnvironment, type TestOidcSite } from '../../../test/test-oidc-site.ts';
import { waitForLocks } from '../../../test/test-faults.ts';
import { deleteIdentities, lockPeople } from './identity-store.ts';
import { sessionCookie } from '../sessions/sessions.ts';

let site: TestOidcSite;
beforeAll(async () => {
  site = await createTestOidcSite();
});
beforeEach(() => {
  for (const provider of [site.acme, site.other])
    Object.assign(provider.next, { answer: null, instead: null, error: null });
});
afterAll(() => site.close());

const profile = '/layout/profile?back=added';
const codeOf = (answer: { json: () => unknown }) => (answer.json() as { code?: string }).code;
const mine = async (browser: TestBrowser) =>
  (await browser.ask('GET', listIdentities.path)).json<{ rows: Identity[] }>().rows;

/** Sets out to add an account; gives the provider's address. */
async function setOut(browser: TestBrowser, way = 'other', headers = {}): Promise<string> {
  const answer = await browser.ask('POST', addIdentity.path, { body: { way, returnTo: profile }, headers });
  if (answer.statusCode !== 200) throw new Error(answer.payload);
  return answer.json<{ url: string }>().url;
}
const comeBack = async (browser: TestBrowser, url: string) =>
  site.resultOf(
    browser,
    String((await browser.ask('GET', await browser.visitProvider(url))).headers.location),
  );
const add = async (browser: TestBrowser, way = 'other') => comeBack(browser, await setOut(browser, way));
const remove = (browser: TestBrowser, id: string) =>
  browser.ask('DELETE', removeIdentity.path.replace(':identityId', id));

/** What was written about somebody, as mails and in the log. */
const mailsOf = (id: string) =>
  site.t
    .select<{ template: string }>(
      `select data->>'template' as template from jobs.job where name = 'mail' and data->>'subjectId' like $1 || ' %' order by created_on`,
      [id],
    )
    .then((rows) => rows.map(({ template }) => template));
const logOf = (id: string) =>
  site.t.select<{ action: string; detail: object; actor: string }>(
    `select action, detail, actor_label as actor from audit_log
     where target_id = $1 and action like 'identity.%' order by id`,
    [id],
  );

describe('an account at another provider', () => {
  test('is added by signing in there, once; both lead to the same person from then on', async () => {
    const { id, email, browser } = await site.join();
    site.other.setNextAccount('ann there', { email: 'ann@elsewhere.example', email_verified: false });
    site.other.next.seen.length = 0;
    expect(await add(browser)).toBe(profile);
    // Whoever is signed in there signs in again.
    expect(site.other.next.seen.at(-1)?.params).toMatchObject({ prompt: 'login' });
    expect(await mine(browser)).toMatchObject([
      { way: 'acme', wayName: 'Acme', isOpen: true, email, current: true },
      { way: 'other', wayName: 'Other', isOpen: true, email: 'ann@elsewhere.example', current: false },
    ]);
    const elsewhere = site.browser();
    await elsewhere.signIn({ way: 'other' });
    expect(await elsewhere.whoAmI()).toBe(email);
    expect((await mine(elsewhere)).map(({ current }) => current)).toEqual([false, true]);
    expect(await mailsOf(id)).toEqual(['identity-added']);
    expect(await logOf(id)).toEqual([
      { action: 'identity.added', detail: { way: 'other', account: 'ann@elsewhere.example' }, actor: email },
    ]);
    // Once more changes nothing.
    expect(await add(browser)).toBe(profile);
    expect(await mine(browser)).toHaveLength(2);
    expect(await mailsOf(id)).toHaveLength(1);
  });

  test('that belongs to somebody else is not added, and both stay who they are', async () => {
    const { email, browser } = await site.join();
    const somebody = await site.join('member', { provider: site.other, way: 'other' });
    expect(await add(browser)).toBe('sign_in.account_taken');
    expect(await mine(browser)).toHaveLength(1);
    expect(await browser.whoAmI()).toBe(email);
    expect(await somebody.browser.whoAmI()).toBe(somebody.email);
  });

  test('is added to one of two people who come with it at the same moment', async () => {
    const people = [await site.join(), await site.join()];
    site.other.setNextAccount('shared account', { email: 'shared@example.com', email_verified: true });
    const backs: [TestBrowser, string][] = [];
    for (const { browser } of people)
      backs.push([browser, await browser.visitProvider(await setOut(browser))]);
    const ends = await Promise.all(
      backs.map(async ([browser, back]) =>
        site.resultOf(browser, String((await browser.ask('GET', back)).headers.location)),
      ),
    );
    expect(ends.toSorted()).toEqual([profile, 'sign_in.account_taken']);
  });

  test('is added for somebody with an access token of B2C, and not to whoever else is signed in there', async () => {
    const person = await site.t.join(site.newAddress());
    const browser = site.browser();
    const headers = { authorization: `Bearer ${await site.t.recentTokenOf(person)}` };
    site.other.setNextAccount(`other account of ${person.email}`, {
      email: person.email,
      email_verified: true,
    });
    expect(await comeBack(browser, await setOut(browser, 'other', headers))).toBe(profile);
    // It adds a way in; it is none.
    expect(browser.cookies.has(sessionCookie)).toBe(false);
    await browser.signIn({ way: 'other' });
    expect(await browser.whoAmI()).toBe(person.email);
    expect((await mine(browser)).map(({ way }) => way)).toEqual(['b2c', 'other']);
  });

  test.each([
    ['signed out everywhere', '/api/users/me/sign-out-everywhere', 'sign_in.expired'],
    ['signed out here', '/api/sign-out', 'sign_in.expired'],
  ])('is not added for somebody who was %s meanwhile', async (_what, path, end) => {
    const { id, browser } = await site.join();
    site.other.setNextAccount(`late account of ${id}`, { email: 'late@example.com', email_verified: true });
    const url = await setOut(browser);
    const body = path.includes('everywhere') ? { revokeTokens: false } : {};
    await browser.ask('POST', path, { body });
    expect(await comeBack(browser, url)).toBe(end);
    expect(await logOf(id)).toEqual([]);
  });

  test('is not added for somebody who was disabled or signed out meanwhile, though no session ended', async () => {
    for (const [change, end] of [
      [`status = 'disabled'`, 'person.disabled'],
      ["tokens_valid_after = now() + interval '1 minute'", 'sign_in.expired'],
    ]) {
      const person = await site.t.join(site.newAddress());
      const browser = site.browser();
      site.other.setNextAccount(`account of ${person.id}`, {
        email: 'late@example.com',
        email_verified: true,
      });
      const url = await setOut(browser, 'other', {
        authorization: `Bearer ${await site.t.recentTokenOf(person)}`,
      });
      await site.t.select(`update people set ${change as string} where id = $1`, [person.id]);
      expect(await comeBack(browser, url)).toBe(end);
      expect(await logOf(person.id)).toEqual([]);
    }
  });

  test('is not added for somebody with an access token who signs out everywhere a moment later', async () => {
    const person = await site.t.join(site.newAddress());
    const { id, email } = person;
    const token = await site.t.recentTokenOf(person);
    const browser = site.browser();
    site.other.setNextAccount(`account of ${email}`, { email, email_verified: true });
    const url = await setOut(browser, 'other', { authorization: `Bearer ${token}` });
    await site.t.call(signOutEverywhere, { token, body: { revokeTokens: false } });
    expect(await comeBack(browser, url)).toBe('sign_in.expired');
    expect(await logOf(id)).toEqual([]);
  });

  test('is added in the browser that set out, and in no other (security 55)', async () => {
    const { id, browser } = await site.join();
    site.other.setNextAccount(`account of ${id}`, { email: 'mallory@example.com', email_verified: true });
    const back = await browser.visitProvider(await setOut(browser));
    const other = site.browser();
    expect(await site.resultOf(other, String((await other.ask('GET', back)).headers.location))).toBe(
      'sign_in.expired',
    );
    expect(await logOf(id)).toEqual([]);
  });

  test(`is not added beside ${identitiesMaximum} others, also when they come at once`, async () => {
    const { id, browser } = await site.join();
    await site.t.select(
      `insert into identities (issuer, subject, person_id, way)
       select $2, $1 || ' ' || n, $1::uuid, 'other' from generate_series(1, ${identitiesMaximum - 2}) n`,
      [id, site.other.issuer],
    );
    const backs: string[] = [];
    for (const number of [1, 2]) {
      site.other.setNextAccount(`one more ${number} of ${id}`, { email: 'x@example.com' });
      browser.forgetProvider();
      backs.push(await browser.visitProvider(await setOut(browser)));
    }
    const ends = await Promise.all(
      backs.map(async (back) =>
        site.resultOf(browser, String((await browser.ask('GET', back)).headers.location)),
      ),
    );
    expect(ends.toSorted()).toEqual([profile, 'sign_in.identities_full']);
    const answer = await browser.ask('POST', addIdentity.path, { body: { way: 'other' } });
    expect(codeOf(answer)).toBe('sign_in.identities_full');
  });

  test('at a way that is not led by the server, or is none, is refused', async () => {
    const { browser } = await site.join();
    for (const way of ['b2c', 'nowhere'])
      expect(codeOf(await browser.ask('POST', addIdentity.path, { body: { way } }))).toBe(
        'sign_in.way_unknown',
      );
  });
});

/** Somebody with an account at each of two providers. */
async function joinBoth() {
  const person = await site.join();
  site.other.setNextAccount(`other account of ${person.id}`, { email: person.email, email_verified: true });
  await add(person.browser);
  return { ...person, rows: await mine(person.browser) };
}

test('accounts are added as often in an hour as anything to sign in with is changed; removing is never too often', async () => {
  const { id, browser } = await site.join();
  site.other.setNextAccount(`of ${id}`, { email: 'there@elsewhere.example', email_verified: false });
  await add(browser);
  const [, there] = await mine(browser);
  await site.t.select(`update rate_limits set used = $2 where key = 'changed ways:' || $1`, [
    id,
    signInMethodChangesPerHour,
  ]);
  site.other.setNextAccount(`another of ${id}`, { email: 'more@elsewhere.example', email_verified: false });
  browser.forgetProvider();
  expect(await add(browser)).toBe('identity.too_often');
  expect(await mine(browser)).toHaveLength(2);
  expect((await remove(browser, there?.id as string)).statusCode).toBe(200);
  expect(await mailsOf(id)).toEqual(['identity-added', 'identity-removed']);
});

describe('an account that is removed', () => {
  test('signs nobody in any more and ends its sessions at once; the other goes on', async () => {
    const { id, email, browser, rows } = await joinBoth();
    const elsewhere = site.browser();
    await elsewhere.signIn({ way: 'other' });
    expect((await remove(browser, rows[1]?.id as string)).statusCode).toBe(200);
    expect(await elsewhere.whoAmI()).toBe('sign_in.needed');
    expect(await site.resultOf(elsewhere, await elsewhere.signIn({ way: 'other' }))).toBe(
      'person.not_invited',
    );
    expect(await browser.whoAmI()).toBe(email);
    expect(await mailsOf(id)).toEqual(['identity-added', 'identity-removed']);
    expect((await logOf(id)).at(-1)).toEqual({
      action: 'identity.removed',
      detail: { way: 'other' },
      actor: email,
    });
  });

  test('is not the last one that works: not alone, not of two at the same moment, and none of a closed way stands in', async () => {
    const alone = await site.join();
    const [only] = await mine(alone.browser);
    expect(codeOf(await remove(alone.browser, only?.id as string))).toBe('identity.last_way');

    const { id, browser, rows } = await joinBoth();
    const elsewhere = site.browser();
    await elsewhere.signIn({ way: 'other' });
    const answers = await Promise.all([
      remove(browser, rows[0]?.id as string),
      remove(elsewhere, rows[1]?.id as string),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    await site.t.select(
      `insert into identities (issuer, subject, person_id, way) values ('https://closed.example', $1, $2, 'closed')`,
      [`closed account of ${id}`, id],
    );
    const left = await site.t.select<{ id: string; way: string }>(
      'select id, way from identities where person_id = $1',
      [id],
    );
    const stays = left.find(({ way }) => way !== 'closed');
    const user = stays?.way === 'acme' ? browser : elsewhere;
    expect(await mine(user)).toContainEqual(expect.objectContaining({ way: 'closed', isOpen: false }));
    expect(codeOf(await remove(user, stays?.id as string))).toBe('identity.last_way');
    expect((await remove(user, left.find(({ way }) => way === 'closed')?.id as string)).statusCode).toBe(200);
  });

  test('at the moment in which somebody comes in by it leads to a sentence, and not inside', async () => {
    const { id } = await joinBoth();
    const browser = site.browser();
    const back = await browser.visitProvider(await browser.start({ way: 'other' }));
    const answer = await site.t.database.transaction(async (transaction) => {
      await lockPeople(transaction, [id]);
      const coming = browser.ask('GET', back);
      // Who it is has been found out, and the session waits to be written.
      await waitForLocks(site.t, 1);
      await deleteIdentities(transaction, ['acme'], {
        condition: `person_id = $2 and way = 'other'`,
        values: [id],
      });
      return { coming };
    });
    const path = String((await answer.coming).headers.location);
    expect(await site.resultOf(browser, path)).toBe('sign_in.expired');
    expect(browser.cookies.has(sessionCookie)).toBe(false);
  });

  test('is the caller’s own: that of somebody else is not found', async () => {
    const { rows } = await joinBoth();
    const other = await site.join();
    expect(codeOf(await remove(other.browser, rows[1]?.id as string))).toBe('identity.not_found');
  });
});

test('administrators see the accounts of a person, and nobody else does', async () => {
  const { id, email } = await joinBoth();
  const admin = await site.join('admin');
  const path = listIdentitiesOf.path.replace(':personId', id);
  const { rows } = (await admin.browser.ask('GET', path)).json<{ rows: Identity[] }>();
  expect(rows).toMatchObject([
    { way: 'acme', email, current: false },
    { way: 'other', email, current: false },
  ]);
  const member = await site.join();
  expect(codeOf(await member.browser.ask('GET', path))).toBe('access.admin_needed');
  const unknown = path.replace(id, '00000000-0000-4000-8000-000000000000');
  expect(codeOf(await admin.browser.ask('GET', unknown))).toBe('person.not_found');
});

test('the same person comes in through two providers at once, in two processes', async () => {
  const { email } = await joinBoth();
  const otherProcess = await createTestApp({
    sharedWith: site.t,
    environment: {
      OIDC_PROVIDERS: 'acme,other',
      ...providerEnvironment('acme', site.acme),
      ...providerEnvironment('other', site.other),
    },
  });
  const browsers = [
    [site.browser(), 'acme'],
    [createTestBrowser(otherProcess), 'other'],
  ] as const;
  await Promise.all(browsers.map(([browser, way]) => browser.signIn({ way })));
  for (const [browser] of browsers) expect(await browser.whoAmI()).toBe(email);
  await otherProcess.close();
});
