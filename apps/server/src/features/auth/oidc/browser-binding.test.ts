/** A pending sign-in is bound to its browser by a cookie's value, not by its name (security 55). */
import { verifyEmail, resendVerificationCode } from '@vestibule/contract/sign-in';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestOidcSite, type TestOidcSite } from '../../../test/test-oidc-site.ts';
import { sessionCookie } from '../sessions/sessions.ts';

let site: TestOidcSite;
beforeAll(async () => {
  site = await createTestOidcSite({ environment: { OIDC_ACME_EMAIL: 'ask' } });
});
beforeEach(() => Object.assign(site.acme.next, { error: null }));
afterAll(() => site.close());

type Browser = ReturnType<TestOidcSite['browser']>;

/** Returns a browser with the cookie names of `other`, and wrong values. */
function withWrongCookies(other: Browser): Browser {
  const browser = site.browser();
  for (const name of other.cookies.keys())
    if (name.startsWith('__Host-vestibule-in-')) browser.cookies.set(name, 'A'.repeat(43));
  expect(browser.cookies.size).toBeGreaterThan(0);
  return browser;
}
const attemptOf = (path: string) => new URL(path, 'https://portal.example.com').searchParams.get('attempt');

test('a callback with a wrong cookie value is refused, and the browser that started the sign-in can still finish it', async () => {
  const { sub, email, browser: theirs } = await site.join();
  site.acme.next.sub = sub;
  const back = await theirs.visitProvider(await theirs.start({ way: 'acme' }));
  const mine = withWrongCookies(theirs);
  const end = String((await mine.ask('GET', back)).headers.location);
  expect(await mine.outcome(end)).toMatchObject({ code: 'sign_in.expired' });
  expect(mine.cookies.has(sessionCookie)).toBe(false);
  theirs.cookies.delete(sessionCookie);
  expect((await theirs.ask('GET', back)).headers.location).toBe('/layout/dashboard');
  expect(await theirs.whoAmI()).toBe(email);
});

test('a browser with a wrong cookie value cannot read, enter or resend a code', async () => {
  const { code: invitation } = await site.t.invitationTo(site.newAddress());
  site.acme.setNextAccount('waits for a code', {});
  const theirs = site.browser();
  const end = await theirs.signIn({ way: 'acme', invitation });
  const attempt = attemptOf(end);
  expect(await theirs.outcome(end)).toMatchObject({ kind: 'proof' });
  const mine = withWrongCookies(theirs);
  expect(await mine.outcome(end)).toMatchObject({ code: 'sign_in.expired' });
  for (const [path, body] of [
    [verifyEmail.path, { attempt, code: '000000' }],
    [resendVerificationCode.path, { attempt }],
  ] as const)
    expect((await mine.ask('POST', path, { body })).json()).toMatchObject({ code: 'sign_in.expired' });
});
