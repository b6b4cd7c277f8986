/**
 * Server sessions of users who signed in through an OpenID Provider (M3, M6): sign-out, and sessions ended by
 * the provider or an administrator.
 */
import { expect, expectDashboard, openPersonMenu } from '../fixtures/site-test.ts';
import { oneProviderTest as test } from '../fixtures/oidc-site.ts';
import {
  acceptInvitation,
  acceptThenOpenOtherBrowser,
  acmeLabel,
  button,
  invite,
} from '../fixtures/oidc-actions.ts';

test('signing out ends the session here and at the provider in every tab, and starts no new sign-in (M3, C10)', async ({
  page,
  oidc,
  expectConsole,
}) => {
  expectConsole(/ERR_FAILED .*sign-out/, 'signing out does not reach the server');
  const person = await invite(page, oidc);
  await page.route('**/api/sign-out', (route) => route.abort(), { times: 1 });
  await acceptInvitation(page, oidc, person);
  const tab = await page.context().newPage();
  await tab.goto('/layout/profile');
  await expect(tab.getByRole('heading', { level: 1 })).toHaveText('Profile');
  await openPersonMenu(page);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  // The server is unreachable: the user stays signed in and nothing is cleared.
  await expect(page.getByText('The server could not be reached.')).toBeVisible();
  await tab.reload();
  await expect(tab.getByRole('heading', { level: 1 })).toHaveText('Profile');
  await button(page, 'Try again').click();
  await page.waitForURL(`${oidc.providers.acme.issuer}/**`);
  await page.getByRole('button', { name: /sign me out/i }).click();
  for (const one of [page, tab]) {
    await expect(one.getByText('You are signed out.')).toBeVisible();
    expect(new URL(one.url()).pathname).toBe('/');
  }
  await button(page, acmeLabel).click();
  await expectDashboard(page, person);
  expect(oidc.providers.acme.next.seen.map(({ prompt }) => prompt)).toContain('select_account');
});

test('a user sees their sessions and ends another one; a sign-out at the provider ends it here (M3, M6)', async ({
  page,
  otherBrowser,
  oidc,
}) => {
  const { elsewhere } = await acceptThenOpenOtherBrowser(page, otherBrowser, oidc);
  await elsewhere.goto('/layout/profile');
  await expect(elsewhere.getByRole('heading', { level: 1 })).toHaveText('Profile');
  await page.goto('/layout/profile');
  const sessions = page.getByRole('region', { name: 'Sessions' });
  await expect(sessions.getByRole('listitem')).toHaveCount(2);
  await expect(sessions.getByText('This browser')).toHaveCount(1);
  await expect(button(page, 'Sign out all others')).toBeVisible();
  await sessions.getByRole('button', { name: /^Sign out/ }).click();
  await expect(sessions.getByRole('listitem')).toHaveCount(1);
  await expect(elsewhere.getByText('You are signed out.')).toBeVisible();
  // The return address is stored.
  await button(elsewhere, acmeLabel).click();
  await expect(elsewhere.getByRole('heading', { level: 1 })).toHaveText('Profile');

  const tab = await page.context().newPage();
  await tab.goto(`${oidc.providers.acme.issuer}/session/end`);
  await tab.getByRole('button', { name: /sign me out/i }).click();
  await expect(tab.getByRole('heading', { name: 'Sign-out Success' })).toBeVisible();
  await expect(page.getByText('You are signed out.')).toBeVisible();
});

test('the page after a sign-out at an application starts no new sign-in (S4)', async ({ page, oidc }) => {
  const person = await invite(page, oidc);
  await acceptInvitation(page, oidc, person);
  await page.evaluate(() => fetch('/api/sign-out', { method: 'POST' }));
  await page.goto('/login?sign-in=signed-out');
  await expect(page.getByText('You are signed out.')).toBeVisible();
  await button(page, acmeLabel).click();
  await expectDashboard(page, person);
});
