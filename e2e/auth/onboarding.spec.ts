/** The first day of a site, from the printed administrator link to the second member. */
import {
  expect,
  expectDashboard,
  expectSignInPage,
  fillSignIn,
  fillSignUp,
  test,
} from '../fixtures/site-test.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

test.use({ administratorSignedUp: false });

test('the printed link signs up the first administrator, who invites a member, who accepts by mail (D, F, K2, N)', async ({
  page,
  otherBrowser,
  site,
}) => {
  const { administrator } = site;
  await page.goto(site.getFirstAdministratorLink());
  await expect(page.locator('#email')).toHaveValue(administrator.email);
  await expect(page.locator('#email')).not.toBeEditable();
  await fillSignUp(page, administrator);
  const done = page.getByRole('dialog', { name: 'Sign up', exact: true });
  await expect(done).toContainText('Sign up successfully.');
  expect((await done.boundingBox())?.width).toBe(600);
  await done.getByRole('button', { name: 'Go to Sign in' }).click();
  await expectSignInPage(page);
  await expect(page.locator('#email')).toHaveValue(administrator.email);
  await fillSignIn(page, administrator);
  await expectDashboard(page, administrator);
  await expect(page.getByRole('link', { name: /^Active people\s*1/ })).toBeVisible();
  const steps = page.locator('.first-steps strong');
  const toDo = ['Name and logo: To do', 'Test e-mail: To do', 'Sign-in provider: To do'];
  await expect(steps).toHaveText([...toDo, 'First people: To do']);

  const invited = createPerson('Mia Member');
  await page.getByRole('link', { name: 'Invite the first people' }).click();
  const form = page.getByRole('dialog', { name: 'Invite someone' });
  await form.getByLabel('E-mail address').fill(invited.email);
  await form.getByLabel('Name (optional)').fill(invited.name);
  await form.getByLabel('Personal message (optional)').fill('Welcome, it is warm here.\nAda');
  await form.getByRole('button', { name: 'Send invitation' }).dblclick();
  await expect(page.getByText(`The invitation for ${invited.email} is on its way.`)).toBeVisible();
  await expect(form).toHaveCount(0);
  await expect(page.getByRole('row', { name: invited.email })).toContainText('Pending');

  const mail = await site.mailTo(invited.email);
  expect(mail.subject).toBe('Your invitation to Vestibule');
  expect(mail.text).toContain(`${administrator.name} (${administrator.email}) invites you to Vestibule.`);
  expect(mail.text).toContain('> Welcome, it is warm here.\n> Ada');
  expect(await site.mailsTo(invited.email)).toHaveLength(1);

  const other = await otherBrowser();
  await other.goto(/^http\S+$/m.exec(mail.text)?.[0] ?? '');
  await expect(other.locator('#email')).toHaveValue(invited.email);
  await fillSignUp(other, invited);
  await expect(other.getByText('Sign up successfully.')).toBeVisible();
  await other.getByRole('button', { name: 'Go to Sign in' }).click();
  await fillSignIn(other, invited);
  await expectDashboard(other, invited);
  await expect(other.getByText('Member', { exact: true })).toBeVisible();

  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  await expect(page.getByRole('row', { name: invited.email })).toContainText('Member');
  await page.getByRole('navigation').getByRole('link', { name: 'Invitations' }).click();
  await expect(page.getByRole('row', { name: invited.email })).toContainText('Redeemed');
  await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click();
  await expect(page.getByRole('link', { name: /^Active people\s*2/ })).toBeVisible();

  await expect(steps).toHaveText([...toDo, 'First people: Done']);
  await page.getByRole('button', { name: 'Do not show again' }).click();
  await expect(steps).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('link', { name: /^Active people\s*2/ })).toBeVisible();
  await expect(steps).toHaveCount(0);
});
