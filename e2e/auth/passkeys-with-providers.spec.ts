/** Passkeys together with an OpenID Provider and Azure AD B2C (M1, M7, M8). */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { decodeJwt, importJWK, SignJWT, type JWK } from 'jose';
import { expectNoViolation } from '../screens/axe.ts';
import { expect, expectDashboard, fillSignIn, clearSessionCookie, type Page } from '../fixtures/site-test.ts';
import { oidcTest, type OidcSite } from '../fixtures/oidc-site.ts';
import { button, createPasskeyLabel, usePasskeyLabel } from '../fixtures/passkeys-test.ts';
import { createPerson, type Person } from '../../packages/testing/src/site.ts';
import { addAuthenticator } from '../fixtures/virtual-authenticator.ts';

const test = oidcTest({ methods: ['acme'], withB2c: true, env: { SIGN_IN_WITH: 'b2c,oidc,passkeys' } });

const acme = 'Continue with Acme';
const microsoft = 'Continue with Microsoft';

async function signInWithB2c(page: Page, person: Person): Promise<void> {
  await page.goto('/');
  await button(page, microsoft).click();
  await fillSignIn(page, person);
  await expectDashboard(page, person);
}

/** Backdates the B2C sign-in of the page's user by an hour, in tokens that are issued from now on. */
async function backdateB2cSignIn(page: Page, { server }: OidcSite): Promise<void> {
  const file = await readFile(path.join(server.dataDirectory, 'identity-provider.json'), 'utf8');
  const { privateJwk } = JSON.parse(file) as { privateJwk: JWK };
  const calledAt = Date.now() / 1000;
  const backdate = async (token: string) => {
    const claims = decodeJwt<{ auth_time: number }>(token);
    // A later sign-in is recent.
    if (claims.auth_time > calledAt) return token;
    return new SignJWT({ ...claims, auth_time: claims.auth_time - 3600 })
      .setProtectedHeader({ alg: 'RS256', kid: privateJwk.kid as string, typ: 'JWT' })
      .sign(await importJWK(privateJwk, 'RS256'));
  };
  await page.route('**/oauth2/v2.0/token*', async (route) => {
    const response = await route.fetch();
    const tokens = (await response.json()) as { access_token?: string };
    if (tokens.access_token) tokens.access_token = await backdate(tokens.access_token);
    await route.fulfill({ response, json: tokens });
  });
  // Removes the token, so that the next token has the new auth_time.
  await page.evaluate(() => {
    for (const name of Object.keys(window.localStorage))
      if (name.includes('accesstoken')) window.localStorage.removeItem(name);
  });
  await page.reload();
}

test('login screen and invitation offer passkey, code and provider, and each signs in (M1, M7)', async ({
  page,
  oidc,
}) => {
  const invite = async (name: string) => {
    const person = createPerson(name);
    return { ...person, ...(await oidc.invite(person.email)) };
  };

  const keyed = await invite('Kay Keyed');
  const device = await addAuthenticator(page);
  await page.goto(keyed.link);
  await expect(button(page, acme)).toBeVisible();
  await expectNoViolation(page, 'an invitation with several ways');
  await page.getByLabel('Your name').fill(keyed.name);
  await button(page, createPasskeyLabel).click();
  await expectDashboard(page, keyed);
  await clearSessionCookie(page);
  await device.setPresent(false);
  await page.goto('/');
  await expect(page.locator('.login-panel').getByRole('button')).toHaveText([
    usePasskeyLabel,
    'E-mail me a code',
    microsoft,
    acme,
  ]);

  // Other sign-in methods stay available while the address field offers a passkey.
  const vouched = await invite('Vera Vouched');
  oidc.isNext(vouched);
  await page.goto(vouched.link);
  await button(page, acme).click();
  await expectDashboard(page, vouched);
  await clearSessionCookie(page);
  await page.goto('/');
  // The last used method is first and focused.
  await expect(page.locator('.login-panel').getByRole('button')).toHaveText([
    acme,
    usePasskeyLabel,
    'E-mail me a code',
    microsoft,
  ]);
  await expect(button(page, acme)).toBeFocused();
  await page.keyboard.press('Enter');
  await expectDashboard(page, vouched);
});

test('a B2C member with an old sign-in has to sign in again before adding a passkey (M8)', async ({
  page,
  oidc,
  expectConsole,
}) => {
  expectConsole(/status of 403 .*\/api\/users\/me\/passkeys\/options/, 'the sign-in is not recent');
  const person = await oidc.createMember({ name: 'Bea Both' });
  await addAuthenticator(page);
  await signInWithB2c(page, person);
  await page.goto('/layout/profile');
  await expect(button(page, 'Add a passkey')).toBeVisible();
  await backdateB2cSignIn(page, oidc);
  await button(page, 'Add a passkey').click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  // The sign-in page of B2C has this user's address and requires the password.
  await expect(page.locator('#email')).toHaveValue(person.email);
  await fillSignIn(page, person);
  await expect(page.getByText('Confirmed. Now try again.')).toBeVisible();
  await expect(page).toHaveURL(/\/layout\/profile$/);
  await button(page, 'Add a passkey').click();
  await expect(page.getByText('Added. We have e-mailed you a confirmation.')).toBeVisible();
});
