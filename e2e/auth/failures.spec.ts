/**
 * Failures around the application: unreachable provider or server, missing storage, concurrent tabs. Each
 * must end on a screen with a message and a next step.
 */
import {
  openAsAdministrator,
  getErrorDialog,
  expect,
  expectDashboard,
  expectSignInPage,
  fillSignIn,
  openBlankPage,
  test,
  type BrowserContext,
  type Page,
} from '../fixtures/site-test.ts';
import { getInviteDialog, openInviteDialog } from '../lists/invitation-page.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

const noProvider = 'The sign-in service cannot be reached. Check your connection and try again in a minute.';
const noServer = 'The server could not be reached. Check your connection and try again.';

test.beforeEach(({ expectConsole }) => {
  expectConsole(/Failed to load resource: (?:net::ERR_FAILED|.*status of 503)/, 'the fault under test');
});

/** Blocks requests to a URL pattern. Returns a function that unblocks them. */
async function cut(context: BrowserContext, address: string): Promise<() => Promise<void>> {
  await context.route(address, (route) => route.abort());
  return () => context.unroute(address);
}

const startFailure = (page: Page) => page.getByRole('alert');

test('startup and an invitation without the provider show an error, and work when the provider is available again', async ({
  page,
  context,
  site,
}) => {
  const restore = await cut(context, `${site.providerUrl}/**`);
  await page.goto('/');
  await expect(getErrorDialog(page)).toContainText(noProvider);
  const { link } = await site.invite('late@example.com');
  await page.goto(link);
  await expect(page.getByRole('dialog')).toContainText(noProvider);
  await restore();
  await page.getByRole('button', { name: 'Try again' }).dblclick();
  await expect(page.locator('#email')).toHaveValue('late@example.com');
});

test('a browser that cannot read the scripts is named as the cause after 15 seconds', async ({
  page,
  expectConsole,
}) => {
  expectConsole(/^error in a page: $/, 'the syntax error');
  await page.route('**/assets/index-*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'a new syntax' }),
  );
  await page.goto('/');
  const sentence = page.getByText('use a newer browser');
  await expect(sentence).toBeHidden();
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation instanceof CSSAnimation && animation.animationName === 'login-slow') animation.finish();
  });
  await expect(sentence).toBeVisible();
});

test('losing the provider during a sign-in, or the server while user data loads, shows the error screen (C6)', async ({
  page,
  context,
  site,
}) => {
  const member = await site.createMember();
  await page.goto('/');
  for (const [address, sentence] of [
    ['**/oauth2/v2.0/token*', noProvider],
    ['**/api/users/me', noServer],
  ] as const) {
    const restore = await cut(context, address);
    await fillSignIn(page, member);
    await expect(getErrorDialog(page)).toContainText(sentence);
    await restore();
    await getErrorDialog(page).getByRole('button', { name: 'Ok' }).click();
    await expectSignInPage(page);
  }
  await fillSignIn(page, member);
  await expectDashboard(page, member);
});

test("startup without the configuration or the provider's library shows an error and can be retried", async ({
  page,
  context,
  expectConsole,
}) => {
  expectConsole(/could not be reached|dynamically imported module/, 'the reason is logged');
  for (const address of ['**/api/config', '**/assets/msal-*.js']) {
    const restore = await cut(context, address);
    await page.goto('/');
    await expect(startFailure(page)).toContainText('The site could not be loaded.');
    await restore();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectSignInPage(page);
  }
});

test('a screen that is opened without a connection appears when the connection is back, and the palette after "Try again"', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(
    /ScriptFailure|dynamically imported module|ERR_INTERNET_DISCONNECTED/,
    'the browser is offline',
  );
  await openAsAdministrator(page, site, '/attachment');
  const heading = page.getByRole('heading', { level: 1 });
  const link = page.getByRole('navigation').getByRole('link', { name: 'People' });
  await expect(heading).toHaveText('Attachments');
  await context.setOffline(true);
  await link.click();
  await expect(heading).toHaveText('This page could not be loaded');
  await page.goBack();
  await expect(heading).toHaveText('Attachments');
  await link.click();
  await expect(heading).toHaveText('This page could not be loaded');
  await context.setOffline(false);
  await expect(heading).toHaveText('People');
  await expect(page.getByRole('row', { name: site.administrator.name }).first()).toBeVisible();

  await context.setOffline(true);
  await page.keyboard.press('Control+k');
  await expect(page.getByText('This could not be loaded.')).toBeVisible();
  await context.setOffline(false);
  const reloaded = page.waitForEvent('load');
  await page
    .getByRole('region', { name: 'Notifications' })
    .getByRole('button', { name: 'Try again' })
    .click();
  await reloaded;
  await expect(heading).toHaveText('People');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
});

