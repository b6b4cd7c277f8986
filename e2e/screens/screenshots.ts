/**
 * `npm run screenshots`: every screen and every page of the embedded provider, in a light and a dark theme, wide and
 * on a phone, into the ignored folder `screenshots/`. For looking at; it asserts nothing.
 * `-- --docs` also makes the pictures of the documents anew.
 */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { browserLaunch } from '../../tools/browser.ts';
import { root } from '../../tools/install.mjs';
import { enliven } from '../site/lively-site.ts';
import { startOidcSite } from '../site/oidc-site.ts';
import { somebody, startSite } from '../site/running-site.ts';
import { furnish, screens, settle, show } from './screens.ts';
import { furnishWays, wayScreens } from './way-screens.ts';

const folder = path.join(root, 'screenshots');
const docsFolder = path.join(root, 'docs', 'images');
const looks = [
  { name: 'light', theme: 'daylight', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'dark', theme: 'nightfall', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'phone-light', theme: 'daylight', colorScheme: 'light', viewport: { width: 360, height: 780 } },
  { name: 'phone-dark', theme: 'nightfall', colorScheme: 'dark', viewport: { width: 360, height: 780 } },
] as const;

const site = await startSite();
const oidc = await startOidcSite({ ways: ['acme', 'globex'], withB2c: true });
const browser = await chromium.launch(await browserLaunch());
try {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await enliven(site);
  if (process.argv.includes('--docs')) await takeForDocs();
  for (const look of looks) await takeAll(look);
  for (const look of looks) await takeWays(look);
  console.log(`Screenshots are in ${path.relative(process.cwd(), folder)}/`);
} finally {
  await browser.close();
  await site.stop();
  await oidc.stop();
}

async function takeAll({ name: look, theme, colorScheme, viewport }: (typeof looks)[number]): Promise<void> {
  const context = await browser.newContext({
    baseURL: site.url,
    viewport,
    colorScheme,
    reducedMotion: 'reduce',
  });
  await context.addCookies([{ name: 'theme', value: theme, url: site.url }]);
  const page = await context.newPage();
  const take = takeOf(page, look);

  await beforeTheDoor(page, take);
  await behindTheDoor(page, take);
  await context.close();

  const mailbox = await browser.newPage({ viewport, colorScheme });
  await mailbox.goto(site.mailboxUrl);
  await mailbox.waitForLoadState('networkidle');
  await mailbox.screenshot({ path: path.join(folder, `mailbox.${look}.png`) });
  await mailbox.close();
}

/** The pictures that README.md and docs/ show. */
async function takeForDocs(): Promise<void> {
  const page = await browser.newPage({
    baseURL: site.url,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const take = (name: string) => page.screenshot({ path: path.join(docsFolder, `${name}.png`) });
  await signIn(page);
  await settle(page);
  await take('dashboard');
  await page.goto('/layout/people');
  await settle(page);
  await take('people');
  await page.goto('/layout/invitations');
  await settle(page);
  await page.getByRole('gridcell').filter({ hasText: 'adele.goldberg' }).first().click();
  await page.locator('.side-panel').getByRole('listitem').first().waitFor();
  await settle(page);
  await take('invitation');
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
  await take('invite-many');
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

/** What only a site with several ways to sign in has. */
async function takeWays({ name: look, theme, colorScheme, viewport }: (typeof looks)[number]): Promise<void> {
  const contexts = await Promise.all(
    [1, 2].map(() =>
      browser.newContext({ baseURL: oidc.url, viewport, colorScheme, reducedMotion: 'reduce' }),
    ),
  );
  for (const context of contexts) await context.addCookies([{ name: 'theme', value: theme, url: oidc.url }]);
  const [page, other] = await Promise.all(contexts.map((context) => context.newPage()));
  if (!page || !other) return;
  const take = takeOf(page, look);
  await page.goto('/');
  await page.getByRole('button', { name: 'Continue with Acme' }).waitFor();
  await take('login-ways');
  const scene = await furnishWays(oidc, page, other);
  for (const [about, parts] of Object.entries(wayScreens))
    for (const part of parts) {
      await show(page, part, scene);
      await take(named(about, part));
    }
  await Promise.all(contexts.map((context) => context.close()));
}

type Take = (screen: string) => Promise<void>;

// Functions, since everything above waits for them before this line is reached.
function takeOf(page: Page, look: string): Take {
  return async (screen) => {
    await page.screenshot({ path: path.join(folder, `${screen}.${look}.png`) });
    console.log(`${screen} (${look})`);
  };
}

function named(about: string, { name }: { name: string }): string {
  return `${about} ${name}`.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

async function beforeTheDoor(page: Page, take: Take): Promise<void> {
  // Held still on the login screen: the configuration never comes.
  await page.route('**/api/config', () => {});
  await page.goto('/');
  await take('login');
  // Away first: a request that is let go would send this page to the provider.
  await page.goto('about:blank');
  await page.unroute('**/api/config');
  await page.route('**/api/config', (route) => route.abort());
  await page.goto('/');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await take('login-failed');
  await page.unroute('**/api/config');

  await page.goto('/');
  await page.locator('#password').waitFor();
  await page.goBack({ waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Continue' }).waitFor();
  await take('login-back');

  await page.goto('/signup?i=unknown');
  await page.getByText('Invite link is invalid').waitFor();
  await take('sign-up-invalid');
  await page.evaluate(() =>
    sessionStorage.setItem(
      'errorMessage',
      JSON.stringify({ message: 'Nobody has invited this address yet.', reference: '5f0c2b7a9e4d1c38' }),
    ),
  );
  await page.goto('/error');
  await page.getByRole('dialog').waitFor();
  await take('error');
  await page.evaluate(() => sessionStorage.clear());
  await page.goto('/no-such-page');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await take('not-found');

  const { link } = await site.invite(somebody().email);
  await page.goto(link);
  await page.locator('#continue').waitFor();
  await take('provider-sign-up');
  await page.goto('/');
  await page.locator('#next').waitFor();
  await take('provider-sign-in');
  await page.locator('#forgotPassword').click();
  await page.locator('#sendCode').waitFor();
  await take('provider-new-password');
}

async function behindTheDoor(page: Page, take: Take): Promise<void> {
  const scene = await furnish(site);
  await signIn(page);
  for (const [about, parts] of Object.entries(screens))
    for (const look of parts) {
      if (look.wide && (page.viewportSize()?.width ?? 0) < 620) continue;
      await show(page, look, scene);
      await take(named(about, look));
    }
}
