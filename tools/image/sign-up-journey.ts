/** Signs up on a site without an identity provider: the first administrator with an e-mail code, an invited person with a passkey. */
import { chromium, expect, type Page } from '@playwright/test';
import type { MailServer } from '../../e2e/fixtures/test-mail-server.ts';
import { addAuthenticator } from '../../e2e/fixtures/virtual-authenticator.ts';
import { browserLaunch } from '../browser.ts';
import type { Certificate } from '../integration/test-certificate.ts';
import { siteName } from '../integration/start-proxy.ts';
import type { SiteClient } from './site-client.ts';

export async function signInFirstAdministrator(
  site: SiteClient,
  link: string,
  mails: MailServer,
  email: string,
): Promise<void> {
  const invitation = new URL(link).searchParams.get('i');
  const { attempt } = await site.callOk('POST', '/api/sign-in/code', { invitation, name: 'Ada Admin' });
  const code = async () => /^\d{6}\b/.exec(mails.mailsTo(email).at(-1)?.subject ?? '')?.[0];
  await expect.poll(code).toBeDefined();
  await site.callOk('POST', '/api/sign-in/proof', { attempt, code: await code() });
}

/** Tests invitation, mail, sign-up, dashboard and upload in a browser that trusts the certificate of the site. */
export async function testSignUp(
  site: SiteClient,
  mails: MailServer,
  certificate: Certificate,
): Promise<void> {
  const email = 'mia@example.com';
  await site.callOk('POST', '/api/invitations', { email, name: 'Mia Member' });
  const link = await mails.linkTo(email);
  const { args = [], ...launch } = await browserLaunch();
  const browser = await chromium.launch({
    ...launch,
    args: [
      ...args,
      `--host-resolver-rules=MAP ${siteName} 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${certificate.spki}`,
    ],
  });
  try {
    const page = await browser.newPage();
    await walk(page, link);
  } finally {
    await browser.close();
  }
}

async function walk(page: Page, link: string): Promise<void> {
  await addAuthenticator(page);
  await page.goto(link);
  await page.getByLabel('Your name').fill('Mia Member');
  await page.getByRole('button', { name: 'Continue with a passkey', exact: true }).click();
  await page.waitForURL('**/layout/dashboard');
  await expect(page.locator('.shell-main h1')).toBeVisible();
  await page.goto(new URL('/attachment', link).href);
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('the plan') });
  await expect(page.getByRole('region', { name: 'Uploads', exact: true }).getByRole('heading')).toHaveText(
    /uploaded$/,
  );
  await expect(page.getByRole('row', { name: 'plan.txt' })).toBeVisible();
}
