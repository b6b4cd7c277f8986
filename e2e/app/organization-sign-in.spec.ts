/** Single sign-on of an organization on a site with B2C (R8): set-up, sign-in by address, required, recovery. */
import { startDnsServer } from '../../apps/server/src/test/test-dns-server.ts';
import {
  clientId,
  clientSecret,
  startTestOidcProvider,
} from '../../apps/server/src/test/test-oidc-provider.ts';
import { startSite, type Site } from '../fixtures/site.ts';
import { expect, signIn, test as base } from '../fixtures/site-test.ts';
import { expectNoViolation } from '../screens/axe.ts';

/** TXT records by name. */
const records = new Map<string, string>();

const test = base.extend<object, { site: Site }>({
  site: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from a pattern.
    async ({}, use) => {
      const dns = await startDnsServer((name) => {
        const record = records.get(name);
        return record === undefined ? 'no such name' : [[record]];
      });
      const env = { DNS_SERVERS: dns.address, PROVIDERS_ON_PRIVATE_ADDRESSES: 'yes' };
      const site = await startSite({ env });
      await use(site);
      await site.stop();
      await dns.close();
    },
    { scope: 'worker' },
  ],
});

test('a manager connects a provider, colleagues sign in by their address, and it becomes the only way (R8)', async ({
  page,
  site,
  otherBrowser,
  expectConsole,
}) => {
  expectConsole(/status of 401 .*\/api\//, 'the page requests the user while signed out');
  expectConsole(/127\.0\.0\.1:\d+\/favicon/, "the provider's own pages");
  const manager = await site.createMember({ name: 'Mara Manager' });
  const organization = { name: 'Acme', slug: 'acme' };
  const { id } = (await site.callAsAdmin('POST', '/api/organizations', organization)) as { id: string };
  const at = `/api/organizations/${id}`;
  const personId = await site.getPersonId(manager);
  await site.callAsAdmin('POST', `${at}/members`, { personId, roleId: 'manager' });
  await site.call(site.administrator, 'PATCH', at, { singleSignOn: true });
  const domain = manager.email.split('@')[1] as string;
  const added = (await site.callAsAdmin('POST', `${at}/domains`, { domain })) as {
    recordName: string;
    recordValue: string;
  };
  records.set(added.recordName, added.recordValue);
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
  await page.getByRole('textbox', { name: 'Client id' }).fill(clientId);
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
