/** Tickets in the browser. */
import { expect, openAs, signIn, test } from '@vestibule/testing';

test('a member opens a ticket with a file, sees it on the dashboard, and finds it in the palette', async ({
  page,
  site,
}) => {
  const member = await site.createMember({ name: 'Mia Member' });
  await site.createOrganization({ name: 'Acme', slug: 'acme' }, [{ person: member, roleId: 'member' }]);

  await signIn(page, member);
  await page.getByRole('navigation').getByRole('link', { name: 'Acme' }).click();
  await page.getByRole('button', { name: 'Open a ticket' }).click();
  await page.getByRole('textbox', { name: 'Subject' }).fill('Printer on fire');
  await page.getByRole('button', { name: 'Open ticket' }).click();
  await expect(page.getByRole('row').nth(1)).toContainText('Printer on fire');

  await page.getByRole('row').nth(1).getByRole('gridcell').first().click();
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'smoke.txt', mimeType: 'text/plain', buffer: Buffer.from('grey') });
  await expect(page.getByRole('button', { name: 'Download smoke.txt' })).toBeVisible();

  await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click();
  await expect(page.getByText('1 open ticket')).toBeVisible();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('printer');
  await page.getByRole('option', { name: 'Printer on fire' }).click();
  await expect(page.getByRole('heading', { name: 'Printer on fire' })).toBeVisible();
});

test('a member sees the tickets of the organization', async ({ page, site }) => {
  const member = await site.createMember({ name: 'Max Member' });
  const { id } = await site.createOrganization({ name: 'Bolt', slug: 'bolt' }, [
    { person: member, roleId: 'member' },
  ]);
  await site.callAsAdmin('POST', `/api/organizations/${id}/tickets`, {
    subject: 'Login fails',
    description: '',
  });
  await openAs(page, site, member, '/layout/organization/bolt/tickets');
  await expect(page.getByRole('row').nth(1)).toContainText('Login fails');
});
