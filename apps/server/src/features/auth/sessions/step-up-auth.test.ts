/** Routes that require recent authentication, and re-authentication at the provider (statement M5; security 64). */
import { recentAuthMinutes } from '@vestibule/contract/rules/limits';
import { changeInvitationAddress } from '@vestibule/contract/invitations';
import { createBatch } from '@vestibule/contract/invitations/batches';
import { confirmSignIn } from '@vestibule/contract/sign-in/sessions';
import { createToken } from '@vestibule/contract/profile/tokens';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TestBrowser } from '../../../test/sign-in/test-browser.ts';
import { homePath, setUpOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { contractRoutes } from '../../../test/test-routes.ts';
import { sessionCookie } from './sessions.ts';

const site = await setUpOidcSite();

const setAuthenticatedMinutesAgo = (id: string, minutes: number) =>
  site.t.select('update sessions set created_at = $2, authenticated_at = $2 where person_id = $1', [
    id,
    new Date(site.t.clock.now() - minutes * 60_000),
  ]);
const codeOf = (response: { json: () => unknown }) => (response.json() as { code?: string }).code;
const newToken = { name: 'Reports', scopes: ['people:read'], days: 30 };
const makeToken = (browser: TestBrowser) => browser.ask('POST', createToken.path, { body: newToken });

async function confirm(browser: TestBrowser, body: object = {}): Promise<string> {
  const response = await browser.ask('POST', confirmSignIn.path, { body });
  if (response.statusCode !== 200) return codeOf(response) as string;
  const { url } = response.json<{ url: string }>();
  // `max_age` requests reauthentication from providers that do not support the prompt `login` (OpenID Connect Core,
  // section 3.1.2.1).
  expect(new URL(url).searchParams.get('max_age')).toBe('0');
  return browser.finish(url);
}

/** Times in seconds, relative to now. */
function forgeTimes(times: { iat: number; auth_time: number }): void {
  const now = Math.floor(Date.now() / 1000);
  site.acme.forgeIdToken((claims) => ({
    ...claims,
    iat: now + times.iat,
    auth_time: now + times.auth_time,
  }));
}

/** By path, or by method and path. */
const bodies: Record<string, { protectedBody: object; unprotectedBody?: object }> = {
  '/api/people/:personId/role': { protectedBody: { role: 'admin' }, unprotectedBody: { role: 'member' } },
  '/api/people/actions': {
    protectedBody: { action: 'makeAdmin', selection: { ids: ['00000000-0000-4000-8000-000000000000'] } },
    unprotectedBody: { action: 'makeMember', selection: { ids: ['00000000-0000-4000-8000-000000000000'] } },
  },
  '/api/invitations': {
    protectedBody: { email: 'boss@example.com', role: 'admin' },
    unprotectedBody: { email: 'ann@example.com', role: 'member' },
  },
  '/api/invitations/batches': {
    protectedBody: {
      rows: [{ email: 'ann@example.com' }, { email: 'boss@example.com', role: ' Administrator ' }],
    },
    unprotectedBody: { rows: [{ email: 'ann@example.com', role: 'member' }], role: 'admin' },
  },
  '/api/users/me/identities': { protectedBody: { way: 'other' } },
  '/api/tokens': { protectedBody: newToken },
  '/api/users/me/passkeys': {
    protectedBody: {
      attempt: 'none',
      response: {
        id: 'AAAA',
        rawId: 'AAAA',
        type: 'public-key',
        response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' },
      },
    },
  },
  'PATCH /api/people/:personId': {
    protectedBody: { email: 'new@example.com' },
    unprotectedBody: { displayName: 'Ann' },
  },
  '/api/removed-people/erase': { protectedBody: { email: 'unknown@example.com' } },
  '/api/webhooks': {
    protectedBody: { url: 'https://192.0.2.1/', description: '', events: ['person.joined'] },
  },
  '/api/webhooks/:webhookId': {
    protectedBody: { events: ['person.joined'] },
    unprotectedBody: { isOn: false },
  },
  '/api/webhooks/:webhookId/rotate-secret': { protectedBody: {} },
  'PUT /api/organizations/:organizationId/connection': {
    protectedBody: { issuer: 'https://login.example.com', clientId: 'id', secret: 'secret' },
  },
  '/api/users/me/organizations/:slug/recover': { protectedBody: { code: 'none' } },
  '/api/organizations/:organizationId/tokens': {
    protectedBody: { name: 'Script', permissions: ['members.read'], days: 7 },
  },
  '/api/organizations/:organizationId/webhooks': {
    protectedBody: { url: 'https://192.0.2.1/', description: '', events: ['person.joined'] },
  },
  '/api/organizations/:organizationId/webhooks/:webhookId': {
    protectedBody: { events: ['person.joined'] },
    unprotectedBody: { isOn: false },
  },
  '/api/organizations/:organizationId/webhooks/:webhookId/rotate-secret': { protectedBody: {} },
  '/api/directory': {
    protectedBody: { onCreate: 'admit' },
    unprotectedBody: { isOn: false, onCreate: 'invite' },
  },
  '/api/directory/token': { protectedBody: {} },
  '/api/directory/groups/:groupId': {
    protectedBody: { givesAdministrator: true },
    unprotectedBody: { givesAdministrator: false },
  },
};
const recentAuthRoutes = contractRoutes.filter(({ requiresRecentAuth }) => requiresRecentAuth !== undefined);

test('the contract requires recent authentication for all routes listed here', () => {
  const paths: string[] = recentAuthRoutes.flatMap(({ method, path }) => [path, `${method} ${path}`]);
  expect(paths).toEqual(expect.arrayContaining(Object.keys(bodies)));
});

const routes = recentAuthRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);
/** Id of an organization, and of objects that do not exist. */
const anyId = '00000000-0000-4000-8000-000000000000';
const urlOf = (path: string) => path.replaceAll(/:\w+/g, anyId);
beforeEach(
  () =>
    site.t.select`
    insert into organizations (id, name, slug, created_at) values (${anyId}, 'Acme', 'acme', now()) on conflict do nothing`,
);

