/**
 * A site with passkeys only (M7, M8): accepting invitations, signing in and lost devices, with passkeys and
 * e-mailed codes.
 */
import {
  clientId,
  clientSecret,
  startTestOidcProvider,
} from '../../apps/server/src/test/sign-in/test-oidc-provider.ts';
import { expectNoViolation } from '../screens/axe.ts';
import {
  clearSessionCookie,
  expect,
  expectDashboard,
  openBlankPage,
  openPersonMenu,
} from '../fixtures/site-test.ts';
import {
  button,
  acceptWithPasskey,
  emailCodeLabel,
  createPasskeyLabel,
  enterCode,
  signInByButton,
  signInByCode,
  test,
  getStepError,
  usePasskeyLabel,
} from '../fixtures/passkeys-test.ts';
import { waitForCode, waitForCodeLink } from '../fixtures/passkeys-site.ts';
import { addAuthenticator } from '../fixtures/virtual-authenticator.ts';

test('an invitee creates a passkey in three interactions, then signs in with it here and on a borrowed computer (M7)', async ({
  page,
  passkeys,
  authenticator,
  otherBrowser,
}) => {
  const person = await passkeys.createInvitee('Ann Other');
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  await page.goto(person.link);
  await expect(page.getByText(`${passkeys.administrator.name} invited you to Vestibule.`)).toBeVisible();
  await expect(page.locator('.login-panel')).toContainText(person.email);
  await expect(page.getByLabel('Your name')).toBeFocused();
  await expect(page.getByLabel('Your name')).toHaveValue('Person');
  await page.keyboard.type(person.name);
  await page.keyboard.press('Enter');
  await expectDashboard(page, person);

  const [passkey, ...others] = await authenticator.credentials();
  expect(others).toEqual([]);
  // The user handle is random: neither the address nor a database id.
  expect(Buffer.from(passkey?.userHandle ?? '', 'base64')).toHaveLength(32);
  const { text } = await passkeys.mailTo(person.email, /passkey/i);
  expect(text).not.toMatch(/\{|undefined|null/);
  expect(fetched.filter((url) => !url.startsWith(passkeys.url) && !url.startsWith('blob:'))).toEqual([]);

  await clearSessionCookie(page);
  await signInByButton(page, authenticator, '/layout/profile?from=mail');
  await page.waitForURL('**/layout/profile?from=mail');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Profile');
  expect((await authenticator.credentials())[0]?.signCount).toBeGreaterThan(0);
  await openPersonMenu(page);
  await authenticator.setPresent(false);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByText('You are signed out.')).toBeVisible();
  await expect(button(page, usePasskeyLabel)).toBeVisible();

  const borrowed = await otherBrowser();
  const phone = await addAuthenticator(borrowed, { isPresent: false });
  await phone.copyFrom(authenticator);
  await signInByButton(borrowed, phone);
  await expectDashboard(borrowed, person);
});

