/** Access token renewal (C8, B1): by refresh token, then by a hidden frame, then by a new sign-in. */
import { readFile } from 'node:fs/promises';
import {
  countStoredAccounts,
  expect,
  expectDashboard,
  expectSignInPage,
  fillSignIn,
  goBack,
  readStorage,
  signIn,
  test,
  type Page,
  type Request,
} from '../fixtures/site-test.ts';

// MSAL renews tokens that expire within 5 minutes and treats a refresh token of one second as expired.
test.use({ serverEnv: { IDP_ACCESS_TOKEN_SECONDS: '60', IDP_REFRESH_TOKEN_SECONDS: '1' } });

const refreshTokenMilliseconds = 1_000;

test.beforeEach(({ expectConsole }) => {
  expectConsole(/status of 400 .*\/oauth2\/v2\.0\/token/, 'the used-up refresh token is tried and refused');
});

/** Waits until the refresh token has expired. Every API call renews the token, so no call may be pending. */
async function expireRefreshToken(page: Page): Promise<void> {
  await expect(page.locator('.shell')).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
  await page.waitForTimeout(refreshTokenMilliseconds);
}

/** Records requests of the page and of its frames. */
function record(page: Page): { inFrames: Request[]; inPage: Request[] } {
  const requests = { inFrames: [] as Request[], inPage: [] as Request[] };
  page.on('request', (request) => {
    const isInFrame = request.frame().parentFrame() !== null;
    (isInFrame ? requests.inFrames : requests.inPage).push(request);
  });
  return requests;
}

test('a hidden frame gets one new token for concurrent calls and loads only the entry chunk and MSAL (B1, C8)', async ({
  page,
  site,
}) => {
  await signIn(page, site.administrator);
  await expect(page.getByRole('link', { name: /^Active people\s*\d/ })).toBeVisible();
  await expireRefreshToken(page);
  const { inFrames, inPage } = record(page);
  const renewed = page.waitForResponse('**/api/users/me');
  await page.reload();
  expect((await renewed).status()).toBe(200);
  await expectDashboard(page, site.administrator);
  await expect(page.getByRole('link', { name: /^Active people\s*\d/ })).toBeVisible();

  const authorize = inFrames.filter((request) => request.url().includes('/oauth2/v2.0/authorize?'));
  expect(authorize.length).toBeGreaterThan(0);
  for (const request of authorize) {
    const { searchParams } = new URL(request.url());
    expect(searchParams.get('prompt')).toBe('none');
    expect(searchParams.get('redirect_uri')).toBe(`${site.url}/`);
  }
  const ours = inFrames
    .filter((request) => request.url().startsWith(site.url))
    .map((request) => new URL(request.url()).pathname);
  const manifest = JSON.parse(
    await readFile(new URL('../../apps/web/dist/.vite/manifest.json', import.meta.url), 'utf8'),
  ) as Record<string, { file: string; name?: string; css?: string[]; imports?: string[] }>;
  const chunk = (key: string) => manifest[key] as (typeof manifest)[string];
  const named = (name: string) => Object.keys(manifest).filter((key) => chunk(key).name === name);
  const reached = (keys: string[]): string[] =>
    keys.flatMap((key) => [key, ...reached(chunk(key).imports ?? [])]);
  // The entry chunk has its own size budget. MSAL's chunk is already loaded by the page.
  const parts = [...new Set(reached(['index.html', ...named('frame'), ...named('msal')]))];
  expect(parts.some((key) => /application|react|routes/.test(key))).toBe(false);
  const allowed = [
    '/',
    ...parts.flatMap((key) => [chunk(key).file, ...(chunk(key).css ?? [])]).map((file) => `/${file}`),
  ];
  expect(ours.filter((path) => !allowed.includes(path))).toEqual([]);
  expect(inPage.some((request) => request.url().includes('prompt=select_account'))).toBe(false);
  expect(await countStoredAccounts(page)).toBe(1);
});

test('an expired provider session requires a sign-in, also after Back, and returns to the same screen and form (C8)', async ({
  page,
  context,
  site,
}) => {
  await signIn(page, site.administrator);
  await expireRefreshToken(page);
  await context.clearCookies({ name: 'b2c-emulator-session' });
  await page.goto('/layout/people?from=here#open');
  await expectSignInPage(page);
  await goBack(page);
  await expect(page.getByText('You have not signed in yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await fillSignIn(page, site.administrator);
  await page.waitForURL('**/layout/people?from=here#open');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('People');
  expect((await readStorage(page)).session).not.toContain('isNeedRedirectURL');
  expect(await countStoredAccounts(page)).toBe(1);

  await page.getByRole('navigation').getByRole('link', { name: 'Invitations' }).click();
  await page.getByRole('button', { name: 'Invite someone' }).click();
  const form = page.getByRole('dialog', { name: 'Invite someone' });
  await form.getByLabel('E-mail address').fill('typed@example.com');
  // The preview is rendered a moment after typing, and its request renews the token.
  const shown = page.waitForResponse(
    (response) =>
      response.url().endsWith('/api/invitations/preview') &&
      response.request().postData()?.includes('Half a sentence') === true,
  );
  await form.getByLabel('Personal message (optional)').fill('Half a sentence');
  await shown;
  // Waits for a fixed time, because networkidle never occurs: the list has a live connection.
  await page.waitForTimeout(refreshTokenMilliseconds);
  await context.clearCookies({ name: 'b2c-emulator-session' });
  await form.getByRole('button', { name: 'Send invitation' }).click();
  await fillSignIn(page, site.administrator);
  await page.waitForURL('**/layout/invitations');
  await expect(form.getByLabel('E-mail address')).toHaveValue('typed@example.com');
  await expect(form.getByLabel('Personal message (optional)')).toHaveValue('Half a sentence');
});

test('a clock that is five minutes fast or slow does not prevent signing in', async ({
  otherBrowser,
  site,
}) => {
  for (const minutes of [-5, 5]) {
    const page = await otherBrowser();
    await page.clock.install({ time: Date.now() + minutes * 60_000 });
    await signIn(page, site.administrator);
    await page.reload();
    await expectDashboard(page, site.administrator);
  }
});

test('an unreachable provider during renewal shows an error in place, and "Try again" recovers', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/net::ERR_FAILED/, 'the provider is unreachable');
  await signIn(page, site.administrator);
  await expect(page.getByRole('link', { name: /^Active people\s*\d/ })).toBeVisible();
  await context.route(`${site.providerUrl}/**`, (route) => route.abort());
  await page.reload();
  // Each dashboard section has its own error.
  const unreachableText = page.getByText('The sign-in service cannot be reached.');
  await expect(unreachableText.first()).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
  await context.unroute(`${site.providerUrl}/**`);
  // Clicks all buttons in one step. After a single click, the renewal could recover the other sections, whose buttons would disappear.
  await page
    .getByRole('button', { name: 'Try again' })
    .evaluateAll((buttons: HTMLButtonElement[]) => buttons.forEach((button) => button.click()));
  await expect(unreachableText).toHaveCount(0);
  await expect(page.getByRole('link', { name: /^Active people\s*\d/ })).toBeVisible();
});
