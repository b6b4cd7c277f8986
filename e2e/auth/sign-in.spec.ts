/** Sign-in with B2C (A1 to A7, C1 to C11): redirects, provider errors and security properties. */
import {
  openAsAdministrator,
  countStoredAccounts,
  getErrorDialog,
  expect,
  expectDashboard,
  expectSignInPage,
  fillSignIn,
  readStorage,
  signIn,
  signOut,
  openBlankPage,
  test,
} from '../fixtures/site-test.ts';
import { expectNoViolation } from '../screens/axe.ts';

const authorizeAddress = /\/oauth2\/v2\.0\/authorize\?/;

test('a signed-out visitor is redirected to account selection and the dashboard; a member sees no administrator screens (A1, A3, C1, C2, F1, F2, F3)', async ({
  page,
  site,
}) => {
  const member = await site.createMember({ name: 'Mia Member' });
  const authorize = page.waitForRequest(authorizeAddress);
  await page.goto('/');
  const { searchParams, pathname } = new URL((await authorize).url());
  expect(pathname).toBe('/vestibule.onmicrosoft.com/b2c_1a_signin/oauth2/v2.0/authorize');
  expect(searchParams.get('prompt')).toBe('select_account');
  expect(searchParams.get('scope')?.split(' ')).toContain('offline_access');
  await expectSignInPage(page);
  await expectNoViolation(page, "the provider's sign-in page");

  // Delays the response to check the login screen while data loads.
  const delay = Promise.withResolvers<void>();
  await page.route('**/api/users/me', async (route) => {
    await delay.promise;
    await route.continue();
  });
  await fillSignIn(page, member);
  await expect(page.getByText('Loading your data…')).toBeVisible();
  await expect(page.locator('svg.globe')).toBeVisible();
  expect(new URL(page.url()).pathname).toBe('/');
  await expectNoViolation(page, 'login');
  delay.resolve();
  await expectDashboard(page, member);

  const { session } = await readStorage(page);
  expect(session).toContain('userDetail');
  for (const flag of ['url', 'isNeedRedirectURL', 'loginRedirect']) expect(session).not.toContain(flag);
  const detail = await page.evaluate(() => window.sessionStorage.getItem('userDetail') ?? '');
  expect(JSON.parse(detail)).toEqual({
    Id: expect.any(String),
    Email: member.email,
    DisplayName: 'Mia Member',
    IsAdmin: false,
  });

  const menu = page.getByRole('navigation', { name: 'Main' });
  await expect(menu.getByRole('link')).toHaveText(['Dashboard', 'Attachments']);
  await page.goto('/layout/settings');
  await expectDashboard(page, member);
});

test('a stored return address of another site is ignored, and an unknown address keeps the menu (A6, C7, security 28)', async ({
  page,
  site,
}) => {
  // return-url.test.ts has more cases. Here, each case needs a page load.
  await openAsAdministrator(page, site);
  await openBlankPage(page);
  await page.evaluate(() => {
    window.sessionStorage.setItem('url', '/\\evil.example');
    window.sessionStorage.setItem('isNeedRedirectURL', 'true');
  });
  await page.goto('/');
  await expectDashboard(page, site.administrator);
  expect((await readStorage(page)).session).not.toContain('url');

  await page.goto('/layout/nowhere');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
  await expect(page).toHaveTitle('Page not found · Vestibule');
  await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Welcome');
});

test('an unknown address shows a page with a link home; unknown API paths and files return 404 (A6)', async ({
  page,
  site,
}) => {
  await page.goto('/nothing/here');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expectNoViolation(page, 'page not found');
  await page.getByRole('link', { name: 'Go to the start page' }).click();
  await expectSignInPage(page);
  for (const [address, type] of [
    ['/api/nothing', 'application/json'],
    ['/assets/nothing.js', 'text/plain'],
  ] as const) {
    const response = await fetch(site.url + address);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain(type);
  }
});

test('a forgotten password is replaced after a mailed code, also after cancelling once (C3)', async ({
  page,
  site,
}) => {
  const member = await site.createMember();
  const newPassword = 'Renewed-Horse-10';
  await page.goto('/layout/dashboard');
  await page.locator('#forgotPassword').click();
  // Cancelling is not an error.
  await page.locator('#cancel').click();
  await expectSignInPage(page);
  await page.locator('#forgotPassword').click();
  await expect(page.locator('#sendCode')).toBeVisible();
  expect(new URL(page.url()).pathname).toContain('/b2c_1a_passwordreset/');
  await page.locator('#email').fill(member.email);
  await page.locator('#sendCode').click();
  const { text } = await site.mailTo(member.email, /verification code/);
  await expectNoViolation(page, "the provider's reset page");
  await page.locator('#verificationCode').fill(/\b\d{6}\b/.exec(text)?.[0] ?? '');
  await page.locator('#verifyCode').click();
  await page.locator('#newPassword').fill(newPassword);
  await page.locator('#reenterPassword').fill(newPassword);
  await page.locator('#continue').click();

  // The password reset alone does not sign in: the user must choose the account again.
  await page.locator(`[data-email="${member.email}"]`).click();
  await expectDashboard(page, member);
  expect(await countStoredAccounts(page)).toBe(1);
});

