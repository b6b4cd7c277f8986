/** Access tokens (C8, B1): taken silently by refresh token, then by a hidden frame; else the person signs in again. */
import { readFile } from 'node:fs/promises';
import {
  countStoredAccounts,
  expect,
  expectDashboard,
  expectSignInPage,
  fillSignIn,
  goBack,
  signIn,
  test,
  type Page,
  type Request,
} from '../fixtures/site-test.ts';

// The browser's library renews what ends within 5 minutes, and takes a refresh token of one second for a used-up one.
test.use({ serverEnv: { IDP_ACCESS_TOKEN_SECONDS: '60', IDP_REFRESH_TOKEN_SECONDS: '1' } });

const refreshTokenMilliseconds = 1_000;

test.beforeEach(({ expectConsole }) => {
  expectConsole(/status of 400 .*\/oauth2\/v2\.0\/token/, 'the used-up refresh token is tried and refused');
});

/** Every call renews, and with that begins a new second: it must have been the last one. */
async function letRefreshTokenEnd(page: Page): Promise<void> {
  await expect(page.locator('.shell')).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
  await page.waitForTimeout(refreshTokenMilliseconds);
}

/** Requests from now on, of the page and of frames in it. */
function record(page: Page): { inFrames: Request[]; inPage: Request[] } {
  const requests = { inFrames: [] as Request[], inPage: [] as Request[] };
  page.on('request', (request) => {
    const isInFrame = request.frame().parentFrame() !== null;
    (isInFrame ? requests.inFrames : requests.inPage).push(request);
  });
  return requests;
}

test("a hidden frame gets a new token, and loads nothing but the entry and the provider's library (B1, C8)", async ({
  page,
  site,
}) => {
  const member = await site.createMember();
  await signIn(page, member);
  await letRefreshTokenEnd(page);
  const { inFrames, inPage } = record(page);
  const renewed = page.waitForResponse('**/api/users/me');
  await page.reload();
  expect((await renewed).status()).toBe(200);
  await expectDashboard(page, member);

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
  // The entry is small, which a budget sees to. The bridge is a part of the library, which the page around has anyway.
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

test('several calls at once are renewed together without a sign-in (C8)', async ({ page, site }) => {
  await signIn(page, site.administrator);
  await expect(page.getByRole('link', { name: /^Active people\s*\d/ })).toBeVisible();
  await letRefreshTokenEnd(page);
  const { inPage } = record(page);
  await page.reload();
  await expectDashboard(page, site.administrator);
  await expect(page.getByRole('link', { name: /^Active people\s*\d/ })).toBeVisible();
  expect(inPage.filter((request) => request.url().includes('prompt=select_account'))).toEqual([]);
  expect(await countStoredAccounts(page)).toBe(1);
});

test('when the provider has forgotten the person too, they sign in and are back where they were (C8)', async ({
  page,
  context,
  site,
}) => {
  await signIn(page, site.administrator);
  await letRefreshTokenEnd(page);
  await context.clearCookies({ name: 'b2c-emulator-session' });
  await page.goto('/layout/people?from=here');
  await expectSignInPage(page);
  await fillSignIn(page, site.administrator);
  await page.waitForURL('**/layout/people?from=here');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('People');
  expect(await countStoredAccounts(page)).toBe(1);
});

test('whoever goes back from that sign-in page finds the login screen, and from there the same place (C8)', async ({
  page,
  context,
  site,
}) => {
  await signIn(page, site.administrator);
  await letRefreshTokenEnd(page);
  await context.clearCookies({ name: 'b2c-emulator-session' });
  await page.goto('/layout/people?from=here');
  await expectSignInPage(page);
  await goBack(page);
  await expect(page.getByText('You have not signed in yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await fillSignIn(page, site.administrator);
  await page.waitForURL('**/layout/people?from=here');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('People');
});

test('a clock five minutes wrong, either way, keeps nobody out', async ({ otherBrowser, site }) => {
  const member = await site.createMember();
  for (const minutes of [-5, 5]) {
    const page = await otherBrowser();
    await page.clock.install({ time: Date.now() + minutes * 60_000 });
    await signIn(page, member);
    await page.reload();
    await expectDashboard(page, member);
  }
});

test('a provider that cannot be reached for the renewal is told in place, and "Try again" goes on', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/net::ERR_FAILED/, 'the provider is out of reach');
  await signIn(page, site.administrator);
  await expect(page.getByRole('link', { name: /^Active people\s*\d/ })).toBeVisible();
  await context.route(`${site.providerUrl}/**`, (route) => route.abort());
  await page.reload();
  // Each part of the dashboard says so for itself.
  const told = page.getByText('The sign-in service cannot be reached.');
  await expect(told.first()).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
  await context.unroute(`${site.providerUrl}/**`);
  // All at once: what one of them renews may bring back another part before it is pressed.
  await page
    .getByRole('button', { name: 'Try again' })
    .evaluateAll((buttons: HTMLButtonElement[]) => buttons.forEach((button) => button.click()));
  await expect(told).toHaveCount(0);
  await expect(page.getByRole('link', { name: /^Active people\s*\d/ })).toBeVisible();
});

test('what was typed in a form is still there after a sign-in in between (C8)', async ({
  page,
  context,
  site,
}) => {
  await signIn(page, site.administrator);
  await page.goto('/layout/invitations');
  await page.getByRole('button', { name: 'Invite someone' }).click();
  const form = page.getByRole('dialog', { name: 'Invite someone' });
  await form.getByLabel('E-mail address').fill('typed@example.com');
  // The mail is shown as it will arrive, a moment after the last word; that asks the server, and every call renews.
  const shown = page.waitForResponse(
    (answer) =>
      answer.url().endsWith('/api/invitations/preview') &&
      answer.request().postData()?.includes('Half a sentence') === true,
  );
  await form.getByLabel('Personal message (optional)').fill('Half a sentence');
  await shown;
  // The list follows changes, so its network is never idle.
  await page.waitForTimeout(refreshTokenMilliseconds);
  await context.clearCookies({ name: 'b2c-emulator-session' });
  await form.getByRole('button', { name: 'Send invitation' }).click();
  await fillSignIn(page, site.administrator);
  await page.waitForURL('**/layout/invitations');
  await expect(form.getByRole('list', { name: 'Addresses so far' })).toContainText('typed@example.com');
  await expect(form.getByLabel('Personal message (optional)')).toHaveValue('Half a sentence');
});
