/** Joining an organization by the verified domain of an address: requests, approval and the logo of the invitation (R7, R10). */
import type { PasskeysSite } from '../fixtures/passkeys-site.ts';
import {
  acceptWithPasskey,
  button,
  emailCodeLabel,
  enterCode,
  signInByCode,
  test,
} from '../fixtures/passkeys-test.ts';
import { expect } from '../fixtures/site-test.ts';
import { createPicture } from '../fixtures/sample-picture.ts';
import { expectNoViolation } from '../screens/axe.ts';

/** Creates an organization with a manager, and the verified domain of the addresses of this test. */
async function createOrganization(site: PasskeysSite, managerId: string): Promise<void> {
  const { id } = await site.order('POST', '/api/organizations', { name: 'Acme', slug: 'acme' });
  await site.order('POST', `/api/organizations/${String(id)}/members`, {
    personId: managerId,
    roleId: 'manager',
  });
  await site.sql(
    `insert into organization_domains (organization_id, domain, state, token, enrolment, created_at)
     values ($1, 'example.com', 'verified', gen_random_uuid(), 'request', now())`,
    [id],
  );
}

// Other tests on this site expect that unknown addresses of this domain get no mail.
test.afterEach(({ passkeys }) => passkeys.sql('delete from organizations'));

test('people of a verified domain ask to join, and a manager approves (R7)', async ({
  page,
  authenticator,
  passkeys,
  otherBrowser,
  expectConsole,
}) => {
  expectConsole(/status of 403 .*\/api\/sign-in\/proof/, 'a request creates no account');
  const manager = await passkeys.createInvitee('Mara Manager');
  await authenticator.setPresent(true);
  await acceptWithPasskey(page, manager);
  await createOrganization(passkeys, await passkeys.getPersonId(manager));

  // A person with an account, whose address a code proves.
  const colleague = await passkeys.createInvitee('Cora Colleague');
  const colleaguePage = await otherBrowser();
  await signInByCode(colleaguePage, passkeys, colleague.email);
  await button(colleaguePage, 'Not now').click();
  await colleaguePage.getByRole('button', { name: 'Ask to join Acme' }).click();
  await expect(colleaguePage.getByText('Your request was sent to the managers of Acme.')).toBeVisible();
  await colleaguePage.goto('/layout/profile');
  await expect(colleaguePage.getByText('You have asked to join.')).toBeVisible();
  await expectNoViolation(colleaguePage, 'a request in the profile');

  // A user without an account.
  const newcomer = `newcomer-${Date.now()}@example.com`;
  const newcomerPage = await otherBrowser();
  await newcomerPage.goto('/');
  await newcomerPage.getByLabel('E-mail address').fill(newcomer);
  await button(newcomerPage, emailCodeLabel).click();
  await enterCode(newcomerPage, passkeys, newcomer);
  await expect(newcomerPage.getByText('Your request to join Acme was sent to its managers.')).toBeVisible();
  const subjectsTo = async (email: string) => (await passkeys.mailsTo(email)).map(({ subject }) => subject);
  await expect
    .poll(() => subjectsTo(manager.email))
    .toContain(`${colleague.email} asks to join Acme (Vestibule)`);

  await page.goto('/layout/organization/acme/about');
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: createPicture(0, 240, 80) });
  await expect(page.getByRole('img', { name: 'Logo of Acme' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Members' }).click();
  await page.getByRole('button', { name: '2 requests to join' }).click();
  await page.getByLabel(`Role of ${colleague.email}`).selectOption({ label: 'Manager' });
  await page.getByRole('button', { name: `Approve ${colleague.email}` }).click();
  await expect(page.getByText(`${colleague.email} is now a member of Acme.`)).toBeVisible();
  await page.getByRole('button', { name: `Approve ${newcomer}` }).click();
  await expect(page.getByText(`An invitation was sent to ${newcomer}.`)).toBeVisible();
  await expect(page.getByText('All requests are answered.')).toBeVisible();

  await colleaguePage.reload();
  await expect(colleaguePage.getByRole('navigation').getByRole('link', { name: 'Acme' })).toBeVisible();
  const subject = 'Your invitation to Acme (Vestibule)';
  await expect.poll(() => subjectsTo(newcomer)).toContain(subject);
  const invitation = (await passkeys.mailsTo(newcomer)).find((mail) => mail.subject === subject);
  await newcomerPage.goto(/^http\S+$/m.exec(invitation?.text ?? '')?.[0] ?? '');
  await expect(newcomerPage.locator('main')).toContainText('Mara Manager invited you to Acme (Vestibule).');
  const logo = newcomerPage.locator('.login-brand img');
  await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(240);
});
