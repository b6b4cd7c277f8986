/** Single sign-on of an organization on a site with B2C (R8): set-up, sign-in by address, required, recovery. */
import {
  clientId,
  clientSecret,
  startTestOidcProvider,
} from '../../apps/server/src/test/sign-in/test-oidc-provider.ts';
import { createOrganization, test } from '../fixtures/organizations-test.ts';
import { expect, signIn } from '../fixtures/site-test.ts';
import { expectNoViolation } from '../screens/axe.ts';

test('a manager connects a provider, colleagues sign in by their address, and it becomes the only way (R8)', async ({
  page,
  site,
  dns,
  otherBrowser,
  expectConsole,
}) => {
  expectConsole(/status of 401 .*\/api\//, 'the page requests the user while signed out');
  expectConsole(/127\.0\.0\.1:\d+\/favicon/, "the provider's own pages");
  const manager = await site.createMember({ name: 'Mara Manager' });
  const { id } = await createOrganization(site, { manager: [manager] });
  const at = `/api/organizations/${id}`;
  await site.call(site.administrator, 'PATCH', at, { singleSignOn: true });
  const domain = manager.email.split('@')[1] as string;
  const added = (await site.callAsAdmin('POST', `${at}/domains`, { domain })) as {
    recordName: string;
    recordValue: string;
  };
  dns.records.set(added.recordName, added.recordValue);
  await site.callAsAdmin('POST', `${at}/domains/${domain}/verify`);
  const provider = await startTestOidcProvider({
    way: `org-${id.replaceAll('-', '')}`,
    publicUrl: site.url,
  });
  provider.setNextAccount('mara', { email: manager.email, email_verified: true, name: 'Mara' });

  await signIn(page, manager, '/layout/organization/acme/sign-in');
  await expectNoViolation(page, 'single sign-on without a provider');
  await page.getByRole('button', { name: 'Connect a provider' }).click();
  await page.getByRole('textbox', { name: 'Issuer' }).fill(provider.issuer);
  await page.getByRole('textbox', { name: 'Client ID' }).fill(clientId);
  await page.getByLabel('Client secret').fill(clientSecret);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Check the provider' }).click();
  await expect(page.getByRole('dialog').getByText('correct', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Test sign-in' }).click();
  await expect(page.getByText(`as ${manager.email}`)).toBeVisible();
  await page.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText('Single sign-on is active.')).toBeVisible();
  await expectNoViolation(page, 'an active connection');

  const other = await otherBrowser();
  await expect(async () => {
    await other.goto('/');
    await expect(other.getByRole('textbox', { name: 'E-mail address' })).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expectNoViolation(other, 'the login screen that asks for the address');
  await other.getByRole('textbox', { name: 'E-mail address' }).fill(manager.email);
  await other.keyboard.press('Enter');
  await other.waitForURL('**/layout/dashboard');
  await other.goto('/layout/organization/acme/sign-in');
  await other.getByRole('button', { name: 'Actions' }).click();
  await other.getByRole('menuitem', { name: 'Require single sign-on' }).click();
  await other.getByRole('button', { name: 'Require it' }).click();
  const recovery = other.getByRole('dialog', { name: 'Recovery code' });
  const code = await recovery.getByText(/^(?:[2-9A-Z]{4}-){5}[2-9A-Z]{4}$/).textContent();

  await page.goto('/layout/organization/acme/members');
  await expect(
    page.getByText('Acme can be opened only after a sign-in through its own provider.'),
  ).toBeVisible();
  await expectNoViolation(page, 'an organization that needs another sign-in');
  await page.getByRole('button', { name: 'Use the recovery code' }).click();
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(code ?? '');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('gridcell', { name: 'Mara Manager' })).toBeVisible();
  await provider.close();
});