test.each(routes)('%s requires an authentication less than ten minutes ago', async (_name, route) => {
  const { protectedBody = {}, unprotectedBody } =
    bodies[`${route.method} ${route.path}`] ?? bodies[route.path] ?? {};
  const { id, browser } = await site.join('admin');
  const isRefused = async (body: object) => {
    const request = route.method === 'DELETE' ? {} : { body, headers: { 'idempotency-key': 'any' } };
    const response = await browser.ask(route.method, urlOf(route.path), request);
    return codeOf(response) === 'sign_in.not_fresh';
  };
  await setAuthenticatedMinutesAgo(id, recentAuthMinutes);
  expect(await isRefused(protectedBody)).toBe(true);
  // Requests that only reduce access need no recent authentication.
  expect(await isRefused(unprotectedBody ?? protectedBody)).toBe(unprotectedBody === undefined);
  await setAuthenticatedMinutesAgo(id, recentAuthMinutes - 1);
  expect(await isRefused(protectedBody)).toBe(false);
});

describe('with an access token of B2C', () => {
  const signedInMinutesAgo = async (minutes: number | null) => {
    const { subject } = await site.t.join(site.newAddress(), 'admin');
    const now = Math.floor(site.t.clock.now() / 1000);
    return site.t.mint({ sub: subject, ...(minutes !== null && { auth_time: now - minutes * 60 }) });
  };

  test.each(routes)(
    '%s requires recent authentication only if it adds a sign-in method; without auth_time it is refused (M8)',
    async (_name, { method, path, addsSignInMethod }) => {
      const refusal = async (minutes: number | null) => {
        const response = await site.t.app.inject({
          method,
          url: urlOf(path),
          headers: {
            authorization: `Bearer ${await signedInMinutesAgo(minutes)}`,
            'idempotency-key': 'any',
          },
          ...(method !== 'DELETE' && { payload: bodies[path]?.protectedBody ?? {} }),
        });
        const code = codeOf(response) ?? '';
        return /^sign_in\.(?:not_fresh|time_unknown)$/.test(code) ? code : null;
      };
      expect(await refusal(recentAuthMinutes)).toBe(addsSignInMethod ? 'sign_in.not_fresh' : null);
      // Another sign-in would not help, so the error code differs.
      expect(await refusal(null)).toBe(addsSignInMethod ? 'sign_in.time_unknown' : null);
      expect(await refusal(recentAuthMinutes - 1)).toBe(null);
    },
  );

  test('addsSignInMethod is set for exactly the routes that add an identity or a passkey', () => {
    expect(
      recentAuthRoutes.filter(({ addsSignInMethod }) => addsSignInMethod).map(({ path }) => path),
    ).toEqual(['/api/users/me/identities', '/api/users/me/passkeys/options', '/api/users/me/passkeys']);
  });
});

