/** English and German, and choosing the language. screens.spec.ts checks for untranslated texts. */
import {
  expect,
  expectSignInPage,
  fillSignIn,
  fillSignUp,
  openAsAdministrator,
  test,
} from '../fixtures/site-test.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

test.describe('in a German browser', () => {
  test.use({ locale: 'de-DE' });

  test('mail, sign-up and dashboard are in German, and ui_locales is de', async ({ page, site }) => {
    const person = createPerson('Gerda Gast');
    await site.callAsAdmin('POST', '/api/invitations', {
      email: person.email,
      role: 'member',
      language: 'de',
    });
    const mail = await site.mailTo(person.email);
    expect(mail.subject).toContain('Einladung');
    // Only real B2C has German pages.
    const signUp = page.waitForRequest(/\/authorize\?.*ui_locales=de/);
    await page.goto(/^http\S+$/m.exec(mail.text)?.[0] ?? '');
    await signUp;
    await fillSignUp(page, person);
    const done = page.getByRole('dialog', { name: 'Registrierung', exact: true });
    await expect(done).toContainText('Die Registrierung war erfolgreich.');
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await done.getByRole('button', { name: 'Zur Anmeldung' }).click();
    await expectSignInPage(page);
    await fillSignIn(page, person);
    await page.waitForURL('**/layout/dashboard');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Willkommen, Gerda Gast');
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Übersicht' })).toBeVisible();
  });

  test('lists have German titles, dates and errors of the server, and fit a phone', async ({
    page,
    site,
    expectConsole,
  }) => {
    expectConsole(/status of 409/, 'a member is invited');
    const person = await site.createMember();
    await openAsAdministrator(page, site, '/layout/people');
    const row = page.getByRole('row', { name: person.email });
    const joined = row.locator('time').first();
    await expect(joined).toHaveText(/^(?:jetzt|vor \d+ Minuten?)$/);
    await expect(joined).toHaveAttribute('title', /^\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}$/);
    for (const title of ['Name', 'Rolle', 'Dabei seit', 'Letzte Anmeldung'])
      await expect(page.getByRole('columnheader', { name: title })).toBeVisible();
    await expect(page.getByRole('searchbox', { name: 'Personen durchsuchen' })).toBeVisible();
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto('/layout/invitations');
    const tools = page.locator('.grid-tools');
    await expect(tools.getByRole('button', { name: 'Sortieren, filtern' })).toBeVisible();
    const lines = await tools.evaluate((element) =>
      Array.from(element.children, (tool) => tool.getBoundingClientRect().top),
    );
    expect(new Set(lines).size).toBe(1);
    await page.getByRole('button', { name: 'Jemanden einladen' }).first().click();
    await page.getByLabel('E-Mail-Adressen').fill(person.email);
    await page.getByRole('button', { name: 'Einladung senden' }).click();
    await expect(page.getByText('Diese Adresse gehört jemandem, der schon Mitglied ist.')).toBeVisible();
    await page.getByLabel('E-Mail-Adressen').fill('keine.adresse');
    await page.getByRole('button', { name: 'Einladung senden' }).click();
    await expect(page.getByText('Geben Sie eine E-Mail-Adresse ein', { exact: false })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.goto('/layout/profile');
    const theme = page.locator('label', { hasText: 'Tageslicht' });
    expect(await theme.evaluate((label) => label.scrollWidth - label.clientWidth)).toBe(0);
  });

  test("the chosen language overrides the browser's, from the first page on", async ({
    page,
    context,
    site,
  }) => {
    await context.addCookies([{ name: 'language', value: 'en', url: site.url }]);
    await page.goto('/signup?i=DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD');
    await expect(page.getByRole('dialog')).toContainText('Invite link is invalid.');
    await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  });

  test.describe('without scripts', () => {
    test.use({ javaScriptEnabled: false });

    test('the login screen is German from its first byte', async ({ page }) => {
      const response = await page.goto('/');
      expect(response?.headers()['vary']).toMatch(/accept-language/i);
      await expect(page.locator('html')).toHaveAttribute('lang', 'de');
      expect(await response?.text()).toContain('Vestibule braucht JavaScript.');
    });
  });
});
