/** Several identities of one person (statement M5; security 64). */
import { lockPeople } from '../../people/people-store.ts';
import {
  addIdentity,
  listIdentities,
  listIdentitiesOf,
  removeIdentity,
  type Identity,
} from '@vestibule/contract/sign-in/identities';
import { identitiesMaximum, signInMethodChangesPerHour } from '@vestibule/contract/rules/limits';
import { describe, expect, test } from 'vitest';
import type { TestBrowser } from '../../../test/sign-in/test-browser.ts';
import { setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { waitForLocks } from '../../../test/database/test-faults.ts';
import { deleteIdentities } from './identity-store.ts';
import { sessionCookie } from '../sessions/sessions.ts';

const site = await setUpOidcSite();

const profile = '/layout/profile?back=added';
const codeOf = (response: { json: () => unknown }) => (response.json() as { code?: string }).code;
const identitiesOf = async (browser: TestBrowser) =>
  (await browser.ask('GET', listIdentities.path)).json<{ rows: Identity[] }>().rows;

/** Starts adding an account. Returns the provider's URL. */
async function startAdding(browser: TestBrowser, method = 'other', headers = {}): Promise<string> {
  const response = await browser.ask('POST', addIdentity.path, {
    body: { way: method, returnTo: profile },
    headers,
  });
  if (response.statusCode !== 200) throw new Error(response.payload);
  return response.json<{ url: string }>().url;
}
const finishAdding = async (browser: TestBrowser, url: string) =>
  site.resultOf(browser, await browser.finish(url));
const add = async (browser: TestBrowser, method = 'other') =>
  finishAdding(browser, await startAdding(browser, method));
const remove = (browser: TestBrowser, id: string) =>
  browser.ask('DELETE', removeIdentity.path.replace(':identityId', id));

const mailsOf = (id: string) =>
  site.t.scalars<string>`
      select data->>'template' as template from jobs.job where name = 'mail' and data->>'subjectId' like ${id} || ' %'
      order by created_on`;
const logOf = (id: string) => site.t.auditOf(id, 'identity.');

describe('adding an identity', () => {
  test('signing in at another provider adds that account once; both accounts sign in the same person', async () => {
    const { id, email, browser } = await site.join();
    site.other.setNextAccount('ann there', { email: 'ann@elsewhere.example', email_verified: false });
    site.other.next.seen.length = 0;
    expect(await add(browser)).toBe(profile);
    // The provider has a session and must still authenticate the user again.
    expect(site.other.next.seen.at(-1)?.params).toMatchObject({ prompt: 'login' });
    expect(await identitiesOf(browser)).toMatchObject([
      { way: 'acme', wayName: 'Acme', isOpen: true, email, current: true },
      { way: 'other', wayName: 'Other', isOpen: true, email: 'ann@elsewhere.example', current: false },
    ]);
    const elsewhere = site.browser();
    await elsewhere.signIn({ way: 'other' });
    expect(await elsewhere.whoAmI()).toBe(email);
    expect((await identitiesOf(elsewhere)).map(({ current }) => current)).toEqual([false, true]);
    expect(await mailsOf(id)).toEqual(['identity-added']);
    expect(await logOf(id)).toMatchObject([
      {
        action: 'identity.added',
        detail: { way: 'other', account: 'ann@elsewhere.example' },
        actor_label: email,
      },
    ]);
    expect(await add(browser)).toBe(profile);
    expect(await identitiesOf(browser)).toHaveLength(2);
    expect(await mailsOf(id)).toHaveLength(1);
  });

  test('an account of another person is not added, and both people stay signed in as themselves', async () => {
    const { email, browser } = await site.join();
    const owner = await site.join('member', { provider: site.other, way: 'other' });
    expect(await add(browser)).toBe('sign_in.account_taken');
    expect(await identitiesOf(browser)).toHaveLength(1);
    expect(await browser.whoAmI()).toBe(email);
    expect(await owner.browser.whoAmI()).toBe(owner.email);
  });

  test('a caller with a B2C access token adds an account and gets no session', async () => {
    const person = await site.t.join(site.newAddress());
    const browser = site.browser();
    const headers = { authorization: `Bearer ${await site.t.recentTokenOf(person)}` };
    site.other.setNextAccount(`other account of ${person.email}`, {
      email: person.email,
      email_verified: true,
    });
    expect(await finishAdding(browser, await startAdding(browser, 'other', headers))).toBe(profile);
    expect(browser.cookies.has(sessionCookie)).toBe(false);
    await browser.signIn({ way: 'other' });
    expect(await browser.whoAmI()).toBe(person.email);
    expect((await identitiesOf(browser)).map(({ way }) => way)).toEqual(['b2c', 'other']);
  });

  test.each([
    ['signed out everywhere', '/api/users/me/sign-out-everywhere', 'sign_in.expired'],
    ['signed out in this browser', '/api/sign-out', 'sign_in.expired'],
  ])('an account is not added after the person %s', async (_what, path, end) => {
    const { id, browser } = await site.join();
    site.other.setNextAccount(`late account of ${id}`, { email: 'late@example.com', email_verified: true });
    const url = await startAdding(browser);
    const body = path.includes('everywhere') ? { revokeTokens: false } : {};
    await browser.ask('POST', path, { body });
    expect(await finishAdding(browser, url)).toBe(end);
    expect(await logOf(id)).toEqual([]);
  });

  test('an account is not added for a caller with an access token after the person was disabled or signed out everywhere', async () => {
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
      const url = await startAdding(browser, 'other', {
        authorization: `Bearer ${await site.t.recentTokenOf(person)}`,
      });
      await site.t.select(`update people set ${change as string} where id = $1`, [person.id]);
      expect(await finishAdding(browser, url)).toBe(end);
      expect(await logOf(person.id)).toEqual([]);
    }
  });

  test('an account is not added by a callback in another browser (security 55)', async () => {
    const { id, browser } = await site.join();
    site.other.setNextAccount(`account of ${id}`, { email: 'mallory@example.com', email_verified: true });
    const back = await browser.visitProvider(await startAdding(browser));
    const other = site.browser();
    expect(await site.resultOf(other, String((await other.ask('GET', back)).headers.location))).toBe(
      'sign_in.expired',
    );
    expect(await logOf(id)).toEqual([]);
  });

  test(`a person has at most ${identitiesMaximum} identities`, async () => {
    const { id, browser } = await site.join();
    site.other.setNextAccount(`one more of ${id}`, { email: 'x@example.com' });
    const url = await startAdding(browser);
    await site.t.select(
      `insert into identities (issuer, subject, person_id, way)
       select $2, $1 || ' ' || n, $1::uuid, 'other' from generate_series(1, ${identitiesMaximum - 1}) n`,
      [id, site.other.issuer],
    );
    expect(await finishAdding(browser, url)).toBe('sign_in.identities_full');
    const response = await browser.ask('POST', addIdentity.path, { body: { way: 'other' } });
    expect(codeOf(response)).toBe('sign_in.identities_full');
  });

  test('B2C and unknown methods are refused', async () => {
    const { browser } = await site.join();
    for (const methodId of ['b2c', 'nowhere'])
      expect(codeOf(await browser.ask('POST', addIdentity.path, { body: { way: methodId } }))).toBe(
        'sign_in.way_unknown',
      );
  });
});

