/** Invitations on a site that sends no mails: they are handed over by their links (N). */
import { expect, signIn, test } from './journey.ts';
import { somebody } from './running-site.ts';

test.use({ serverEnv: { SMTP_URL: 'off' } });

test('a site that sends no mails says so, and an invitation is handed over by its link (N)', async ({
  page,
  site,
}) => {
  const { email } = somebody();
  await signIn(page, site.administrator);
  await page.goto('/layout/invitations');
  await expect(page.getByText('This site sends no mails. Copy each link')).toBeVisible();
  await page.getByRole('button', { name: 'Invite somebody' }).first().click();
  const form = page.getByRole('dialog', { name: 'Invite somebody' });
  await form.getByLabel('E-mail addresses').fill(email);
  await form.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByText(`The link for ${email} is ready.`)).toBeVisible();
  await expect(page.getByRole('row', { name: email })).toContainText('No mail');
});
