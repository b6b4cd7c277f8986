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
import { createPerson } from '../../packages/testing/src/site.ts';

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

test('several methods have a button each with the last used first, also after Back (M1, C9)', async ({
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
  await goBack(page);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(methodButtons(page)).toHaveCount(3);
  await page.getByRole('button', { name: 'Continue with Microsoft' }).click();
  await fillSignIn(page, oidc.administrator);
  await expectDashboard(page, oidc.administrator);
});

test('the login screen names the application that the user opens after the sign-in (S3)', async ({
  page,
  oidc,
}) => {
  const address = 'https://wiki.example.com';
  await oidc.callAsAdmin('POST', '/api/applications', { name: 'Wiki', address, access: [] });
  const query = new URLSearchParams({ address, to: '/' }).toString();
  await page.goto(`/layout/open-application?${query}`);
  await expect(page.getByText('Sign in to continue to Wiki.')).toBeVisible();
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
    const continueButton = page.getByRole('button', { name: 'Continue', exact: true });
    await expect(page.getByText('How do you want to sign in?')).toBeVisible();
    await continueButton.click();
    await expect(field).toHaveAccessibleDescription('Type your e-mail address, such as ann@example.com.');
    await expect(field).toBeFocused();
    await field.fill('dora@nowhere.example');
    await page.keyboard.press('Enter');
    await expect(field).toHaveAccessibleDescription(
      'No sign-in method is set for nowhere.example. Choose one below.',
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

test.describe('in German, with its longer words,', () => {
  test.use({ locale: 'de' });

  test('an invitee who used another account starts again, and verifies the address by a mailed code; each step is accessible, also at 320 px (M4, G4)', async ({
    page,
    oidc,
  }) => {
    const checkScreen = async (name: string) => {
      await expectNoViolation(page, name);
      expect(await page.locator('body').textContent()).not.toMatch(/\{\w*\}|undefined|\bnull\b/);
    };
    await page.goto('/');
    await expect(methodButtons(page)).toHaveCount(3);
    await checkScreen('the choice of a sign-in method');

    const [long, other] = [createPerson('Karla Kurz'), createPerson('Otto Other')];
    const person = { ...long, email: `${'a'.repeat(40)}-${long.email}` };
    const { link } = await oidc.invite(person.email);
    await page.goto(link);
    await expect(page.getByText(person.email)).toBeVisible();
    await checkScreen('invitation');

    oidc.isNext(other, { way: 'globex' });
    await page.getByRole('button', { name: /Globex/ }).click();
    const problem = page.getByRole('dialog');
    await expect(problem).toContainText(person.email);
    await expect(problem).toContainText(other.email);
    await checkScreen('a wrong account');

    oidc.isNext(person, { way: 'acme', verified: false });
    await problem.getByRole('button', { name: 'Zurück zur Einladung' }).click();
    await page.getByRole('button', { name: /Acme/ }).click();
    await expect(page.getByRole('textbox')).toBeFocused();
    await checkScreen('the code');
    const { text } = await oidc.mailTo(person.email, /^\d{6} /);
    await page.getByRole('textbox').fill(/\b\d{6}\b/.exec(text)?.[0] ?? '');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Willkommen, ${person.name}`);
  });
});
