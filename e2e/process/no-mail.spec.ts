/** A site without mail (SMTP_URL=off), on which administrators hand over the invitation links (N). */
import { openAsAdministrator, expect, test } from '../fixtures/site-test.ts';
import { createPerson } from '../fixtures/site.ts';

test.use({ serverEnv: { SMTP_URL: 'off' } });

test('without mail an invitation is accepted by its link, and screens show that mail is off (K2, K5, N)', async ({
  page,
  site,
}) => {
  const person = createPerson();
  const { link } = await site.invite(person.email);
  const { answer } = await site.call(site.administrator, 'GET', `/api/invitations?search=${person.email}`);
  expect(answer['rows']).toMatchObject([{ email: person.email, mailState: 'none' }]);
  await site.signUp(person, link);
  await openAsAdministrator(page, site, '/layout/settings/e-mail');
  await expect(page.getByText(/E-mail is turned off\. Copy the link/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send me a test e-mail' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Preview e-mails' })).toBeVisible();
  const { email } = createPerson();
  await page.goto('/layout/invitations');
  await expect(page.getByText('This site does not send e-mail. Copy each link')).toBeVisible();
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  const form = page.getByRole('dialog', { name: 'Invite someone' });
  await form.getByLabel('E-mail addresses').fill(email);
  await form.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByText(`The link for ${email} is ready.`)).toBeVisible();
  await expect(page.getByRole('row', { name: email })).toContainText('No e-mail');
});
