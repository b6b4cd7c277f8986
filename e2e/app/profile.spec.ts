/** The profile: theme, language, sign-ins, data export and signing out everywhere (K6, G1, F6). */
import { readFile } from 'node:fs/promises';
import {
  openAsAdministrator,
  expect,
  expectSignInPage,
  fillSignIn,
  openPersonMenu,
  signIn,
  signOut,
  test,
  type Page,
} from '../fixtures/site-test.ts';

const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset['theme']);
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

async function openProfile(page: Page): Promise<void> {
  await openPersonMenu(page);
  await page.getByRole('menuitem', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Profile');
  await expect(page.locator('.skeleton')).toHaveCount(0);
}

/** Waits until the server has stored the choice. */
const waitForStoredPreferences = (page: Page) =>
  page.waitForResponse((response) => response.url().endsWith('/api/users/me/preferences') && response.ok());

test('theme and language are stored per person, applied on a new device, and survive reload and sign-out (G1, K6)', async ({
  page,
  site,
  otherBrowser,
}) => {
  const member = await site.createMember();
  await signIn(page, member);
  await openProfile(page);
  const store = async (choose: () => Promise<unknown>) => {
    const saved = waitForStoredPreferences(page);
    await choose();
    await saved;
  };
  await store(() => page.getByRole('radio', { name: 'Dusk' }).check());
  expect(await themeOf(page)).toBe('dusk');
  await store(() => page.getByLabel('Language').selectOption('de'));
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Profil');
  await expect(page.getByLabel('Sprache')).toBeFocused();
  const other = await otherBrowser();
  await other.goto('/');
  await fillSignIn(other, member);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText(`Willkommen, ${member.name}`);
  expect(await themeOf(other)).toBe('dusk');
  // The choice is also stored in the browser, for the first paint.
  await other.goto('/nothing-here');
  expect(await themeOf(other)).toBe('dusk');

  await store(() => page.getByLabel('Sprache').selectOption(''));
  await store(() => page.keyboard.press('Control+Alt+Digit5'));
  await expect(page.getByRole('radio', { name: 'Harbour' })).toBeChecked();
  await store(() => page.getByRole('radio', { name: 'Match system' }).check());
  expect(await themeOf(page)).toBe('daylight');

  await store(async () => {
    await page.keyboard.press('Control+Alt+Digit5');
    await expect(page.getByRole('status').filter({ hasText: 'Theme: Harbour' })).toBeVisible();
  });
  await page.reload();
  expect(await themeOf(page)).toBe('harbour');
  await signOut(page);
  await expectSignInPage(page);
  await page.goto('/nothing-here');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  expect(await themeOf(page)).toBe('harbour');
});

test('signing out everywhere, also by an administrator, signs out every device with the reason; data are downloaded (K3, K6, F6)', async ({
  page,
  site,
  otherBrowser,
  expectConsole,
}) => {
  expectConsole(/status of 403/, 'the server refuses the signed-out user');
  const member = await site.createMember({ name: 'Lost Phone' });
  const phone = await otherBrowser();
  await signIn(phone, member);
  await signIn(page, member);
  await openProfile(page);
  await page.getByRole('button', { name: 'Change name' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Found Phone');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: /Found Phone/ })).toBeVisible();
  const rows = page.getByRole('region', { name: 'Sign-ins' }).getByRole('listitem');
  await expect(rows.filter({ hasText: 'This browser' })).toHaveCount(1);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download my data' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/);
  expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({
    person: { email: member.email, displayName: 'Found Phone' },
  });

  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await dialog(page, 'Sign out everywhere').getByRole('button', { name: 'Sign out everywhere' }).click();
  // The user does nothing on the phone.
  for (const one of [page, phone]) {
    const signedOutDialog = dialog(one, 'Signed out');
    await expect(signedOutDialog).toContainText('You were signed out on all devices');
    expect(await one.evaluate(() => window.sessionStorage.getItem('userDetail'))).toBeNull();
  }

  const authorizeRequest = phone.waitForRequest((request) =>
    request.url().includes('/oauth2/v2.0/authorize?'),
  );
  await dialog(phone, 'Signed out').getByRole('button', { name: 'Ok' }).click();
  expect(new URL((await authorizeRequest).url()).searchParams.get('prompt')).toBe('login');
  await expectSignInPage(phone);

  // An administrator does so on the page of the person.
  const admin = await otherBrowser();
  await openAsAdministrator(admin, site, `/layout/people/${await site.getPersonId(member)}`);
  await admin.getByRole('button', { name: 'Actions' }).click();
  await admin.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
  const confirmation = dialog(admin, 'Sign out everywhere: Found Phone');
  await expect(confirmation).toContainText('have to sign in again on every device');
  await confirmation.getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(admin.getByText('Found Phone is signed out everywhere.')).toBeVisible();
  await expect(admin.getByText('Signed out everywhere').first()).toBeVisible();
});