test("changing the address of an administrator's invitation and creating a batch for administrators require recent authentication", async () => {
  const { id, browser } = await site.join('admin');
  const changeAddress = async (role: 'admin' | 'member') => {
    const invitation = await site.t.invitationTo(site.newAddress(), { role });
    const url = changeInvitationAddress.path.replace(':invitationId', invitation.id);
    return browser.ask('POST', url, { body: { email: site.newAddress() } });
  };
  await setAuthenticatedMinutesAgo(id, recentAuthMinutes);
  expect(codeOf(await changeAddress('admin'))).toBe('sign_in.not_fresh');
  expect((await changeAddress('member')).statusCode).toBe(200);
  const list = { rows: [{ email: site.newAddress() }], role: 'admin' };
  const headers = { 'idempotency-key': 'administrators' };
  expect(codeOf(await browser.ask('POST', createBatch.path, { body: list, headers }))).toBe(
    'sign_in.not_fresh',
  );
  await setAuthenticatedMinutesAgo(id, recentAuthMinutes - 1);
  expect((await changeAddress('admin')).statusCode).toBe(200);
});

test('confirming replaces the session and returns to the same page', async () => {
  const { id, email, browser } = await site.join('admin');
  await setAuthenticatedMinutesAgo(id, 60);
  expect(codeOf(await makeToken(browser))).toBe('sign_in.not_fresh');
  const before = browser.cookies.get(sessionCookie) as string;
  site.acme.next.seen.length = 0;
  expect(await confirm(browser, { returnTo: '/settings/tokens' })).toBe('/settings/tokens');
  // The provider asked for credentials despite its own session, with the address filled in.
  expect(site.acme.next.seen.map(({ prompt }) => prompt)).toContain('login');
  expect(site.acme.next.seen.at(-1)?.params).toMatchObject({ prompt: 'login', login_hint: email });
  expect((await makeToken(browser)).statusCode).toBe(200);
  const stolen = site.browser();
  stolen.cookies.set(sessionCookie, before);
  expect(await stolen.whoAmI()).toBe('sign_in.needed');
  expect(await site.t.select`select from sessions where person_id = ${id}`).toHaveLength(1);
});

test.each([
  ['an hour ago', { iat: 0, auth_time: -3_600 }, 'sign_in.not_fresh'],
  ['far in the past', { iat: 1e13, auth_time: 0 }, 'sign_in.not_fresh'],
  ['just now', { iat: 0, auth_time: 0 }, undefined],
  ['just now by a clock four minutes behind', { iat: -240, auth_time: -241 }, undefined],
  ['a minute ago by a clock four minutes ahead', { iat: 240, auth_time: 180 }, undefined],
])('the auth_time of the provider decides whether a sign-in is recent: %s', async (_when, times, refusal) => {
  const { browser } = await site.join('admin');
  forgeTimes(times);
  // The provider has a session and signs the user in without asking for credentials.
  expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
  expect(codeOf(await makeToken(browser))).toBe(refusal);
  site.acme.next.rewrite = null;
  expect(await confirm(browser)).toBe(homePath);
  expect((await makeToken(browser)).statusCode).toBe(200);
});

test('a sign-in without auth_time is not recent, unless mail is unavailable', async () => {
  const { browser } = await site.join('admin');
  site.acme.forgeIdToken((claims) => ({ ...claims, auth_time: undefined }));
  expect(await browser.signIn({ way: 'acme' })).toBe(homePath);
  expect(codeOf(await makeToken(browser))).toBe('sign_in.not_fresh');
  await site.withoutMail(() => browser.signIn({ way: 'acme' }));
  expect((await makeToken(browser)).statusCode).toBe(200);
});

