/** Signing in at the embedded provider in the browser. */
import { expect, type Cookie, type Page } from '@playwright/test';
import type { Person, Site } from './site.ts';

/** Of the page, for the function that runs there. The types of the browser differ from those of Node.js. */
declare const location: { origin: string };

/** Waits for the provider's sign-in page and fills it in. */
export async function fillSignIn(page: Page, person: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.locator('#email').fill(person.email);
  await page.locator('#password').fill(person.password);
  await page.locator('#next').click();
}

/** Signs in from the login screen and waits for the dashboard or `address`. */
export async function signIn(page: Page, person: Person, address = '/'): Promise<void> {
  await page.goto(address);
  await fillSignIn(page, person);
  if (address === '/') await expectDashboard(page, person);
  else await page.waitForURL(`**${address}`);
}

/** The stored session of a person. `until` is in milliseconds since 1970. */
type StoredSession = { cookies: Cookie[]; items: [name: string, value: string][]; until: number };

const storedSessions = new WeakMap<Person, Promise<StoredSession>>();

/** Opens a screen as the site's administrator, as `openAs` does. */
export const openAsAdministrator = (page: Page, site: Site, address?: string): Promise<void> =>
  openAs(page, site, site.administrator, address);

/**
 * Opens a screen with a stored session, which is created once per person by a sign-in in a separate context. Its token is not renewed,
 * because parallel tests share the refresh token. The provider has no session. Not for tests of signing in or out.
 */
export async function openAs(
  page: Page,
  site: Site,
  person: Person,
  address = '/layout/dashboard',
): Promise<void> {
  let inside = storedSessions.get(person);
  if (!inside || (await inside).until < Date.now()) {
    inside = signInInNewContext(page, site, person);
    storedSessions.set(person, inside);
  }
  const { cookies, items } = await inside;
  await page.context().addCookies(cookies);
  // Stored by an init script: Playwright's own storage API would open another page, which doubles the time.
  const before = await page.addInitScript(storeItems, { origin: site.url, items });
  await page.goto(address);
  await before.dispose();
  // The heading has the same form in any language.
  if (address.startsWith('/layout/dashboard'))
    await expect(page.getByRole('heading', { level: 1 })).toContainText(person.name);
}

function storeItems({ origin, items }: { origin: string; items: StoredSession['items'] }): void {
  if (location.origin !== origin) return;
  for (const [name, value] of items) localStorage.setItem(name, value);
}

async function signInInNewContext(page: Page, site: Site, person: Person): Promise<StoredSession> {
  const context = await page.context().browser()!.newContext({ baseURL: site.url, locale: 'en-US' });
  try {
    const elsewhere = await context.newPage();
    await signIn(elsewhere, person);
    const items = await elsewhere.evaluate(() => Object.entries<string>(localStorage));
    const isOfLibrary = (name: string) => name.startsWith('msal.');
    return {
      cookies: (await context.cookies()).filter(({ name }) => isOfLibrary(name)),
      items: items.filter(([name]) => isOfLibrary(name)),
      // 20 minutes are a third of the token's lifetime.
      until: Date.now() + 20 * 60_000,
    };
  } finally {
    await context.close();
  }
}

export async function expectDashboard(page: Page, person: Pick<Person, 'name'>): Promise<void> {
  await page.waitForURL('**/layout/dashboard');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome, ${person.name}`);
}
