/**
 * Back and Forward, with the back/forward cache (bfcache) enabled as in released browsers, and with a full
 * reload.
 */
import {
  getErrorDialog,
  expect,
  expectSignInPage,
  fillSignIn,
  goBack,
  goForward,
  signIn,
  openBlankPage,
  test,
  type Page,
} from '../fixtures/site-test.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

const continueButton = (page: Page) => page.getByRole('button', { name: 'Continue', exact: true });
const signUpButton = (page: Page) => page.getByRole('button', { name: 'Continue to sign up' });

/** Returns the navigation type. A page restored from the bfcache keeps its original type. */
const getNavigationType = (page: Page) =>
  page.evaluate(
    () => (window.performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).type,
  );

async function expectPaused(page: Page, sentence: string): Promise<void> {
  await expect(page.getByText(sentence)).toBeVisible();
  await expect(page.getByRole('button')).toHaveCount(1);
  await expect(page.getByRole('button')).toBeFocused();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

for (const restored of [true, false])
  test.describe(restored ? 'a page restored from the bfcache' : 'a page reloaded on Back', () => {
    // An unload listener excludes a page from the bfcache.
    if (!restored)
      test.beforeEach(({ page }) => page.addInitScript(() => window.addEventListener('unload', () => {})));

    test('Back from the sign-in page shows the login screen; Continue opens the requested screen, and Forward continues the sign-in (C1, C2, C5)', async ({
      page,
      site,
    }) => {
      const member = await site.createMember();
      await page.goto('/attachment');
      await expectSignInPage(page);
      await goBack(page);
      await expectPaused(page, 'You have not signed in yet.');
      expect(await getNavigationType(page)).toBe(restored ? 'navigate' : 'back_forward');
      await page.keyboard.press('Enter');
      await expectSignInPage(page);
      await goBack(page);
      await continueButton(page).click();
      await expectSignInPage(page);
      await goBack(page);
      await expectPaused(page, 'You have not signed in yet.');
      await goForward(page);
      await fillSignIn(page, member);
      await page.waitForURL('**/attachment');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Attachments');
    });
  });

test('Back to a screen after a sign-out in another tab shows no user data (C10)', async ({
  page,
  context,
  site,
}) => {
  const member = await site.createMember();
  await signIn(page, member);
  await page.goto('/layout/profile');
  await expect(page.getByText(member.email).first()).toBeVisible();
  await openBlankPage(page);
  // Simulates a browser that delivers no messages to a cached page.
  const other = await context.newPage();
  await openBlankPage(other);
  await other.evaluate(() => window.localStorage.clear());
  await page.bringToFront();
  await goBack(page);
  await expectPaused(page, 'You have not signed in yet.');
  await expect(page.getByText(member.email)).toHaveCount(0);
  expect(await getNavigationType(page)).toBe('reload');
  await continueButton(page).click();
  await page.locator(`[data-email="${member.email}"]`).click();
  await expect(page).toHaveURL(/\/layout\/profile$/);
});

test('Back to an invitation whose token was removed from the address can accept it (D2, D13)', async ({
  page,
  site,
}) => {
  const person = createPerson();
  const token = await site.fetchInviteToken((await site.invite(person.email)).link);
  await page.goto(`/signup?t=${token}`);
  await expect(page.locator('#email')).toHaveValue(person.email);
  await goBack(page);
  await expectPaused(page, 'You have not signed up yet.');
  expect(page.url()).toBe(`${site.url}/signup`);
  await signUpButton(page).click();
  await expect(page.locator('#email')).toHaveValue(person.email);
});

test('Back after a sign-in shows the dashboard, not an error (C1)', async ({ page, site }) => {
  const member = await site.createMember();
  await signIn(page, member);
  await expect(getErrorDialog(page)).toHaveCount(0);
  await goBack(page);
  await expect(page.getByText('There is nothing left to do on this page.')).toBeVisible();
  await goBack(page);
  await expect(page).toHaveURL(/\/layout\/dashboard$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome, ${member.name}`);
});