/** Creates a person with an account at each of two providers. */
async function joinWithTwoIdentities() {
  const person = await site.join();
  site.other.setNextAccount(`other account of ${person.id}`, { email: person.email, email_verified: true });
  await add(person.browser);
  return { ...person, rows: await identitiesOf(person.browser) };
}

test('adding an identity counts towards the hourly limit for sign-in methods; removing one does not', async () => {
  const { id, browser } = await site.join();
  site.other.setNextAccount(`of ${id}`, { email: 'there@elsewhere.example', email_verified: false });
  await add(browser);
  const [, secondIdentity] = await identitiesOf(browser);
  await site.t.select`
    update rate_limits set used = ${signInMethodChangesPerHour} where key = 'changed ways:' || ${id}`;
  site.other.setNextAccount(`another of ${id}`, { email: 'more@elsewhere.example', email_verified: false });
  browser.forgetProvider();
  expect(await add(browser)).toBe('identity.too_often');
  expect(await identitiesOf(browser)).toHaveLength(2);
  expect((await remove(browser, secondIdentity?.id as string)).statusCode).toBe(200);
  expect(await mailsOf(id)).toEqual(['identity-added', 'identity-removed']);
});

describe('removing an identity', () => {
  test('a removed identity cannot sign in and its sessions end at once; the other identity’s session stays', async () => {
    const { id, email, browser, rows } = await joinWithTwoIdentities();
    const elsewhere = site.browser();
    await elsewhere.signIn({ way: 'other' });
    expect((await remove(browser, rows[1]?.id as string)).statusCode).toBe(200);
    expect(await elsewhere.whoAmI()).toBe('sign_in.needed');
    expect(await site.resultOf(elsewhere, await elsewhere.signIn({ way: 'other' }))).toBe(
      'person.account_replaced',
    );
    expect(await browser.whoAmI()).toBe(email);
    expect(await mailsOf(id)).toEqual(['identity-added', 'identity-removed']);
    expect((await logOf(id)).at(-1)).toMatchObject({
      action: 'identity.removed',
      detail: { way: 'other' },
      actor_label: email,
    });
  });

  test('the last identity of an enabled method cannot be removed, not even by concurrent requests', async () => {
    const single = await site.join();
    const [only] = await identitiesOf(single.browser);
    expect(codeOf(await remove(single.browser, only?.id as string))).toBe('identity.last_way');

    const { id, browser, rows } = await joinWithTwoIdentities();
    const elsewhere = site.browser();
    await elsewhere.signIn({ way: 'other' });
    const responses = await Promise.all([
      remove(browser, rows[0]?.id as string),
      remove(elsewhere, rows[1]?.id as string),
    ]);
    expect(responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    await site.t.select`
      insert into identities (issuer, subject, person_id, way)
      values ('https://closed.example', ${`closed account of ${id}`}, ${id}, 'closed')`;
    const remainingIdentities = await site.t.select<{ id: string; way: string }>`
      select id, way from identities where person_id = ${id}`;
    const remaining = remainingIdentities.find(({ way }) => way !== 'closed');
    const user = remaining?.way === 'acme' ? browser : elsewhere;
    expect(await identitiesOf(user)).toContainEqual(
      expect.objectContaining({ way: 'closed', isOpen: false }),
    );
    expect(codeOf(await remove(user, remaining?.id as string))).toBe('identity.last_way');
    expect(
      (await remove(user, remainingIdentities.find(({ way }) => way === 'closed')?.id as string)).statusCode,
    ).toBe(200);
  });

  test('a sign-in with an identity that is removed concurrently is refused', async () => {
    const { id } = await joinWithTwoIdentities();
    const browser = site.browser();
    const back = await browser.visitProvider(await browser.start({ way: 'other' }));
    const response = await site.t.database.transaction(async (transaction) => {
      await lockPeople(transaction, [id]);
      const callback = browser.ask('GET', back);
      // The callback has found the person and waits to insert the session.
      await waitForLocks(site.t, 1);
      await deleteIdentities(transaction, ['acme'], {
        condition: `person_id = $1 and way = 'other'`,
        values: [id],
      });
      return { callback };
    });
    const path = String((await response.callback).headers.location);
    expect(await site.resultOf(browser, path)).toBe('sign_in.expired');
    expect(browser.cookies.has(sessionCookie)).toBe(false);
  });

  test('another person’s identity is not found', async () => {
    const { rows } = await joinWithTwoIdentities();
    const other = await site.join();
    expect(codeOf(await remove(other.browser, rows[1]?.id as string))).toBe('identity.not_found');
  });
});

test('only administrators see the identities of another person', async () => {
  const { id, email } = await joinWithTwoIdentities();
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
