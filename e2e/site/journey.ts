/**
 * `test` for browser journeys: a site per worker, and pages that are watched: a broken content security policy, an
 * error in a page or an error in the console that a test has not announced fails the test.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  test as base,
  expect,
  type BrowserContext,
  type Cookie,
  type Locator,
  type Page,
} from '@playwright/test';
import { startSite, type Person, type Site } from './running-site.ts';
import type { Environment } from './start-server.ts';

export { expect } from '@playwright/test';
export type { BrowserContext, Frame, Page, Request } from '@playwright/test';

type WorkerFixtures = {
  /** Environment of the site, for journeys that need other settings: `test.use({ serverEnv: { … } })`. */
  serverEnv: Environment;
  /** false for journeys that begin with the printed link. */
  administratorInside: boolean;
  site: Site;
};

type Fixtures = {
  /** Announces console errors that belong to the journey, with the reason. */
  expectConsole: (pattern: RegExp, reason: string) => void;
  /** A page in a browser of its own: another person, or the same one elsewhere. */
  otherBrowser: (options?: Parameters<import('@playwright/test').Browser['newContext']>[0]) => Promise<Page>;
};

type InternalFixtures = { watch: { add: (context: BrowserContext) => Promise<void>; allowed: RegExp[] } };

export const test = base.extend<Fixtures & InternalFixtures, WorkerFixtures>({
  serverEnv: [{}, { option: true, scope: 'worker' }],
  administratorInside: [true, { option: true, scope: 'worker' }],
  site: [
    async ({ serverEnv, administratorInside }, use) => {
      const site = await startSite({ env: serverEnv, administratorInside });
      await use(site);
      // After everything that this worker's journeys did (security 27).
      try {
        expect(await site.leakedSecrets()).toEqual([]);
      } finally {
        await site.stop();
      }
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ site }, use) => use(site.url),

  // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern, and this fixture needs no other
  watch: async ({}, use) => {
    const problems: string[] = [];
    const allowed: RegExp[] = [];
    await use({
      allowed,
      async add(context) {
        await context.addInitScript(() => {
          document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
            console.error(`policy violation: ${violatedDirective} ${blockedURI}`),
          );
        });
        context.on('weberror', (error) => problems.push(`error in a page: ${String(error.error().stack)}`));
        context.on('console', (message) => {
          if (message.type() === 'error') problems.push(`${message.text()} (${message.location().url})`);
        });
      },
    });
    expect(problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem)))).toEqual([]);
  },

  context: async ({ context, watch }, use) => {
    await watch.add(context);
    await use(context);
    await closeBrowser(context);
  },

  expectConsole: async ({ watch }, use) => use((pattern) => void watch.allowed.push(pattern)),

  otherBrowser: async ({ browser, watch, site }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL: site.url, ...options });
      contexts.push(context);
      await watch.add(context);
      return context.newPage();
    });
    await Promise.all(contexts.map(closeBrowser));
  },
});

/**
 * Closes a browser with its pages. In the second after a passkey was used, Chromium may lose the order to close a page (tried: 5 of
 * 83 times on a slow machine): the page lives on, and the browser waits for it for good. Another order is followed.
 */
async function closeBrowser(context: BrowserContext): Promise<void> {
  const closed = context.close();
  if (await Promise.race([closed.then(() => true), delay(5000, false, { ref: false })])) return;
  await Promise.all(context.pages().map((page) => page.close()));
  await closed;
}

/** Fills in the provider's sign-in page, which the page must be on its way to. */
export async function fillSignIn(page: Page, person: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.locator('#email').fill(person.email);
  await page.locator('#password').fill(person.password);
  await page.locator('#next').click();
}

/** Signs in from the login screen and waits for the dashboard, or for the address that is opened. */
export async function signIn(page: Page, person: Person, address = '/'): Promise<void> {
  await page.goto(address);
  await fillSignIn(page, person);
  if (address === '/') await expectDashboard(page, person);
  else await page.waitForURL(`**${address}`);
}

/** What a browser keeps of the administrator of a site who has signed in, and until when it is good (milliseconds). */
type Inside = { cookies: Cookie[]; items: [name: string, value: string][]; until: number };

const insides = new WeakMap<Site, Promise<Inside>>();

/**
 * Opens a screen as the administrator, who has signed in before: the first time for each site in a browser of its own. Nobody
 * renews the token in it, for journeys side by side would take the refresh token from each other; the provider itself does
 * not remember the person. Not for journeys about signing in or out.
 */
export async function enter(page: Page, site: Site, address = '/layout/dashboard'): Promise<void> {
  let inside = insides.get(site);
  if (!inside || (await inside).until < Date.now()) {
    inside = signInElsewhere(page, site);
    insides.set(site, inside);
  }
  const { cookies, items } = await inside;
  await page.context().addCookies(cookies);
  // Put there by the page itself as it is opened: Playwright would open another one for it, at half the costs of a visit.
  const before = await page.addInitScript(keepItems, { origin: site.url, items });
  await page.goto(address);
  await before.dispose();
  if (address.startsWith('/layout/dashboard')) await expectDashboard(page, site.administrator);
}

