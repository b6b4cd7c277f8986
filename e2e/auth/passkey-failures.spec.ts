/** Failures on a site with passkeys only (M7, M8; E3, G4). Each shows an error and a next step. */
import { expectNoViolation } from '../screens/axe.ts';
import { expect, expectDashboard, clearSessionCookie } from '../fixtures/site-test.ts';
import {
  button,
  acceptWithPasskey,
  openAsAdministrator,
  enterCode,
  emailCodeLabel,
  createPasskeyLabel,
  signInByCode,
  test,
  getStepError,
  usePasskeyLabel,
} from '../fixtures/passkeys-test.ts';
import { addAuthenticator } from '../fixtures/virtual-authenticator.ts';

test('127.0.0.1, where browsers support no passkeys, redirects to localhost (M7)', async ({
  page,
  passkeys,
}) => {
  await page.goto(`${passkeys.url.replace('localhost', '127.0.0.1')}/layout/profile`);
  await expect(button(page, usePasskeyLabel)).toBeVisible();
  expect(page.url()).toBe(`${passkeys.url}/`);
});

test('a browser without passkey support signs in by code and is offered no passkey (M7)', async ({
  page,
  passkeys,
}) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
  const person = await passkeys.createInvitee('Otto Old');
  await page.goto(person.link);
  await expect(page.getByText('This browser has no passkeys.')).toBeVisible();
  await expect(button(page, createPasskeyLabel)).toHaveCount(0);
  await page.getByLabel('Your name').fill(person.name);
  await button(page, emailCodeLabel).click();
  await enterCode(page, passkeys, person.email);
  await expectDashboard(page, person);
  await page.goto('/layout/profile');
  await expect(page.getByText('This browser has no passkeys.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toHaveCount(0);
  await clearSessionCookie(page);

  await passkeys.changeSetting('passkeyRequired', 'everybody');
  try {
    await signInByCode(page, passkeys, person.email);
    await expect(page.getByText('This site requires a passkey.')).toBeVisible();
    await expect(page.getByText('Use another browser or device, or write to')).toBeVisible();
    await expectNoViolation(page, 'a required passkey in a browser without passkey support');
    await button(page, 'Use another way').click();
    await expect(page.getByLabel('E-mail address')).toBeVisible();
  } finally {
    await passkeys.changeSetting('passkeyRequired', null);
  }
});

test('an invitation revoked while its page is open shows an error, and a passkey cannot accept it (M8)', async ({
  page,
  passkeys,
  authenticator,
  expectConsole,
}) => {
  expectConsole(/status of 40[034]/, 'the invitation was revoked');
  const person = await passkeys.createInvitee();
  await page.goto(person.link);
  await page.getByLabel('Your name').fill(person.name);
  const { rows } = await passkeys.order('GET', `/api/invitations?search=${encodeURIComponent(person.email)}`);
  await passkeys.order('POST', `/api/invitations/${(rows as { id: string }[])[0]?.id}/revoke`);
  await button(page, createPasskeyLabel).click();
  // The page reloads itself.
  await expect(page.getByRole('dialog')).toContainText(/invalid|expired/);
  expect((await authenticator.credentials()).length).toBeLessThan(2);
});

test('an unanswered authenticator prompt blocks neither another tab nor the reloaded page (M7)', async ({
  page,
  passkeys,
  authenticator,
}) => {
  const person = await passkeys.createInvitee();
  await acceptWithPasskey(page, person);
  await clearSessionCookie(page);
  await authenticator.setPresent(false);
  await page.goto('/');
  await button(page, usePasskeyLabel).click();
  await expect(page.locator('[aria-busy="true"]')).toBeVisible();
  const tab = await page.context().newPage();
  const same = await addAuthenticator(tab);
  await same.copyFrom(authenticator);
  await tab.goto('/');
  await expectDashboard(tab, person);
  await tab.close();
  // This tab follows the sign-in.
  await expectDashboard(page, person);
  await page.reload();
  await expectDashboard(page, person);
});

test('a cancelled prompt of the address field is offered again (M7)', async ({
  page,
  passkeys,
  authenticator,
}) => {
  expect(await authenticator.credentials()).toEqual([]);
  const person = await passkeys.createInvitee();
  await acceptWithPasskey(page, person);
  await clearSessionCookie(page);
  await page.addInitScript(() => {
    const request = navigator.credentials.get.bind(navigator.credentials);
    let isCancelled = false;
    navigator.credentials.get = (options) => {
      if (isCancelled) return request(options);
      isCancelled = true;
      return Promise.reject(new DOMException('', 'NotAllowedError'));
    };
  });
  await page.goto('/');
  await expectDashboard(page, person);
});

test('being offline shows an error on the same screen, which continues when online again (E3)', async ({
  page,
  passkeys,
  authenticator,
  expectConsole,
}) => {
  expectConsole(/ERR_INTERNET_DISCONNECTED/, 'the browser is offline');
  const person = await passkeys.createInvitee();
  await acceptWithPasskey(page, person);
  await clearSessionCookie(page);
  // Otherwise the prompt of the address field signs in.
  await authenticator.setPresent(false);
  await page.goto('/');
  await expect(button(page, usePasskeyLabel)).toBeVisible();
  await page.context().setOffline(true);
  await button(page, usePasskeyLabel).click();
  await expect(getStepError(page)).toHaveText(
    'The server could not be reached. Check your connection and try again.',
  );
  await page.context().setOffline(false);
  await page.getByLabel('E-mail address').fill(person.email);
  await button(page, emailCodeLabel).click();
  await expect(page.getByLabel('Code')).toBeVisible();
  // A slow connection shows no empty panel.
  const delay = Promise.withResolvers<void>();
  const outcomeRoute = '**/api/sign-in/outcome?*';
  await page.route(outcomeRoute, (route) => delay.promise.then(() => route.continue()));
  await Promise.all([page.waitForRequest(outcomeRoute), page.reload()]);
  await expect(page.getByText('Loading…')).toBeVisible();
  await expect(page.locator('.login-panel')).toBeHidden();
  delay.resolve();
  await enterCode(page, passkeys, person.email);
  await expectDashboard(page, person);
});

test.describe('in German, with its longer words,', () => {
  test.use({ locale: 'de' });

  test('every step is accessible and fits 320 px (G4)', async ({
    page,
    passkeys,
    otherBrowser,
    expectConsole,
  }) => {
    expectConsole(/status of 403 .*\/passkeys\/options/, 'the sign-in is too old to add a passkey');
    const device = await addAuthenticator(page, { isPresent: false });
    const checkScreen = async (name: string, shown = page) => {
      await expectNoViolation(shown, name);
      expect(await shown.locator('body').textContent()).not.toMatch(/\{\w*\}|undefined|\bnull\b/);
    };
    const field = page.locator('.login-panel input');
    const submit = page.locator('.login-panel button[type="submit"]');
    await page.goto('/');
    await expect(field).toBeFocused();
    await submit.click();
    await expect(page.locator('[aria-invalid="true"]')).toBeVisible();
    await checkScreen('sign-in');

    const person = await passkeys.createInvitee('Karla Kurz');
    await page.setViewportSize({ width: 320, height: 568 });
    await page.goto(person.link);
    await expect(field).toBeFocused();
    await field.fill(person.name);
    await device.setVerified(false);
    await device.setPresent(true);
    await submit.click();
    await expect(page.locator('.login-panel [role="alert"] p')).toBeInViewport({ ratio: 1 });
    await checkScreen('invitation');

    await page.locator('.login-panel .button-secondary').click();
    await expect(page.locator('.login-code input')).toBeFocused();
    await checkScreen('code');
    await page.locator('.login-code input').fill('');
    await enterCodeOf(person.email);
    await expect(page.locator('.login-panel .fingerprint')).toBeVisible();
    await checkScreen('offer');

    async function enterCodeOf(email: string): Promise<void> {
      const { text } = await passkeys.mailTo(email, /^\d{6}\b/);
      await page.locator('.login-code input').fill(/\b\d{6}\b/.exec(text)?.[0] ?? '');
    }

    await device.setVerified(true);
    await page.locator('.login-panel .button-primary').click();
    await page.waitForURL('**/layout/dashboard');
    await expect(page.getByRole('heading', { level: 1 })).toContainText(person.name);
    await page.goto('/layout/profile');
    await expect(page.locator('.passkeys li')).toHaveCount(1);
    await checkScreen('profile');
    await passkeys.letSignInAge(person, 11);
    await page.locator('.passkeys-head button').click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await checkScreen('confirm');

    const admin = await otherBrowser({ locale: 'de' });
    await openAsAdministrator(admin, passkeys, `/layout/people/${await passkeys.getPersonId(person)}`);
    await expect(admin.locator('.passkeys li')).toHaveCount(1);
    await admin.locator('.passkeys-head button').click();
    await expect(admin.getByRole('dialog')).toBeVisible();
    await admin.getByRole('dialog').locator('.button-danger').click();
    await expect(admin.locator('.passkeys-reset')).toBeVisible();
    await checkScreen('a pending reset', admin);
  });
});
