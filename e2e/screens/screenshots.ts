/**
 * `npm run screenshots`: screenshots of every screen and provider page in the ignored folder `screenshots/`,
 * without assertions. Default: one light and one dark theme, wide and phone. `--themes
 * contrast-dark,dusk --widths 1280,1920 --only people,settings` selects others (`all` themes);
 * areas include `sign-in`, `passkeys` and `sign-in-methods`. `--docs` updates the pictures of the documents only.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type BrowserContext, type Page } from '@playwright/test';
import { findTheme, themes } from '../../apps/web/src/ui/themes/themes.ts';
import { browserLaunch } from '../../packages/cli/src/browser.ts';
import { root } from '../../tools/install.mjs';
import { seedActivity } from '../fixtures/seed-activity.ts';
import { fillSignUp } from '../fixtures/site-test.ts';
import { startOidcSite } from '../fixtures/oidc-site.ts';
import { waitForCode, startPasskeysSite, type PasskeysSite } from '../fixtures/passkeys-site.ts';
import { createPerson, startSite } from '../../packages/testing/src/site.ts';
import { addAuthenticator } from '../fixtures/virtual-authenticator.ts';
import { screens, waitUntilLoaded, openView, type ScreenView } from './screens.ts';
import { seedScene } from './seed-scene.ts';
import { seedSignInMethods, signInMethodScreens } from './sign-in-method-screens.ts';

const folder = path.join(root, 'screenshots');
const docsFolder = path.join(root, 'docs', 'images');
const { values: given } = parseArgs({
  options: {
    docs: { type: 'boolean', default: false },
    themes: { type: 'string', default: 'daylight,nightfall' },
    widths: { type: 'string', default: '1280,360' },
    only: { type: 'string', default: '' },
  },
});
const selectedThemes = (given.themes === 'all' ? themes.map(({ id }) => id) : given.themes.split(',')).map(
  (id) => {
    const theme = findTheme(id);
    if (!theme)
      throw new Error(`There is no theme "${id}". There are: ${themes.map((one) => one.id).join(', ')}.`);
    return theme;
  },
);
const heights: Record<string, number> = { 360: 780, 1280: 800, 1920: 1080 };
const isSelected = (area: string) => given.only === '' || given.only.split(',').includes(area);

const site = await startSite();
const browser = await chromium.launch(await browserLaunch());
/** Views that failed to open. Their screenshots are taken nevertheless. */
const failures: string[] = [];
try {
  await seedActivity(site);
  if (given.docs) await takeDocumentScreenshots();
  else await takeEverything();
} finally {
  await browser.close();
  await site.stop();
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

async function takeEverything(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const widths = given.widths.split(',').map(Number);
  for (const width of widths) await takeAll(width);
  if (isSelected('passkeys')) {
    const passkeys = await startPasskeysSite();
    try {
      for (const width of widths) await takePasskeyScreenshots(passkeys, width);
    } finally {
      await passkeys.stop();
    }
  }
  if (isSelected('sign-in-methods')) {
    const oidc = await startOidcSite({ methods: ['acme', 'globex'], withB2c: true });
    try {
      for (const width of widths) await takeSignInMethodScreenshots(oidc, width);
    } finally {
      await oidc.stop();
    }
  }
  console.log(`Screenshots are in ${path.relative(process.cwd(), folder)}/`);
}

async function contextFor(width: number, baseURL: string): Promise<BrowserContext> {
  return browser.newContext({
    baseURL,
    viewport: { width, height: heights[width] ?? 800 },
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
}

async function takeAll(width: number): Promise<void> {
  const context = await contextFor(width, site.url);
  const page = await context.newPage();
  if (isSelected('sign-in')) await takeSignInScreens(page);
  await takeSignedInScreens(page);
  if (isSelected('sign-in')) {
    await page.goto(site.mailboxUrl);
    await page.waitForLoadState('networkidle');
    await takeScreenshots(page, 'mailbox');
  }
  await context.close();
}

/** Takes the pictures of README.md and docs/. */
async function takeDocumentScreenshots(): Promise<void> {
  const page = await browser.newPage({
    baseURL: site.url,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const picture = (name: string) => page.screenshot({ path: path.join(docsFolder, `${name}.png`) });
  await signIn(page);
  await waitUntilLoaded(page);
  await picture('dashboard');
  await page.goto('/layout/people');
  await waitUntilLoaded(page);
  await picture('people');
  await page.goto('/layout/invitations');
  await waitUntilLoaded(page);
  await page.getByRole('gridcell').filter({ hasText: 'adele.goldberg' }).first().click();
  await page.locator('.side-panel').getByRole('listitem').first().waitFor();
  await waitUntilLoaded(page);
  await picture('invitation');
  await page.goto('/layout/invitations?invite=true');
  await page
    .getByLabel('E-mail addresses')
    .fill(
      [
        'mary.shaw@example.com',
        'butler.lampson@example.com',
        'adele.goldberg@example.com',
        'margaret.hamilton.example.com',
        'alan.kay@example.com',
        'a1an.kay@example.com',
      ].join('\n'),
    );
  await page.getByRole('button', { name: 'Check 6 addresses' }).click();
  await page.getByRole('dialog').getByRole('status').filter({ hasText: 'will be invited' }).waitFor();
  await picture('invite-many');
  await page.close();
}

async function signIn(page: Page): Promise<void> {
  const { administrator } = site;
  await page.goto('/');
  await page.locator('#email').fill(administrator.email);
  await page.locator('#password').fill(administrator.password);
  await page.locator('#next').click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
}

async function takeSignInMethodScreenshots(
  oidc: Awaited<ReturnType<typeof startOidcSite>>,
  width: number,
): Promise<void> {
  const contexts = [await contextFor(width, oidc.url), await contextFor(width, oidc.url)] as const;
  const [page, other] = await Promise.all([contexts[0].newPage(), contexts[1].newPage()]);
  await page.goto('/');
  await page.getByRole('button', { name: 'Continue with Acme' }).waitFor();
  await takeScreenshots(page, 'login-sign-in-methods');
  await page.goto((await oidc.invite(createPerson().email)).link);
  await page.getByRole('button', { name: 'Continue with Acme' }).waitFor();
  await takeScreenshots(page, 'invitation-sign-in-methods');
  const scene = await seedSignInMethods(oidc, page, other);
  for (const [area, views] of Object.entries(signInMethodScreens))
    for (const view of views) await takeView(page, area, view, scene);
  await other.context().clearCookies();
  await other.goto(scene.link);
  await other.getByRole('button', { name: 'Continue with Globex' }).waitFor();
  await takeScreenshots(other, 'move');
  await Promise.all(contexts.map((context) => context.close()));
}

/** Takes the passkey screens, from the invitation to signing in. */
async function takePasskeyScreenshots(passkeys: PasskeysSite, width: number): Promise<void> {
  const context = await contextFor(width, passkeys.url);
  const page = await context.newPage();
  const device = await addAuthenticator(page);
  const person = await passkeys.createInvitee('Gerda Guest');
  await page.goto(person.link);
  await page.getByLabel('Your name').fill(person.name);
  await takeScreenshots(page, 'passkeys-invitation');
  await page.getByRole('button', { name: 'E-mail me a code' }).click();
  await page.getByLabel('Code').waitFor();
  await takeScreenshots(page, 'passkeys-code');
  await page.getByLabel('Code').fill(await waitForCode(passkeys, person.email));
  await page.getByText('Next time without a code?').waitFor();
  await takeScreenshots(page, 'passkeys-first');
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await waitUntilLoaded(page);
  await takeScreenshots(page, 'passkeys-dashboard');
  await page.goto('/layout/profile');
  await waitUntilLoaded(page);
  await page.getByRole('button', { name: 'Add a passkey' }).scrollIntoViewIfNeeded();
  await takeScreenshots(page, 'passkeys-profile');
  await device.setPresent(false);
  await context.clearCookies();
  await page.goto('/');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await takeScreenshots(page, 'passkeys-login');
  await context.close();
}

async function takeView<Scene>(
  page: Page,
  area: string,
  view: ScreenView<Scene>,
  scene: Scene,
): Promise<void> {
  if (view.isDesktopOnly && (page.viewportSize()?.width ?? 0) < 620) return;
  await openView(page, view, scene).catch((error: unknown) =>
    failures.push(`${area}, ${view.name}: ${String(error)}`),
  );
  await takeScreenshots(page, named(area, view));
}

/** Takes one screenshot per theme. Themes change colours only (G1), so the page is not reloaded. */
async function takeScreenshots(page: Page, screen: string): Promise<void> {
  for (const { id, kind } of selectedThemes) {
    await page.emulateMedia({ colorScheme: kind });
    await page.evaluate((theme) => {
      document.documentElement.dataset['theme'] = theme;
    }, id);
    const file = `${screen}.${page.viewportSize()?.width}.${id}.png`;
    await page.screenshot({ path: path.join(folder, file) });
    console.log(file);
  }
}

// A function declaration, because the code above calls it before this line.
function named(area: string, { name }: { name: string }): string {
  return `${area} ${name}`.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

async function takeSignInScreens(page: Page): Promise<void> {
  // The configuration never loads, so the login screen stays.
  await page.route('**/api/config', () => {});
  await page.goto('/');
  await takeScreenshots(page, 'login');
  // Leaves the page first: otherwise it would redirect to the provider when the request is released.
  await page.goto('about:blank');
  await page.unroute('**/api/config');
  await page.route('**/api/config', (route) => route.abort());
  await page.goto('/');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await takeScreenshots(page, 'login-failed');
  await page.unroute('**/api/config');

  await page.goto('/');
  await page.locator('#password').waitFor();
  await page.goBack({ waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Continue' }).waitFor();
  await takeScreenshots(page, 'login-back');

  await page.goto('/signup?i=unknown');
  await page.getByText('Invite link is invalid').waitFor();
  await takeScreenshots(page, 'sign-up-invalid');
  const expired = await site.invite(createPerson().email);
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [
    expired.id,
  ]);
  await page.goto(expired.link);
  await page.getByText('Invite link is expired').waitFor();
  await takeScreenshots(page, 'sign-up-expired');
  await page.evaluate(() =>
    sessionStorage.setItem(
      'errorMessage',
      JSON.stringify({ message: 'This address has not been invited yet.', reference: '5f0c2b7a9e4d1c38' }),
    ),
  );
  await page.goto('/error');
  await page.getByRole('dialog').waitFor();
  await takeScreenshots(page, 'error');
  await page.evaluate(() => sessionStorage.clear());
  await page.goto('/no-such-page');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await takeScreenshots(page, 'not-found');

  const invitee = createPerson();
  await page.goto((await site.invite(invitee.email)).link);
  await page.locator('#continue').waitFor();
  await takeScreenshots(page, 'provider-sign-up');
  await fillSignUp(page, invitee);
  await page.getByText('Sign up successfully.').waitFor();
  await takeScreenshots(page, 'sign-up-done');
  await page.getByRole('button', { name: 'Go to Sign in' }).click();
  await page.locator('#next').waitFor();
  await page.goto('/');
  await page.locator('#next').waitFor();
  await takeScreenshots(page, 'provider-sign-in');
  await page.locator('#forgotPassword').click();
  await page.locator('#sendCode').waitFor();
  await takeScreenshots(page, 'provider-new-password');
  await page.locator('#email').fill(invitee.email);
  await page.locator('#sendCode').click();
  await page.locator('#verificationCode').waitFor();
  await takeScreenshots(page, 'provider-code');
}

async function takeSignedInScreens(page: Page): Promise<void> {
  const selected = Object.entries(screens).filter(([area]) => isSelected(area));
  if (selected.length === 0) return;
  const scene = await seedScene(site);
  await signIn(page);
  for (const [area, views] of selected) for (const view of views) await takeView(page, area, view, scene);
}
