/** Sign-up by invitation (D1 to D14): links, the provider's page and all outcomes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  countStoredAccounts,
  expect,
  expectDashboard,
  expectSignInPage,
  fillSignIn,
  fillSignUp,
  goBack,
  readStorage,
  signIn,
  signUp,
  openBlankPage,
  test,
  type Page,
} from '../fixtures/site-test.ts';
import { expectNoViolation } from '../screens/axe.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

const dialog = (page: Page) => page.getByRole('dialog');
const contact = 'Please contact support at support@example.com with any questions.';

async function expectSignUpPage(page: Page, email: string): Promise<void> {
  await expect(page.locator('#continue')).toBeVisible();
  await expect(page.locator('#email')).toHaveValue(email);
}

async function expectNotice(page: Page, notice: { title: string; text: string; button: string }) {
  await expect(dialog(page)).toHaveAccessibleName(notice.title);
  await expect(dialog(page).locator('p')).toHaveText(notice.text);
  expect((await dialog(page).boundingBox())?.width).toBe(600);
  return dialog(page).getByRole('button', { name: notice.button, exact: true });
}

test('a completed sign-up is confirmed in a dialog of 600 px, whose button signs out and opens the sign-in page; the redeemed link shows a message (D3, D5, D7)', async ({
  page,
  site,
}) => {
  const person = createPerson();
  const { link } = await site.invite(person.email);
  await signUp(page, person, link);
  const button = await expectNotice(page, {
    title: 'Sign up',
    text: 'Sign up successfully.',
    button: 'Go to Sign in',
  });
  await expectNoViolation(page, 'a completed sign-up');

  await button.dblclick();
  await expectSignInPage(page);
  await openBlankPage(page);
  const { local, session } = await readStorage(page);
  // The remaining keys belong to the started sign-in and contain neither an account nor user data.
  expect(local.filter((key) => key !== 'msal.version')).toEqual([]);
  expect(session).not.toContain('userDetail');

  await page.goto(link);
  const again = await expectNotice(page, {
    title: 'Sign up error',
    text: 'User signed up already.',
    button: 'Go to Sign in',
  });
  await again.click();
  await expectSignInPage(page);
  // An address without a code opens the sign-in page, too.
  await page.goto('/signup');
  await expectSignInPage(page);
});

test('an unknown code shows a notice; each way to close it opens the sign-in page (D8, D9)', async ({
  page,
}) => {
  for (const close of ['Ok', 'Close', 'Escape']) {
    await page.goto('/signup?i=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
    const text = `Invite link is invalid. ${contact}`;
    await expectNotice(page, { title: 'Sign up error', text, button: 'Ok' });
    await (close === 'Escape'
      ? page.keyboard.press(close)
      : page.getByRole('button', { name: close, exact: true }).click());
    await expectSignInPage(page);
  }
});

test('cancelling the sign-up redirects home without a message, and the invitation can be accepted later (D10)', async ({
  page,
  site,
}) => {
  const person = createPerson();
  const { link } = await site.invite(person.email);
  await page.goto(link);
  await page.locator('#cancel').click();
  // There is no dialog, which would block the page; the start page redirects to the sign-in page.
  await expectSignInPage(page);
  // Back returns to the login screen, which links to the invitation.
  await goBack(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expectSignUpPage(page, person.email);
});

test('an altered token is rejected by the provider and shown in a dialog (D11)', async ({ page, site }) => {
  const token = await site.fetchInviteToken((await site.invite(createPerson().email)).link);
  const [head, payload, signature = ''] = token.split('.');
  const altered = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
  await page.goto(`/signup?t=${head}.${payload}.${altered}`);
  const ok = await expectNotice(page, {
    title: 'Sign up',
    text: 'Sign up Error. AADB2C90233: The provided id_token_hint parameter failed signature validation. Please provide another token and try again.',
    button: 'Ok',
  });
  await ok.click();
  await expectSignInPage(page);
});

test('an invitation opens the sign-up page, also after Back; only the provider gets its token (D1, D2, D4, D13)', async ({
  page,
  site,
}) => {
  const person = createPerson();
  const { link } = await site.invite(person.email);
  expect(new URL(link).pathname).toBe('/signup');
  expect([...new URL(link).searchParams.keys()]).toEqual(['i']);
  const seen: { url: string; referrer: string }[] = [];
  page.on('request', (request) =>
    seen.push({ url: request.url(), referrer: request.headers()['referer'] ?? '' }),
  );
  const shown: string[] = [];
  page.on('framenavigated', (frame) => shown.push(frame.url()));
  await page.goto(link);
  await expectSignUpPage(page, person.email);
  await expect(page.locator('#email')).not.toBeEditable();
  const authorize = seen.find(({ url }) => url.includes('id_token_hint='));
  const token = new URL(authorize?.url ?? 'http://none').searchParams.get('id_token_hint') ?? '';
  expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  const code = new URL(link).searchParams.get('i') ?? '';

  await goBack(page);
  await expect(page.getByText('You have not signed up yet.')).toBeVisible();
  await expectNoViolation(page, 'the invitation after Back');
  await page.getByRole('button', { name: 'Continue to sign up' }).click();
  await expectSignUpPage(page, person.email);
  await expectNoViolation(page, "the provider's sign-up page");
  await fillSignUp(page, person);
  await expect(dialog(page)).toContainText('Sign up successfully.');

  const withHint = seen.filter(({ url }) => /id_token_hint=|[?&]t=ey/.test(url));
  expect(withHint.map(({ url }) => new URL(url).pathname)).toEqual(
    withHint.map(() => '/vestibule.onmicrosoft.com/b2c_1a_signup_invitation/oauth2/v2.0/authorize'),
  );
  expect(seen.filter(({ referrer }) => referrer.includes(token) || referrer.includes(code))).toEqual([]);
  const log = readFileSync(path.join(site.server.dataDirectory, 'server.log'), 'utf8');
  expect(log).not.toContain(token.split('.')[2] ?? '');
  expect(log).not.toContain(code);
});

test('an invitation for another address asks a signed-in user which account to use (D14)', async ({
  page,
  site,
}) => {
  const member = await site.createMember({ name: 'Mia Member' });
  const invited = createPerson('Ina Invited');
  const { link } = await site.invite(invited.email);
  await signIn(page, member);
  await page.goto(link);
  await expect(dialog(page)).toContainText(
    `You are signed in as ${member.email}. This invitation is for ${invited.email}.`,
  );
  await dialog(page).getByRole('button', { name: 'Stay signed in' }).click();
  await expectDashboard(page, member);
  await page.goto(link);
  await dialog(page)
    .getByRole('button', { name: `Continue as ${invited.email}` })
    .dblclick();
  await expectSignUpPage(page, invited.email);
  await fillSignUp(page, invited);
  await expect(dialog(page)).toContainText('Sign up successfully.');
  await dialog(page).getByRole('button', { name: 'Go to Sign in' }).click();
  await fillSignIn(page, invited);
  await expectDashboard(page, invited);
});

test('Back after a sign-up shows a finished page with a link to continue, and only one account is used (C11)', async ({
  page,
  site,
}) => {
  const person = createPerson();
  await signUp(page, person, (await site.invite(person.email)).link);
  await goBack(page);
  await expect(page.getByText('There is nothing left to do on this page.')).toBeVisible();
  await page.getByRole('link', { name: 'Back to the application' }).click();
  // The provider still has a session, so the application signs the user in.
  await expectDashboard(page, person);
  await page.reload();
  await expectDashboard(page, person);
  expect(await countStoredAccounts(page)).toBe(1);
});
