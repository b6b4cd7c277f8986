/** Sign-out: by the user, in every tab, and by the server (C6, C10, E1, F6, I3, security 9 and 41). */
import {
  countStoredAccounts,
  getErrorDialog,
  expect,
  expectDashboard,
  expectSignInPage,
  fillSignIn,
  goBack,
  readStorage,
  signIn,
  signOut,
  openBlankPage,
  test,
  type Page,
} from '../fixtures/site-test.ts';

/** Checks that storage and cookies contain no user data. */
async function expectNoUserData(page: Page): Promise<void> {
  await openBlankPage(page);
  const { local, session } = await readStorage(page);
  expect(local.filter((key) => key.startsWith('msal.') && key !== 'msal.version')).toEqual([]);
  expect(session).not.toContain('userDetail');
  expect(await countStoredAccounts(page)).toBe(0);
}

test('signing out removes all user data in every tab, also for Back (C10, I3, security 41)', async ({
  page,
  context,
  site,
}) => {
  const member = await site.createMember();
  await signIn(page, member);
  const other = await context.newPage();
  await other.goto('/layout/dashboard');
  await expectDashboard(other, member);
  const before = await context.cookies(site.url);
  const key = before.find(({ name }) => name === 'msal.cache.encryption')?.value;
  expect(key).toBeTruthy();

  await page.bringToFront();
  await page.goto('/attachment');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Attachments');
  await signOut(page);
  await expectSignInPage(page);
  await expectSignInPage(other);
  await goBack(page);
  await expect(page.getByRole('button', { name: 'Continue', exact: true })).toBeVisible();
  await expect(page.getByText(member.email)).toHaveCount(0);
  await goBack(page);
  await expect(page.getByText('You have not signed in yet.')).toBeVisible();
  await expect(page.getByText(member.email)).toHaveCount(0);
  await expectNoUserData(page);
  await expectNoUserData(other);
  const after = await context.cookies(site.url);
  expect(after.filter(({ value }) => value === key)).toEqual([]);
  expect(after.map(({ name }) => name)).not.toContain('b2c-emulator-session');
});

test('signing out while the provider is unreachable removes all local data', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/Failed to load resource: net::ERR_FAILED/, 'the provider is unreachable');
  const member = await site.createMember();
  await signIn(page, member);
  await context.route(`${site.providerUrl}/**`, (route) => route.abort());
  await signOut(page);
  await expect.poll(() => countStoredAccounts(page).catch(() => -1)).toBe(0);
});

test('a disabled user is signed out in every tab immediately, a removed one is refused, both with the reason (C6, F6)', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 403/, 'the server refuses the disabled person');
  const member = await site.createMember();
  await signIn(page, member);
  const other = await context.newPage();
  await other.goto('/layout/dashboard');
  await expectDashboard(other, member);
  // Background tabs render once per second.
  await page.bringToFront();
  const id = await site.getPersonId(member);
  await site.callAsAdmin('POST', `/api/people/${id}/disable`);
  // Every tab receives the event without any user input.
  await expect(getErrorDialog(page)).toContainText('An administrator has disabled your access.');
  await expect(getErrorDialog(page)).toContainText('Reference for support:');
  await expect(other).not.toHaveURL(/\/layout\//);
  await expect(other.getByText('Welcome, ')).toHaveCount(0);
  await other.close();
  await getErrorDialog(page).getByRole('button', { name: 'Ok' }).click();
  await expectSignInPage(page);
  await site.callAsAdmin('DELETE', `/api/people/${id}`);
  await fillSignIn(page, member);
  await expect(getErrorDialog(page)).toContainText('This address has not been invited yet.');
  await expectNoUserData(page);
});