test('a slow screen is announced; a failed chunk, a lost server and a 503 of a proxy show an error in place, and can be retried (G4)', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/dynamically imported module/, 'the reason is logged');
  const delay = Promise.withResolvers<void>();
  await page.route('**/assets/grid-community-*.js', async (route) => {
    await delay.promise;
    await route.continue();
  });
  await openAsAdministrator(page, site);
  await page.getByRole('navigation').getByRole('link', { name: 'Attachments' }).click();
  const notice = page.getByRole('progressbar', { name: 'Loading…' });
  await expect(notice).toBeVisible();
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText(`Welcome, ${site.administrator.name}`);
  // The bar covers no text.
  const [bar, title] = [await notice.boundingBox(), await heading.boundingBox()];
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThan(title?.y ?? 0);
  delay.resolve();
  await expect(heading).toHaveText('Attachments');
  await expect(notice).toHaveCount(0);

  let isCut = true;
  await context.route('**/assets/layout.invitations-*.js', (route) =>
    isCut ? route.abort() : route.continue(),
  );
  // The page is reloaded once. Until then, the old page may show the error for a moment.
  const reloaded = page.waitForEvent('load');
  await page.getByRole('navigation').getByRole('link', { name: 'Invitations' }).click();
  await reloaded;
  await expect(heading).toHaveText('This page could not be loaded');
  // Allows the chunk only when the page is reloaded. If it were allowed before the click, a further request for the chunk could succeed
  // and replace the error screen.
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isCut = false;
  });
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(heading).toHaveText('Invitations');

  const restore = await cut(context, '**/api/people?*');
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  await expect(page.getByText(noServer)).toBeVisible();
  await restore();
  // A proxy answers for a server that is restarting.
  await context.route('**/api/people?*', (route) =>
    route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  );
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('The server did not respond. Try again in a minute.')).toBeVisible();
  await expect(page.getByText('Bad gateway')).toHaveCount(0);
  await context.unroute('**/api/people?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('row', { name: site.administrator.email }).first()).toBeVisible();
});

test('while the server is unavailable, a form keeps its contents, and a screen tries again until it loads (U1)', async ({
  page,
  context,
  site,
}) => {
  const { email } = createPerson();
  let isUnavailable = false;
  await context.route('**/api/**', (route) =>
    isUnavailable
      ? route.fulfill({
          status: 503,
          headers: { 'retry-after': '1' },
          json: { code: 'server.unavailable', message: 'The server is unavailable right now.' },
        })
      : route.fallback(),
  );
  await openInviteDialog(page, site);
  const form = getInviteDialog(page);
  await form.getByLabel('E-mail address').fill(email);
  isUnavailable = true;
  await form.getByRole('button', { name: 'Send invitation' }).click();
  await expect(form.getByText('The server is unavailable right now.')).toBeVisible();
  await expect(form.getByLabel('E-mail address')).toHaveValue(email);
  isUnavailable = false;
  await form.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByText(`The invitation for ${email} is on its way.`)).toBeVisible();

  isUnavailable = true;
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  const notice = page.getByText('The server is unavailable right now. Trying again…');
  await expect(notice).toBeVisible();
  isUnavailable = false;
  await expect(page.getByRole('row', { name: site.administrator.email }).first()).toBeVisible();
  await expect(notice).toHaveCount(0);
});

test('two tabs that sign in concurrently both succeed', async ({ page, context, site }) => {
  const member = await site.createMember();
  const other = await context.newPage();
  await Promise.all([page.goto('/layout/dashboard'), other.goto('/attachment')]);
  await Promise.all([expectSignInPage(page), expectSignInPage(other)]);
  await Promise.all([fillSignIn(page, member), fillSignIn(other, member)]);
  await expectDashboard(page, member);
  await other.waitForURL('**/attachment');
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Attachments');
});

const noStorage = 'This browser does not let this site store data, so you cannot sign in.';

test('a browser with blocked storage shows which setting to change', async ({ page }) => {
  await page.addInitScript(() =>
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('denied', 'SecurityError');
      },
    }),
  );
  await page.goto('/');
  await expect(startFailure(page)).toContainText(noStorage);
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('a browser with full storage shows an error and works after space is freed', async ({ page }) => {
  await openBlankPage(page);
  await page.evaluate(() => {
    for (let size = 2 ** 22; size >= 1; size = Math.floor(size / 2))
      try {
        for (let part = 0; ; part += 1) window.localStorage.setItem(`full-${size}-${part}`, 'x'.repeat(size));
      } catch {
        // The storage is full for items of this size; smaller items may still fit.
      }
  });
  await page.goto('/');
  await expect(startFailure(page)).toContainText(noStorage);
  await page.evaluate(() => window.localStorage.clear());
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectSignInPage(page);
});

test('reloading the page during the redirect to sign-in shows no error', async ({ page }) => {
  // Requests of a page that is being left fail. The resulting error must not be shown on the next page.
  const metadata = '**/.well-known/openid-configuration';
  const metadataRequest = page.waitForRequest(metadata);
  await page.route(metadata, () => {}, { times: 1 });
  await page.goto('/');
  await metadataRequest;
  await page.reload();
  await expectSignInPage(page);
});
