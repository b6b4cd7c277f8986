/** A manager opens a ticket in the browser. */
import { expect, signIn, test } from '@vestibule/testing';

test('a manager opens a ticket with a file, and sees it on the dashboard', async ({ page, site }) => {
  const manager = await site.createMember({ name: 'Mia Manager' });
  await site.createOrganization({ name: 'Acme', slug: 'acme' }, [{ person: manager, roleId: 'manager' }]);

  await signIn(page, manager);
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
});