test('a cancelled passkey continues with a code when accepting and when signing in, then is offered again (M7, M8)', async ({
  page,
  passkeys,
  authenticator,
  expectConsole,
}) => {
  expectConsole(/status of 400 .*\/api\/sign-in\/proof/, 'a wrong code is refused');
  const person = await passkeys.createInvitee('Cora Code');
  await authenticator.setVerified(false);
  await page.goto(person.link);
  await page.getByLabel('Your name').fill(' ');
  await button(page, createPasskeyLabel).click();
  await expect(page.locator('.login-panel')).toContainText('Enter your name');
  await page.getByLabel('Your name').fill(person.name);
  await button(page, createPasskeyLabel).click();
  await expect(getStepError(page)).toContainText('No passkey was created.');
  expect(await authenticator.credentials()).toEqual([]);

  await button(page, emailCodeLabel).click();
  const field = page.getByLabel('Code');
  await expect(field).toBeFocused();
  await expect(field).toHaveAttribute('autocomplete', 'one-time-code');
  // A phone may discard the page while the user reads the mail.
  await page.reload();
  await expect(field).toBeFocused();
  await expect(page.locator('main')).toContainText(/A code is on its way to p••@example.com/);
  await field.fill('12');
  await page.keyboard.press('Enter');
  await expect(page.locator('.login-panel')).toContainText('The code has 6 digits.');
  const code = await waitForCode(passkeys, person.email);
  const wrong = code === '000000' ? '111111' : '000000';
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/sign-in/proof'))
      sent.push((request.postDataJSON() as { code: string }).code);
  });
  await field.fill(wrong);
  await expect(page.locator('[aria-invalid="true"]')).toBeVisible();
  // The same digits are not sent again.
  await button(page, 'Continue').click();
  await expect(field).toBeFocused();
  // A code that is pasted with spaces is submitted without a click.
  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await expect(page.getByText('Next time without a code?')).toBeVisible();
  expect(sent).toEqual([wrong, code]);
  await button(page, 'Not now').click();
  await expectDashboard(page, person);

  await clearSessionCookie(page);
  await authenticator.setVerified(false);
  await page.goto('/');
  await button(page, usePasskeyLabel).click();
  await expect(getStepError(page)).toContainText('No passkey was used.');
  await authenticator.setVerified(true);
  await button(page, emailCodeLabel).click();
  await expect(page.locator('.login-panel')).toContainText('Enter your e-mail address');
  await signInByCode(page, passkeys, person.email);
  await expect(button(page, 'Not now')).toBeVisible();
  await authenticator.setVerified(false);
  await button(page, 'Create a passkey').click();
  await expect(getStepError(page)).toContainText('No passkey was created.');
  await authenticator.setVerified(true);
  await button(page, 'Create a passkey').click();
  await expectDashboard(page, person);
  expect(await authenticator.credentials()).toHaveLength(1);
  await clearSessionCookie(page);
  await page.goto('/');
  await expectDashboard(page, person);
});

test('Back from the code returns to the name or the address, also after a reload; Forward returns to the code (M7)', async ({
  page,
  passkeys,
  authenticator,
}) => {
  await authenticator.setPresent(false);
  const person = await passkeys.createInvitee('Betty Back');
  const name = page.getByLabel('Your name');
  const address = page.getByLabel('E-mail address');
  const code = page.getByLabel('Code');
  await page.goto(person.link);
  await name.fill(person.name);
  await button(page, emailCodeLabel).click();
  await expect(code).toBeFocused();
  await page.goBack();
  await expect(name).toHaveValue(person.name);
  await page.goForward();
  await expect(code).toBeFocused();
  await page.reload();
  await expect(code).toBeFocused();
  await page.goBack();
  await expect(name).toHaveValue(person.name);
  await page.goForward();
  await enterCode(page, passkeys, person.email);
  await button(page, 'Not now').click();
  await expectDashboard(page, person);

  await clearSessionCookie(page);
  await openBlankPage(page);
  await page.goto('/');
  await address.fill(person.email);
  const sent = (await passkeys.mailsTo(person.email)).filter(({ subject }) =>
    /^\d{6}\b/.test(subject),
  ).length;
  await button(page, emailCodeLabel).click();
  await expect(code).toBeFocused();
  await page.goBack();
  await expect(address).toHaveValue(person.email);
  await page.goForward();
  await expect(code).toBeFocused();
  await page.reload();
  await expect(code).toBeFocused();
  await page.goBack();
  await expect(address).toHaveValue(person.email);
  await page.goForward();
  await expect(code).toBeFocused();
  await page.goBack();
  await expect(address).toHaveValue(person.email);
  await button(page, emailCodeLabel).click();
  await button(page, 'Use another way').click();
  await expect(address).toHaveValue(person.email);
  await page.goForward();
  await enterCode(page, passkeys, person.email, sent + 1);
  await button(page, 'Not now').click();
  await expectDashboard(page, person);
  // The steps of the sign-in are no longer behind the dashboard.
  await page.goBack();
  await expect(page).toHaveURL(/stand-still$/);
});