test("a user cannot confirm an action with another person's account; the error names the expected account, and the session remains", async () => {
  const { id, email, browser } = await site.join('admin');
  const other = await site.join();
  await setAuthenticatedMinutesAgo(id, 60);
  for (const sub of [other.sub, 'an unknown account']) {
    site.acme.setNextAccount(sub, { email: other.email, email_verified: true });
    browser.forgetProvider();
    const end = await confirm(browser, { returnTo: '/settings/tokens' });
    expect(await browser.outcome(end)).toMatchObject({
      code: 'sign_in.somebody_else',
      purpose: 'confirm',
      returnTo: '/settings/tokens',
      values: { email, provider: 'Acme' },
    });
    expect(await browser.whoAmI()).toBe(email);
    expect(codeOf(await makeToken(browser))).toBe('sign_in.not_fresh');
  }
});

test.each([
  ['an hour ago', { iat: 0, auth_time: -3_600 }, 'sign_in.not_asked_again'],
  ['just now by a clock five minutes behind', { iat: -300, auth_time: -301 }, homePath],
  ['just now by a clock five minutes ahead', { iat: 300, auth_time: 299 }, homePath],
])('confirming with an auth_time of %s results in %s', async (_when, times, end) => {
  const { browser } = await site.join();
  forgeTimes(times);
  expect(await site.resultOf(browser, await confirm(browser))).toBe(end);
});

test('a sign-in at a provider that returns no auth_time is confirmed by a mailed code', async () => {
  const { id, email, browser } = await site.join('admin');
  await setAuthenticatedMinutesAgo(id, 60);
  site.acme.forgeIdToken((claims) => ({ ...claims, auth_time: undefined }));
  const end = await confirm(browser, { returnTo: '/settings/tokens' });
  expect(await browser.outcome(end)).toMatchObject({ kind: 'proof', purpose: 'confirm' });
  expect(codeOf(await makeToken(browser))).toBe('sign_in.not_fresh');
  const attempt = browser.attemptOf(end);
  const mail = await site.t.signInMailOf(attempt);
  expect(mail?.to.address).toBe(email);
  expect(mail?.text).toContain('You are confirming at Vestibule that it is you.');
  const before = browser.cookies.get(sessionCookie) as string;
  const code = (await site.t.signInCodeOf(attempt)) as string;
  expect(await browser.enterCode(attempt, code)).toBe('/settings/tokens');
  expect((await makeToken(browser)).statusCode).toBe(200);
  const previous = site.browser();
  previous.cookies.set(sessionCookie, before);
  expect(await previous.whoAmI()).toBe('sign_in.needed');
});

test('at most twenty confirmation codes an hour are mailed to a person, independently of other mails', async () => {
  const { id, browser } = await site.join();
  site.acme.forgeIdToken((claims) => ({ ...claims, auth_time: undefined }));
  const until = new Date(site.t.clock.now() + 3_600_000);
  const count = (limit: string, used: number) =>
    site.t.select`
      insert into rate_limits (key, used, ends_at) values (${`${limit}:${id}`}, ${used}, ${until})`;
  await count('mailed proof', 6);
  await count('mailed confirmation', 19);
  expect(await site.resultOf(browser, await confirm(browser))).toBe('proof');
  expect(await site.resultOf(browser, await confirm(browser))).toBe('sign_in.codes_asked');
});

test('confirming without auth_time and without a mail server fails with an explanation', async () => {
  const { browser } = await site.join();
  site.acme.forgeIdToken((claims) => ({ ...claims, auth_time: undefined }));
  expect(await site.resultOf(browser, await site.withoutMail(() => confirm(browser)))).toBe(
    'sign_in.asking_unknown',
  );
});

test('a pending confirmation ends with its session', async () => {
  const { browser } = await site.join();
  const { url } = (await browser.ask('POST', confirmSignIn.path, { body: {} })).json<{ url: string }>();
  await browser.ask('POST', '/api/users/me/sign-out-everywhere', { body: { revokeTokens: false } });
  const end = await browser.finish(url);
  expect(await site.resultOf(browser, end)).toBe('sign_in.expired');
  expect(await browser.whoAmI()).toBe('sign_in.needed');
});

test('a user cannot confirm an action with a sign-in method that they do not have or that has no OpenID Connect client', async () => {
  const { browser } = await site.join();
  expect(await confirm(browser, { way: 'other' })).toBe('sign_in.way_unknown');
  const inB2c = await site.t.join(site.newAddress());
  const response = await site.t.callAs(inB2c, confirmSignIn, { body: {} });
  expect(response.body).toMatchObject({ code: 'sign_in.cannot_confirm' });
});
