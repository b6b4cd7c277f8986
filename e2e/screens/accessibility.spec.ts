/**
 * Accessibility of signed-out screens and provider pages, by axe (G4). Signed-in screens are
 * in screens.spec.ts.
 */
import { expectNoRuleViolation, expectNoViolation } from './axe.ts';
import {
  expect,
  expectSignInPage,
  fillSignUp,
  getErrorDialog,
  goBack,
  openBlankPage,
  test,
} from '../fixtures/site-test.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

test("the provider's pages are accessible, and show a development notice like the mailbox (G4, L5)", async ({
  page,
  site,
}) => {
  const member = await site.createMember();
  await page.goto('/');
  await expectSignInPage(page);
  await expect(page.getByText('Development sign-in. Not for production.')).toBeInViewport();
  await expectNoViolation(page, 'sign-in page');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectNoRuleViolation(page, 'sign-in page, dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('#forgotPassword').click();
  await expect(page.locator('#sendCode')).toBeVisible();
  await expectNoViolation(page, 'reset page');
  await page.locator('#email').fill(member.email);
  await page.locator('#sendCode').click();
  await expect(page.locator('#verificationCode')).toBeVisible();
  await expectNoViolation(page, 'code page');
  await page.goto((await site.invite(createPerson().email)).link);
  await expect(page.locator('#newPassword')).toBeVisible();
  await expectNoViolation(page, 'sign-up page');
  await page.goto(site.mailboxUrl);
  await expect(page.getByText('For development: mails land here')).toBeInViewport();
});

test('the signed-out screens are accessible and fit a phone (G4)', async ({ page, context, site }) => {
  const look = (name: string) => expectNoViolation(page, name);
  // The configuration never loads, so the login screen stays.
  await context.route('**/api/config', () => {});
  await page.goto('/');
  await expect(page.getByRole('status')).toHaveText('Opening the door…');
  await look('login');
  // Otherwise the configuration would load now, and the redirect to the provider would race with the next page.
  await openBlankPage(page);
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto('/nothing-here');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await look('page not found');

  const { id, link } = await site.invite(createPerson().email);
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [id]);
  await page.goto(link);
  await expect(page.getByRole('dialog')).toContainText('Invite link is expired.');
  await look('an expired link');
  await page.getByRole('button', { name: 'Send me a new link' }).click();
  await expect(page.getByRole('dialog', { name: 'Check your mailbox' })).toBeVisible();
  await look('a new link asked for');

  const person = createPerson();
  await page.goto('/');
  await expectSignInPage(page);
  await goBack(page);
  await expect(page.getByRole('button', { name: 'Continue', exact: true })).toBeVisible();
  await look('the login screen after Back');
  await page.goto((await site.invite(person.email)).link);
  await expect(page.locator('#continue')).toBeVisible();
  await goBack(page);
  await expect(page.getByRole('button', { name: 'Continue to sign up' })).toBeVisible();
  await look('the invitation after Back');
  await page.getByRole('button', { name: 'Continue to sign up' }).click();
  await fillSignUp(page, person);
  await expect(page.getByText('Sign up successfully.')).toBeVisible();
  await look('a completed sign-up');
  await page.evaluate(() => window.sessionStorage.setItem('errorMessage', '{"message":"It did not work."}'));
  await page.goto('/error');
  await expect(getErrorDialog(page)).toBeVisible();
  await look('error');
});