test('an invitation that was accepted in another tab says so (D7)', async ({
  page,
  passkeys,
  authenticator,
  expectConsole,
}) => {
  expectConsole(/status of 403 .*\/api\/sign-in\/code/, 'the invitation was accepted');
  expect(authenticator).toBeDefined();
  const person = await passkeys.createInvitee();
  const otherTab = await page.context().newPage();
  await otherTab.goto(person.link);
  await expect(otherTab.getByLabel('Your name')).toBeVisible();
  // Browsers ask for a passkey only in the visible tab.
  await page.bringToFront();
  await acceptWithPasskey(page, person);
  await otherTab.bringToFront();
  await button(otherTab, emailCodeLabel).click();
  await expect(otherTab.getByText('User signed up already.')).toBeVisible();
  await button(otherTab, 'Go to Sign in').click();
  await expectDashboard(otherTab, person);
});

test('the link in the mail signs in only in the browser that requested the code, and opening it elsewhere does not use it up (M8)', async ({
  page,
  passkeys,
  authenticator,
  otherBrowser,
  expectConsole,
}) => {
  expectConsole(/status of 400 .*\/api\/sign-in\/proof/, 'the link is opened in another browser');
  const person = await passkeys.createInvitee();
  await acceptWithPasskey(page, person);
  await clearSessionCookie(page);
  await authenticator.remove();
  // Simulates that this cookie expires after a month.
  await page.context().clearCookies({ name: '__Host-vestibule-seen-passkey' });
  await page.goto('/');
  await page.getByLabel('E-mail address').fill(person.email);
  await button(page, emailCodeLabel).click();
  await expect(page.getByLabel('Code')).toBeVisible();
  const link = await waitForCodeLink(passkeys, person.email);
  // A mail scanner opens the link.
  await fetch(link);
  const elsewhere = await otherBrowser();
  await elsewhere.goto(link);
  await expect(getStepError(elsewhere)).toContainText('Enter the code there');
  await expectNoViolation(elsewhere, 'the link of a code in another browser');
  await button(elsewhere, 'Use another way').click();
  await expect(elsewhere.getByLabel('E-mail address')).toBeVisible();

  // The browser that requested the code is identified by its own secret, so guesses from elsewhere do not
  // count.
  const tab = await page.context().newPage();
  await tab.goto(link.replace(/#\d{6}/, '#000000'));
  // The user is already signed in, but the router must not replace this question by the dashboard.
  await expect(tab.getByText('Have you lost the device with your passkey?')).toBeVisible();
  expect(new URL(tab.url())).toMatchObject({ pathname: '/', search: '', hash: '' });
  await button(tab, 'Not now').click();
  await expectDashboard(tab, person);
  // The tab that waited for the code is signed in, too.
  await expectDashboard(page, person);
  // The link is opened again later, and another tab that waited for the code is reloaded.
  for (const address of [link, link.replace(/#.*/, '')]) {
    await page.goto(address);
    await expectDashboard(page, person);
  }
});

test('an unknown address gets the same pages but no mail, and the page explains what to do when no mail arrives (M8)', async ({
  page,
  passkeys,
}) => {
  await page.clock.install();
  await page.goto('/');
  const unknownEmail = `absent-${Date.now()}@example.com`;
  await page.getByLabel('E-mail address').fill(unknownEmail);
  await page.keyboard.press('Enter');
  await expect(
    page.getByText(`If ${unknownEmail} may sign in here, a code is on its way there.`),
  ).toBeVisible();
  await expect(page.getByText('You can request a new one at')).toBeVisible();
  await button(page, 'Use another way').click();
  await expect(page.getByLabel('E-mail address')).toHaveValue(unknownEmail);
  await button(page, emailCodeLabel).click();
  await expect(page.getByLabel('Code')).toBeFocused();
  await page.reload();
  await expect(page.getByText('If a••@example.com may sign in here')).toBeVisible();
  await expect(page.getByText('You can request a new one at')).toBeVisible();
  // No mail arrives, because the mail server of the site is down.
  await page.clock.fastForward(61_000);
  await expect(button(page, 'Send a new code')).toBeVisible();
  await expect(page.locator('.login-panel')).toContainText('may be unable to send e-mail');
  await button(page, 'Use another way').click();
  await expect(page.getByLabel('E-mail address')).toBeVisible();
  expect(await passkeys.mailsTo(unknownEmail)).toEqual([]);
});

test('a required passkey is requested after the code and before access; a lost device can be replaced (M8)', async ({
  page,
  passkeys,
  authenticator,
  otherBrowser,
}) => {
  const person = await passkeys.createInvitee('Dora Demanded');
  await acceptWithPasskey(page, person);
  await clearSessionCookie(page);
  await authenticator.remove();
  const elsewhere = await otherBrowser();
  const newAuthenticator = await addAuthenticator(elsewhere);
  await passkeys.changeSetting('passkeyRequired', 'everybody');
  try {
    await signInByCode(elsewhere, passkeys, person.email);
    await expect(elsewhere.getByText('this site requires one')).toBeVisible();
    await elsewhere.reload();
    await expect(elsewhere.getByText('this site requires one')).toBeVisible();
    await expect(button(elsewhere, 'Not now')).toHaveCount(0);
    const tab = await elsewhere.context().newPage();
    await tab.goto('/');
    await expect(tab.getByLabel('E-mail address')).toBeVisible();
    // Authenticator prompts require a page in the foreground.
    await tab.close();
    await newAuthenticator.setVerified(false);
    await button(elsewhere, 'Create a passkey').click();
    await expect(getStepError(elsewhere)).toContainText('No passkey was created.');
    await newAuthenticator.setVerified(true);
    await button(elsewhere, 'Create a passkey').click();
    await expectDashboard(elsewhere, person);
  } finally {
    await passkeys.changeSetting('passkeyRequired', null);
  }
});

test('an address of an organization with a provider offers the provider, and a code by e-mail (R8, M7)', async ({
  page,
  passkeys,
  authenticator,
}) => {
  const person = await passkeys.createInvitee();
  await acceptWithPasskey(page, person);
  await clearSessionCookie(page);
  await authenticator.setPresent(false);
  const { id } = await passkeys.order('POST', '/api/organizations', { name: 'Acme', slug: 'acme' });
  const at = `/api/organizations/${String(id)}`;
  const provider = await startTestOidcProvider({
    way: `org-${String(id).replaceAll('-', '')}`,
    publicUrl: passkeys.url,
  });
  try {
    await passkeys.order('PATCH', at, { singleSignOn: true });
    await passkeys.order('POST', `${at}/domains`, { domain: 'example.com' });
    await passkeys.sql(`update organization_domains set state = 'verified', verified_at = now()`);
    await passkeys.letSignInAge(passkeys.administrator, 0);
    const connection = { issuer: provider.issuer, clientId, secret: clientSecret };
    await passkeys.order('PUT', `${at}/connection`, connection);
    await passkeys.sql('update organization_connections set is_active = true, tested_at = now()');
    // The server looks for connections at most once a second.
    await expect
      .poll(async () => (await page.request.get('/api/config')).json())
      .toMatchObject({ KnowsDomains: true });

    await page.goto('/');
    await page.getByLabel('E-mail address').fill(person.email);
    await button(page, emailCodeLabel).click();
    await expect(page.getByText('Your organization signs in with its own provider.')).toBeVisible();
    await expect(button(page, 'Continue with Acme')).toBeFocused();
    await expectNoViolation(page, 'the provider of an address');
    await button(page, emailCodeLabel).click();
    await page.getByLabel('Code').fill(await waitForCode(passkeys, person.email));
    await expectDashboard(page, person);
  } finally {
    await passkeys.sql('delete from organizations');
    await provider.close();
  }
});
