/**
 * The browser's Back and Forward, with the back/forward cache on as everybody has it: whoever comes back is where they were,
 * whether the browser has kept the page or loads it anew.
 */
import {
  getErrorDialog,
  expect,
  expectDashboard,
  expectSignInPage,
  fillSignIn,
  fillSignUp,
  goBack,
  goForward,
  signIn,
  openBlankPage,
  test,
  type Page,
} from '../fixtures/site-test.ts';
import { createPerson } from '../fixtures/site.ts';

const continueButton = (page: Page) => page.getByRole('button', { name: 'Continue', exact: true });
const signUpButton = (page: Page) => page.getByRole('button', { name: 'Continue to sign up' });

/** How the page was loaded; one that the browser has kept was not loaded by its Back button. */
const wayHere = (page: Page) =>
  page.evaluate(
    () => (window.performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).type,
  );

async function isPaused(page: Page, sentence: string): Promise<void> {
  await expect(page.getByText(sentence)).toBeVisible();
  await expect(page.getByRole('button')).toHaveCount(1);
  await expect(page.getByRole('button')).toBeFocused();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

for (const kept of [true, false])
  test.describe(kept ? 'a page that the browser has kept' : 'a page that is loaded anew', () => {
    // A page that wants to hear of its end is not kept.
    if (!kept)
      test.beforeEach(({ page }) => page.addInitScript(() => window.addEventListener('unload', () => {})));

    test('Back from the sign-in page leads to the login screen, Continue to where somebody wanted to go (C2, C5)', async ({
      page,
      site,
    }) => {
      const member = await site.createMember();
      await page.goto('/attachment');
      await expectSignInPage(page);
      await goBack(page);
      await isPaused(page, 'You have not signed in yet.');
      expect(await wayHere(page)).toBe(kept ? 'navigate' : 'back_forward');
      // Loaded again it is a visit like any other, and so is the button's.
      await page.keyboard.press('Enter');
      await expectSignInPage(page);
      await goBack(page);
      await isPaused(page, 'You have not signed in yet.');
      await page.reload();
      await expectSignInPage(page);
      // As often as they like.
      for (let time = 0; time < 3; time += 1) {
        await goBack(page);
        await continueButton(page).click();
        await expectSignInPage(page);
      }
      await fillSignIn(page, member);
      await page.waitForURL('**/attachment');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Attachments');
    });

    test('Back from the sign-up page leads to the invitation, and from there on (D1)', async ({
      page,
      site,
    }) => {
      const person = createPerson();
      const { link } = await site.invite(person.email);
      await page.goto(link);
      await expect(page.locator('#email')).toHaveValue(person.email);
      await goBack(page);
      await isPaused(page, 'You have not signed up yet.');
      expect(await wayHere(page)).toBe(kept ? 'navigate' : 'back_forward');
      await page.reload();
      await expect(page.locator('#email')).toHaveValue(person.email);
      await goBack(page);
      await signUpButton(page).click();
      await expect(page.locator('#email')).toHaveValue(person.email);
      await fillSignUp(page, person);
      await expect(page.getByRole('dialog')).toContainText('Sign up successfully.');
    });

    test('Back to an invitation whose token has left the address goes on with it (D2, D13)', async ({
      page,
      site,
    }) => {
      const person = createPerson();
      const token = await site.fetchInviteToken((await site.invite(person.email)).link);
      await page.goto(`/signup?t=${token}`);
      await expect(page.locator('#email')).toHaveValue(person.email);
      await goBack(page);
      await isPaused(page, 'You have not signed up yet.');
      expect(page.url()).toBe(`${site.url}/signup`);
      await signUpButton(page).click();
      await expect(page.locator('#email')).toHaveValue(person.email);
    });

    test('Back from the page for a new password leads to the login screen (C3)', async ({ page, site }) => {
      const member = await site.createMember();
      await page.goto('/');
      await page.locator('#forgotPassword').click();
      await expect(page.locator('#sendCode')).toBeVisible();
      await goBack(page);
      await isPaused(page, 'You have not signed in yet.');
      await continueButton(page).click();
      await fillSignIn(page, member);
      await expectDashboard(page, member);
    });

    test('Back past a completed sign-in leads inside again, never to an error (C1)', async ({
      page,
      site,
    }) => {
      const member = await site.createMember();
      await signIn(page, member);
      await goBack(page);
      await expect(page.getByText('There is nothing left to do on this page.')).toBeVisible();
      await goBack(page);
      await expect(page).toHaveURL(/\/layout\/dashboard$/);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome, ${member.name}`);
    });

    test('a screen that is come back to after a sign-out elsewhere shows nothing from inside (C10)', async ({
      page,
      context,
      site,
    }) => {
      const member = await site.createMember();
      await signIn(page, member);
      await page.goto('/layout/profile');
      await expect(page.getByText(member.email).first()).toBeVisible();
      await openBlankPage(page);
      // As a browser does it that lets no message through to a page that it keeps.
      const other = await context.newPage();
      await openBlankPage(other);
      await other.evaluate(() => window.localStorage.clear());
      await page.bringToFront();
      await goBack(page);
      await isPaused(page, 'You have not signed in yet.');
      await expect(page.getByText(member.email)).toHaveCount(0);
      expect(await wayHere(page)).toBe(kept ? 'reload' : 'back_forward');
      await continueButton(page).click();
      await page.locator(`[data-email="${member.email}"]`).click();
      await expect(page).toHaveURL(/\/layout\/profile$/);
    });
  });

test('a kept page that hears of a sign-out elsewhere a moment after it is shown again goes as well (C10)', async ({
  page,
  context,
  site,
}) => {
  // As Chromium does it now and then: the page's copy of the storage is still the old one when it is shown.
  await page.addInitScript(() => {
    let kept: string[] = [];
    window.addEventListener('pagehide', () => (kept = Object.keys(window.localStorage)));
    window.addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return;
      const now = Object.keys;
      Object.keys = (object: object) => (object === window.localStorage ? kept : now(object));
      setTimeout(() => {
        Object.keys = now;
        window.dispatchEvent(new StorageEvent('storage', { key: null }));
      });
    });
  });
  await signIn(page, await site.createMember());
  await page.goto('/layout/profile');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await openBlankPage(page);
  const other = await context.newPage();
  await openBlankPage(other);
  await other.evaluate(() => window.localStorage.clear());
  await page.bringToFront();
  await goBack(page);
  await isPaused(page, 'You have not signed in yet.');
});

test('Forward after Back leads to the page for signing in, and its answer counts (C1)', async ({
  page,
  site,
}) => {
  const member = await site.createMember();
  await page.goto('/');
  await expectSignInPage(page);
  await goBack(page);
  await isPaused(page, 'You have not signed in yet.');
  await goForward(page);
  await fillSignIn(page, member);
  await expectDashboard(page, member);
  await expect(getErrorDialog(page)).toHaveCount(0);
});

test('seven screens opened by address follow what changes, and so does each that is come back to (J2)', async ({
  page,
  site,
}) => {
  // Each waits until the server tells of a change, which it looks for once a second.
  await signIn(page, site.administrator);
  const screens = ['people', 'invitations', 'activity', 'people', 'invitations', 'activity', 'invitations'];
  const names = { people: 'People', invitations: 'Invitations', activity: 'Activity' } as Record<
    string,
    string
  >;
  const isLive = async (screen: string) => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(names[screen] ?? '');
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    const { email } = createPerson();
    const { id } = await site.invite(email);
    if (screen === 'people') await site.signUp({ ...createPerson(), email }, await linkOf(id));
    await expect(page.getByRole('row').filter({ hasText: email }).first()).toBeVisible();
  };
  const linkOf = async (id: string) =>
    ((await site.callAsAdministrator('POST', `/api/invitations/${id}/link`)) as { link: string }).link;
  for (const screen of screens) {
    await page.goto(`/layout/${screen}`);
    await isLive(screen);
  }
  for (const screen of screens.slice(0, -1).toReversed()) {
    await goBack(page);
    await isLive(screen);
    expect(await wayHere(page)).toBe('navigate');
  }
});

test('the login screen and an invitation that are come back to, in German and 320 pixels wide', async ({
  otherBrowser,
  site,
}) => {
  const page = await otherBrowser({ locale: 'de-DE', viewport: { width: 320, height: 560 } });
  await page.goto('/');
  await expectSignInPage(page);
  await goBack(page);
  await isPaused(page, 'Sie sind noch nicht angemeldet.');
  await expect(page.getByRole('button', { name: 'Weiter', exact: true })).toBeInViewport({ ratio: 1 });
  await page.goto((await site.invite(createPerson().email)).link);
  await expect(page.locator('#continue')).toBeVisible();
  await goBack(page);
  await isPaused(page, 'Sie haben sich noch nicht registriert.');
  await expect(page.getByRole('button', { name: 'Weiter zur Registrierung' })).toBeInViewport({ ratio: 1 });
});
