/** Domains of an organization, with a DNS server of the test (R7). */
import { createOrganization, test } from '../fixtures/organizations-test.ts';
import { expect, signIn } from '../fixtures/site-test.ts';
import { expectNoViolation } from '../screens/axe.ts';

test('a manager proves a domain by its DNS record and lets its people join (R7)', async ({
  page,
  site,
  dns,
  expectConsole,
}) => {
  expectConsole(/status of 400/, 'a public mail service is refused');
  const manager = await site.createMember({ name: 'Mara Manager' });
  const { address } = await createOrganization(site, { manager: [manager] });
  await signIn(page, manager, `${address}/domains`);
  await page.getByRole('button', { name: 'Add a domain' }).click();
  await page.getByRole('textbox', { name: 'Domain' }).fill('gmail.com');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText('gmail.com is a public mail service.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Domain' }).fill('https://Acme.test/');
  await page.keyboard.press('Enter');

  const verifying = page.getByRole('dialog', { name: 'Verify acme.test' });
  await expect(verifying).toContainText('_vestibule.acme.test');
  await verifying.getByRole('button', { name: 'Check the record' }).click();
  await expect(verifying.getByText('The record was not found.')).toBeVisible();
  dns.records.set('_vestibule.acme.test', 'another value');
  await verifying.getByRole('button', { name: 'Check the record' }).click();
  await expect(verifying.getByText('Found instead: “v=spf1 -all”, “another value”')).toBeVisible();
  await expectNoViolation(page, 'a record that was not found');
  const value = await verifying.getByText(/^vestibule-verification=/).textContent();
  dns.records.set('_vestibule.acme.test', value ?? '');
  await verifying.getByRole('button', { name: 'Check the record' }).click();
  await expect(page.getByText('acme.test is verified.')).toBeVisible();
  await expect(verifying).toHaveCount(0);

  await page.getByRole('button', { name: 'Actions for acme.test' }).click();
  await page.getByRole('menuitem', { name: 'Who joins by it' }).click();
  await page.getByLabel('People with an address of this domain').selectOption('automatic');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('join automatically, with the role Member.')).toBeVisible();
  await page.getByRole('button', { name: 'Actions for acme.test' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove domain' }).click();
  await expect(page.getByText('None yet.')).toBeVisible();
});
