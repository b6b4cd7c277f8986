/**
 * Sign-in through one OpenID Provider with server sessions (M1 to M4; A1, A7, C2), including its error cases.
 */
import { expect, expectDashboard, goBack, readStorage, type Page } from '../fixtures/site-test.ts';
import { oneProviderTest as test, makeProviderUnavailable } from '../fixtures/oidc-site.ts';
import {
  acceptThenOpenOtherBrowser,
  acmeLabel,
  getProviderLink,
  button,
  signInAsAdministrator,
  invite,
  pauseAtProvider,
} from '../fixtures/oidc-actions.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

const callApi = async (page: Page, path: string) =>
  (await (await page.request.get(path)).json()) as Record<string, unknown>;

test('an invitee reaches the dashboard in one click; the browser loads no B2C library and stores no token (M2, M3, M4)', async ({
  page,
  oidc,
}) => {
  const person = await invite(page, oidc);
  const requested: URL[] = [];
  page.on('request', (request) => requested.push(new URL(request.url())));
  const refused: string[] = [];
  page.on('response', (response) => response.status() === 401 && refused.push(response.url()));
  oidc.isNext(person);
  await page.goto(person.link);
  await expect(page.getByText(`${oidc.administrator.name} invited you to Vestibule.`)).toBeVisible();
  await expect(page.getByText(`This invitation is for ${person.email}.`)).toBeVisible();
  await button(page, acmeLabel).click();
  await expectDashboard(page, person);
  expect(oidc.providers.acme.next.seen.at(-1)?.params).toMatchObject({ login_hint: person.email });

  expect(requested.filter(({ href }) => /msal|provider-client/.test(href))).toEqual([]);
  // The preloaded responses are used; no second request is sent.
  await expect(page.getByText('No files yet.')).toBeVisible();
  for (const preloaded of ['/api/dashboard', '/api/attachments'])
    expect(requested.filter(({ pathname }) => pathname === preloaded)).toHaveLength(1);
  // No failing requests while signed out: browsers log them in the console.
  expect(refused).toEqual([]);
  const { local, session, cookie } = await readStorage(page);
  expect([...local, ...session].filter((name) => /msal|token/i.test(name))).toEqual([]);
  expect(cookie).not.toContain('vestibule');
  const sessionCookie = (await page.context().cookies(oidc.url)).find(
    ({ name }) => name === '__Host-vestibule',
  );
  expect(sessionCookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' });
});

test('two tabs at the provider both sign in and reach their own address; a reopened callback redirects home (C5, M2)', async ({
  page,
  otherBrowser,
  oidc,
}) => {
  const { person, elsewhere } = await acceptThenOpenOtherBrowser(page, otherBrowser, oidc);
  const callbacks: string[] = [];
  elsewhere.on('request', (request) => callbacks.push(...(request.url().match(/.*\/callback\?.*/) ?? [])));
  pauseAtProvider(oidc);
  await elsewhere.goto('/layout/profile?from=mail');
  await expect(getProviderLink(elsewhere)).toBeVisible();
  const tab = await elsewhere.context().newPage();
  await tab.goto('/attachment');
  await expect(getProviderLink(tab)).toBeVisible();
  oidc.providers.acme.next.instead = null;
  await getProviderLink(elsewhere).click();
  await elsewhere.waitForURL('**/layout/profile?from=mail');
  await expect(elsewhere.getByRole('heading', { level: 1 })).toHaveText('Profile');
  await getProviderLink(tab).click();
  await expect(tab.getByRole('heading', { level: 1 })).toHaveText('Attachments');

  const again = await elsewhere.context().newPage();
  await again.goto(callbacks[0] as string);
  // The second tab's sign-in replaced the session of the first.
  await expectDashboard(again, person);
});

test('a sign-in refused by the provider shows an error with a next step, and Back causes no loop (E3, M2)', async ({
  page,
  oidc,
}) => {
  const person = await invite(page, oidc);
  const dialog = page.getByRole('dialog', { name: 'You are not signed in' });
  // The server redirects to this page after a failed sign-in. The page does not start a new sign-in.
  await page.goto('/login?sign-in=problem');
  await expect(dialog).toContainText('The server did not respond.');
  await expect(button(page, 'Sign in again')).toBeVisible();

  oidc.isNext(person);
  oidc.providers.acme.next.error = 'access_denied';
  await page.goto(person.link);
  await button(page, acmeLabel).click();
  await expect(dialog).toContainText('Acme');
  expect(await dialog.textContent()).not.toMatch(/\{|undefined|null/);
  oidc.providers.acme.next.error = null;
  await goBack(page);
  await expect(button(page, acmeLabel)).toBeVisible();
  makeProviderUnavailable(oidc, /^\/token/);
  await button(page, acmeLabel).click();
  await expect(dialog).toContainText('Acme cannot be reached right now. Try again in a minute.');
  oidc.providers.acme.next.instead = null;
  await button(page, 'Back to the invitation').click();
  await button(page, acmeLabel).click();
  await expectDashboard(page, person);
  // An existing session is not affected.
  await page.goto('/login?sign-in=problem');
  await expect(page.getByRole('dialog', { name: 'Not confirmed' })).toContainText(
    'The server did not respond.',
  );
  await button(page, 'Back').click();
  await expectDashboard(page, person);
});

test('administrators see the status of a sign-in method and set session lifetime and domain rules (M1, M3)', async ({
  page,
  otherBrowser,
  oidc,
}) => {
  await signInAsAdministrator(page, oidc);
  await page.goto('/layout/settings/sign-in');
  const section = page
    .locator('.card')
    .filter({ has: page.getByRole('heading', { name: 'Sign-in', exact: true }) });
  await expect(section.getByText(/^Last sign-in: /)).toBeVisible();
  await section.getByLabel('Sign out when idle (hours)').fill('0');
  await section.getByLabel('Domains').fill('example.com');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(section.locator('[aria-invalid="true"]')).toHaveCount(2);
  await section.getByLabel('Sign out when idle (hours)').fill('8');
  await section.getByLabel('Domains').fill('example.com acme open');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Done: Saved.')).toBeVisible();
  const { sessionIdleHours, signInDomains } = await callApi(page, '/api/settings');
  expect([sessionIdleHours, signInDomains]).toMatchObject([
    { value: 8 },
    { value: ['example.com acme open'] },
  ]);
  const newcomer = createPerson('Nora Newcomer');
  const inside = await otherBrowser();
  oidc.isNext(newcomer);
  await inside.goto('/');
  await expectDashboard(inside, newcomer);
  expect(await callApi(inside, '/api/users/me')).toMatchObject({ IsAdmin: false });
  const outside = await otherBrowser();
  oidc.isNext({ ...createPerson('Sam Stranger'), email: 'sam@elsewhere.example' });
  await outside.goto('/');
  const refusal = outside.getByRole('dialog', { name: 'You are not signed in' });
  await expect(refusal).toContainText(/invit/);
  oidc.isNext(newcomer);
  await refusal.getByRole('button', { name: 'Sign in again' }).click();
  await expectDashboard(outside, newcomer);
  // Other tests of this site expect that unknown users are refused.
  await section.getByRole('button', { name: 'Reset to none: Domains' }).click();
  await expect
    .poll(async () => (await callApi(page, '/api/settings'))['signInDomains'])
    .toMatchObject({ value: [] });

  await page.goto('/layout/settings/provider');
  await page.getByRole('button', { name: 'Check the provider' }).click();
  await expect(page.getByText('Acme, back-channel logout:')).toBeVisible();
  await expect(page.getByText(`${oidc.url}/auth/acme/backchannel-logout`)).toBeVisible();
});
