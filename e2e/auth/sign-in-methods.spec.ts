/**
 * Two OpenID Providers together with the Azure AD B2C emulator (M1, M4): choosing a sign-in method, and
 * accessibility of the screens.
 */
import { expectNoViolation } from '../screens/axe.ts';
import {
  expect,
  expectDashboard,
  expectSignInPage,
  fillSignIn,
  goBack,
  type Page,
  clearSessionCookie,
} from '../fixtures/site-test.ts';
import { oidcTest, type OidcSite } from '../fixtures/oidc-site.ts';
import { createPerson } from '../fixtures/site.ts';

const test = oidcTest({ methods: ['acme', 'globex'], withB2c: true, env: { OIDC_ACME_EMAIL: 'ask' } });

const methodButtons = (page: Page) => page.locator('main.login').getByRole('button');

/** Sets the sign-in method by domain, with lines such as "example.com globex". */
async function setDomains(oidc: OidcSite, lines: string[]): Promise<void> {
  const { signInDomains } = (await oidc.callAsAdmin('GET', '/api/settings')) as {
    signInDomains: { version: number };
  };
  const { status } = await oidc.call(oidc.administrator, 'PATCH', '/api/settings', {
    signInDomains: lines,
    versions: { signInDomains: signInDomains.version },
  });
  expect(status).toBe(200);
}

test('several methods have a button each with the last used first; the B2C library loads when B2C is chosen (M1)', async ({
  page,
  oidc,
}) => {
  const person = createPerson('Wanda Ways');
  const { link } = await oidc.invite(person.email);
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(request.url()));
  oidc.isNext(person, { way: 'globex' });
  await page.goto(link);
  await expect(methodButtons(page)).toHaveText([
    'Continue with Microsoft',
    'Continue with Acme',
    'Continue with Globex',
  ]);
  // On a phone the address breaks before its domain, not at a hyphen.
  await expect(page.locator('.login-status .address-part')).toHaveText([/^[^@]+$/, /^@example\.com/]);
  await methodButtons(page).last().focus();
  await page.keyboard.press('Enter');
  await expectDashboard(page, person);
  expect(scripts.filter((url) => /msal-|provider-client/.test(url))).toEqual([]);

  await clearSessionCookie(page);
  await page.goto('/');
  await expect(page.getByText('How do you want to sign in?')).toBeVisible();
  await expect(methodButtons(page)).toHaveText([
    'Continue with Globex',
    'Continue with Microsoft',
    'Continue with Acme',
  ]);
  await page.getByRole('button', { name: 'Continue with Microsoft' }).click();
  await expectSignInPage(page);
  await fillSignIn(page, oidc.administrator);
  await expectDashboard(page, oidc.administrator);
});

test('an address selects the method by its domain and is passed to the provider; an unknown domain shows a message (M1)', async ({
  page,
  otherBrowser,
  oidc,
  expectConsole,
}) => {
  expectConsole(/status of 400 .*\/api\/sign-in\/start/, 'the domain is unknown');
  const person = createPerson('Dora Domain');
  await oidc.invite(person.email);
  await page.goto('/');
  await expect(methodButtons(page)).toHaveCount(3);
  await expect(page.getByLabel('E-mail address')).toHaveCount(0);

  await setDomains(oidc, ['example.com globex', 'elsewhere.example b2c']);
  try {
    await page.reload();
    const field = page.getByLabel('E-mail address');
    const goOn = page.getByRole('button', { name: 'Continue', exact: true });
    await expect(page.getByText('How do you want to sign in?')).toBeVisible();
    await goOn.click();
    await expect(field).toHaveAccessibleDescription('Type your e-mail address, such as ann@example.com.');
    await expect(field).toBeFocused();
    await field.fill('dora@nowhere.example');
    await page.keyboard.press('Enter');
    await expect(field).toHaveAccessibleDescription(
      'This site does not know where people of nowhere.example sign in. Choose below.',
    );
    await expect(field).toHaveAttribute('aria-invalid');
    await expectNoViolation(page, 'an unknown domain');

    oidc.isNext(person, { way: 'globex' });
    await field.fill(person.email);
    await page.keyboard.press('Enter');
    await expectDashboard(page, person);
    expect(oidc.providers.globex.next.seen.at(-1)?.params).toMatchObject({
      login_hint: person.email,
      ui_locales: 'en',
    });

    const elsewhere = await otherBrowser();
    await elsewhere.goto('/');
    await elsewhere.getByLabel('E-mail address').fill('ada@elsewhere.example');
    await elsewhere.keyboard.press('Enter');
    await expectSignInPage(elsewhere);
  } finally {
    await setDomains(oidc, []);
  }
});

test('Back from a provider shows the methods and causes no redirect loop (C9)', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Continue with Microsoft' }).click();
  await expectSignInPage(page);
  await goBack(page);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(methodButtons(page)).toHaveCount(3);
});

test('an invitation accepted with another address is refused with a message that names both, and can be reopened (M4)', async ({
  page,
  oidc,
}) => {
  const [invited, other] = [createPerson('Ina Invited'), createPerson('Otto Other')];
  const { link } = await oidc.invite(invited.email);
  oidc.isNext(other, { way: 'globex' });
  await page.goto(link);
  await page.getByRole('button', { name: 'Continue with Globex' }).click();
  const dialog = page.getByRole('dialog', { name: 'You are not signed in' });
  await expect(dialog).toContainText(invited.email);
  await expect(dialog).toContainText(other.email);
  oidc.isNext(invited, { way: 'globex' });
  await dialog.getByRole('button', { name: 'Back to the invitation' }).click();
  await page.getByRole('button', { name: 'Continue with Globex' }).click();
  await expectDashboard(page, invited);
});

test('an invitation with a long name and address fits 320 px (G4)', async ({ page, oidc }) => {
  const setName = (name: string) =>
    oidc.sql('update people set display_name = $1 where email = $2', [name, oidc.administrator.email]);
  const email = `${'a'.repeat(48)}@example.com`;
  const { link } = await oidc.invite(email);
  await setName('W'.repeat(60));
  try {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(link);
    await expect(page.getByText(email)).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  } finally {
    await setName(oidc.administrator.name);
  }
});

test.describe('in German, with its longer words,', () => {
  test.use({ locale: 'de' });

  test('methods, an invitation, an error and the code form are accessible, also at 320 px (G4)', async ({
    page,
    oidc,
  }) => {
    const look = async (name: string) => {
      await expectNoViolation(page, name);
      expect(await page.locator('body').textContent()).not.toMatch(/\{\w*\}|undefined|\bnull\b/);
    };
    await page.goto('/');
    await expect(methodButtons(page)).toHaveCount(3);
    await look('ways');

    const person = createPerson('Karla Kurz');
    const { link } = await oidc.invite(person.email);
    await page.goto(link);
    await expect(page.getByText(person.email)).toBeVisible();
    await look('invitation');

    oidc.isNext(person, { way: 'acme', verified: false });
    await page.getByRole('button', { name: /Acme/ }).click();
    await expect(page.getByRole('textbox')).toBeFocused();
    await look('proof');

    oidc.isNext(createPerson('Sam Stranger'), { way: 'globex' });
    await page.goto('/');
    await page.getByRole('button', { name: /Globex/ }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await look('problem');
  });
});
