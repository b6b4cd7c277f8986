/**
 * Journeys on a site without any identity provider (M7, M8): people come in with passkeys, or with codes by e-mail.
 */
import { askForPasskey } from '@vestibule/contract/sign-in/passkeys';
import { expect, expectDashboard, test as base, type Page } from './journey.ts';
import { newestCode, startPasskeysSite, type Invited, type PasskeysSite } from './running-passkeys-site.ts';
import { addAuthenticator, type Authenticator } from './virtual-authenticator.ts';

/** What journeys press. */
export const makeIt = 'Continue with a passkey';
export const useIt = 'Sign in with a passkey';
export const mailMe = 'E-mail me a code';

/** Opens a screen as the administrator. */
export async function enterAsAdministrator(page: Page, site: PasskeysSite, address: string): Promise<void> {
  await page.context().addCookies(
    [...site.cookies()].map(([name, value]) => ({
      name,
      value,
      url: site.url.replace('http:', 'https:'),
      httpOnly: true,
      secure: true,
      sameSite: 'Lax' as const,
    })),
  );
  await page.goto(address);
}

/** `test` for journeys on such a site, one for each worker; `authenticator` is a device of the page's. */
export const test = base.extend<
  { nobodyYet: void; authenticator: Authenticator },
  { passkeys: PasskeysSite }
>({
  nobodyYet: [
    async ({ expectConsole }, use) => {
      expectConsole(/status of 401 .*\/api\//, 'the page asks who is signed in, and is told that nobody is');
      await use();
    },
    { auto: true },
  ],
  authenticator: async ({ page }, use) => use(await addAuthenticator(page)),
  passkeys: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern, and this fixture needs no other
    async ({}, use) => {
      const passkeys = await startPasskeysSite();
      await use(passkeys);
      try {
        expect(await passkeys.leakedSecrets()).toEqual([]);
      } finally {
        await passkeys.stop();
      }
    },
    { scope: 'worker' },
  ],
  site: [async ({ passkeys }, use) => use(passkeys), { scope: 'worker' }],
});

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
/** What a step says went wrong. */
export const trouble = (page: Page) => page.locator('.login-panel').getByRole('alert');

/**
 * Opens the login screen and presses its button. The device is touched only then: what the address field offers by itself would be
 * answered first.
 */
export async function signInByButton(page: Page, device: Authenticator, address = '/'): Promise<void> {
  const question = `**${askForPasskey.path}`;
  await device.setPresent(false);
  const offered = page.waitForResponse(question);
  await page.goto(address);
  await offered;
  await page.route(
    question,
    async (route) => {
      await device.setPresent(true);
      await route.continue();
    },
    { times: 1 },
  );
  await button(page, useIt).click();
}

/** Accepts an invitation with a passkey of the page's device; the person is on their dashboard then. */
export async function comeIn(page: Page, person: Invited): Promise<void> {
  await page.goto(person.link);
  await page.getByLabel('Your name').fill(person.name);
  await button(page, makeIt).click();
  await expectDashboard(page, person);
}

/** Enters the code of the newest mail. */
export async function enterCode(page: Page, site: PasskeysSite, email: string, after = 0): Promise<void> {
  await page.getByLabel('Code').fill(await newestCode(site, email, after));
}

/** Signs in by a code; whoever has no passkey here is offered one then. */
export async function signInByCode(page: Page, site: PasskeysSite, email: string): Promise<void> {
  const before = (await site.mailsTo(email)).filter(({ subject }) => /^\d{6}\b/.test(subject)).length;
  await page.goto('/');
  await page.getByLabel('E-mail address').fill(email);
  await button(page, mailMe).click();
  await enterCode(page, site, email, before);
}