test('a provider error other than a forgotten password or a cancellation is shown in a dialog of 800 px, and Ok restarts with empty storage (A4, C4, E1)', async ({
  page,
}) => {
  // The provider refuses an unknown scope. Only the first request is changed, but routing stays active:
  // removing a route may leave a pending request unanswered.
  let isScopeReplaced = false;
  await page.route(authorizeAddress, (route) => {
    if (isScopeReplaced) return route.continue();
    isScopeReplaced = true;
    const url = new URL(route.request().url());
    url.searchParams.set('scope', 'openid unknown.scope');
    return route.fulfill({ status: 302, headers: { location: url.href } });
  });
  await page.goto('/');
  const dialog = getErrorDialog(page);
  await expect(dialog).toContainText(
    "AADB2C90117: The scope 'unknown.scope' provided in the request is not supported.",
  );
  expect(new URL(page.url()).pathname).toBe('/error');
  expect((await dialog.boundingBox())?.width).toBe(800);
  await expectNoViolation(page, 'error');

  const logout = page.waitForRequest(/\/oauth2\/v2\.0\/logout\?/);
  await dialog.getByRole('button', { name: 'Ok' }).dblclick();
  const { searchParams } = new URL((await logout).url());
  expect(searchParams.get('post_logout_redirect_uri')).toMatch(/^http:\/\/localhost:\d+\/$/);
  await expectSignInPage(page);
  await openBlankPage(page);
  expect((await readStorage(page)).session).not.toContain('errorMessage');
  // Without a stored error, the address redirects to the start page.
  await page.goto('/error');
  await expectSignInPage(page);
});

test('the fourth login redirect within 30 seconds is blocked by an error screen (C9)', async ({
  page,
  site,
}) => {
  let redirects = 0;
  await page.route(authorizeAddress, (route) => {
    redirects += 1;
    return route.fulfill({ status: 302, headers: { location: `${site.url}/` } });
  });
  await page.goto('/');
  await expect(getErrorDialog(page)).toContainText('Signing in was tried several times');
  expect(redirects).toBe(3);

  await page.unroute(authorizeAddress);
  await getErrorDialog(page).getByRole('button', { name: 'Ok' }).click();
  await expectSignInPage(page);
});

test('a server that rejects every token ends on the error screen without a loop (C6, C9)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 401/, 'the server refuses the token');
  const member = await site.createMember();
  let calls = 0;
  await page.route('**/api/users/me', (route) => {
    calls += 1;
    const json = { code: 'sign_in.needed', message: 'Sign in to continue.', requestId: 'r-1' };
    return route.fulfill({ status: 401, json });
  });
  await page.goto('/');
  await fillSignIn(page, member);
  await expect(getErrorDialog(page)).toContainText('Sign in to continue.');
  await expect(getErrorDialog(page)).toContainText('r-1');
  // The first request, and one retry with a renewed token.
  expect(calls).toBe(2);
});

test('a replayed provider response does not sign in (security 42)', async ({ page, otherBrowser, site }) => {
  const member = await site.createMember();
  const responses: string[] = [];
  page.on('framenavigated', (frame) => {
    if (frame.url().includes('#')) responses.push(frame.url());
  });
  await signIn(page, member);
  const [response = ''] = responses;
  expect(response).toMatch(/#.*code=/);
  expect(page.url()).not.toContain('code=');
  await signOut(page);
  await expectSignInPage(page);

  // This tab has started another sign-in, so the state does not match.
  await page.goto('about:blank');
  await page.goto(response);
  await expect(getErrorDialog(page)).toContainText(
    'This sign-in was started in another window or too long ago',
  );
  expect(await countStoredAccounts(page)).toBe(0);
  // The other browser has no pending sign-in.
  const elsewhere = await otherBrowser();
  await elsewhere.goto(response);
  await expectSignInPage(elsewhere);
  await openBlankPage(elsewhere);
  expect(await countStoredAccounts(elsewhere)).toBe(0);
});