function keepItems({ origin, items }: { origin: string; items: Inside['items'] }): void {
  if (location.origin !== origin) return;
  for (const [name, value] of items) localStorage.setItem(name, value);
}

async function signInElsewhere(page: Page, site: Site): Promise<Inside> {
  const context = await page.context().browser()!.newContext({ baseURL: site.url });
  try {
    const elsewhere = await context.newPage();
    await signIn(elsewhere, site.administrator);
    const items = await elsewhere.evaluate(() => Object.entries<string>(localStorage));
    const isOfLibrary = (name: string) => name.startsWith('msal.');
    return {
      cookies: (await context.cookies()).filter(({ name }) => isOfLibrary(name)),
      items: items.filter(([name]) => isOfLibrary(name)),
      // A third of the token's life.
      until: Date.now() + 20 * 60_000,
    };
  } finally {
    await context.close();
  }
}

/** The browser forgets the session; what its device keeps stays. No page is left that would notice, and go to the login screen by itself. */
export async function forgetSession(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.context().clearCookies({ name: '__Host-vestibule' });
}

/** Waits until somebody is on their dashboard. */
export async function expectDashboard(page: Page, person: Pick<Person, 'name'>): Promise<void> {
  await page.waitForURL('**/layout/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome, ${person.name}`);
}

/** Waits for the provider's sign-in page. */
export async function expectSignInPage(page: Page): Promise<void> {
  await expect(page.locator('#password')).toBeVisible();
  expect(new URL(page.url()).pathname).toContain('/b2c_1a_signin/');
}

/** Fills in the provider's sign-up page, which the page must be on its way to. */
export async function fillSignUp(page: Page, person: Pick<Person, 'name' | 'password'>): Promise<void> {
  await page.locator('#displayName').fill(person.name);
  await page.locator('#newPassword').fill(person.password);
  await page.locator('#reenterPassword').fill(person.password);
  await page.locator('#continue').click();
}

/** Takes an invitation link to the end: the dialog that says so. */
export async function signUp(page: Page, person: Person, link: string): Promise<void> {
  await page.goto(link);
  await fillSignUp(page, person);
  await expect(page.getByText('Sign up successfully.')).toBeVisible();
}

/** Opens the menu of the person who is signed in. */
export async function openPersonMenu(page: Page): Promise<void> {
  await page.getByRole('banner').locator('button[aria-haspopup="menu"]').click();
}

/** Signs out by the person's menu. */
export async function signOut(page: Page): Promise<void> {
  await openPersonMenu(page);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/**
 * The browser's Back button. A page out of the back/forward cache is there at once and tells Playwright of no load: after it,
 * wait for what stands on the page, or for an address with `{ waitUntil: 'commit' }`.
 */
export async function goBack(page: Page): Promise<void> {
  await page.goBack({ waitUntil: 'commit' }).catch((error: unknown) => {
    // The page has moved on the moment it was there.
    if (!String(error).includes('ERR_ABORTED')) throw error;
  });
}

/** The browser's Forward button, as above. */
export async function goForward(page: Page): Promise<void> {
  await page.goForward({ waitUntil: 'commit' });
}

/** What the page's site has stored in this browser. */
export function readStorage(page: Page): Promise<{ local: string[]; session: string[]; cookie: string }> {
  return page.evaluate(() => ({
    local: Object.keys(window.localStorage),
    session: Object.keys(window.sessionStorage),
    cookie: document.cookie,
  }));
}

/** Goes to an address of the site at which nothing runs, to look at what the browser keeps. */
export async function standStill(page: Page): Promise<void> {
  const body = '<!doctype html><html lang="en"><title>Still</title><link rel="icon" href="data:," />';
  await page.route('**/stand-still', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto('/stand-still');
}

/** The dialog of the error screen (A4). */
export function errorDialog(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Error', exact: true });
}

/** How many accounts the provider's library keeps in this browser. */
export function accountsKept(page: Page): Promise<number> {
  return page.evaluate(
    () => (JSON.parse(window.localStorage.getItem('msal.3.account.keys') ?? '[]') as string[]).length,
  );
}

/** Opens the screens with grids as an administrator who is signed in; gives the editions of the grid that were fetched. */
export async function gridPrograms(page: Page): Promise<string[]> {
  const requested: string[] = [];
  page.on('request', (request) => {
    const name = /\/assets\/(grid-(?:community|enterprise))-/.exec(request.url())?.[1];
    if (name) requested.push(name);
  });
  await page.goto('/layout/people');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await page.goto('/layout/invitations');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Invitations');
  return [...new Set(requested)];
}
