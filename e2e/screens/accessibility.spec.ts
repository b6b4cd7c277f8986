/**
 * Accessibility of signed-out screens and provider pages, by axe (G4). Signed-in screens are
 * in screens.spec.ts.
 */
import { expectNoRuleViolation, expectNoViolation } from './axe.ts';
import { getErrorDialog, expect, expectSignInPage, fillSignUp, goBack, test } from '../fixtures/site-test.ts';
import { createPerson } from '../fixtures/site.ts';

test("the provider's pages are accessible in light and dark mode", async ({ page, site }) => {
  const look = async (name: string) => {
    await expectNoViolation(page, name);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectNoRuleViolation(page, `${name}, dark`);
    await page.emulateMedia({ colorScheme: 'light' });
  };
  const member = await site.createMember();
  await page.goto('/');
  await expectSignInPage(page);
  await look('sign-in page');
  await page.locator('#forgotPassword').click();
  await expect(page.locator('#sendCode')).toBeVisible();
  await look('reset page');
  await page.locator('#email').fill(member.email);
  await page.locator('#sendCode').click();
  await expect(page.locator('#verificationCode')).toBeVisible();
  await look('code page');
  await page.goto((await site.invite(createPerson().email)).link);
  await expect(page.locator('#newPassword')).toBeVisible();
  await look('sign-up page');
});

test('the signed-out screens are accessible and fit a phone (G4)', async ({ page, site }) => {
  const look = async (name: string) => {
    await expectNoViolation(page, name);
  };
  await page.goto('/nothing-here');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await look('page not found');
  await page.goto('/signup?i=DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD');
  await expect(page.getByRole('dialog')).toContainText('Invite link is invalid.');
  await look('an unknown link');

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

test('the login screen is accessible and fits a phone (G4)', async ({ page, context }) => {
  // The configuration never loads, so the login screen stays.
  await context.route('**/api/config', () => {});
  await page.goto('/');
  await expect(page.getByRole('status')).toHaveText('Opening the door…');
  await expectNoViolation(page, 'login');
  await context.unrouteAll({ behavior: 'ignoreErrors' });
});
