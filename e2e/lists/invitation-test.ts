/** `test` for invitations, with a test mail server, and locators of the invitation screen. */
import { openAsAdministrator, expect, test as base, type Page } from '../fixtures/site-test.ts';
import { getDialog } from './list-page.ts';
import type { Site } from '../fixtures/site.ts';
import { startMailServer, type MailServer } from '../fixtures/test-mail-server.ts';

export const test = base.extend<object, { mailServer: MailServer }>({
  mailServer: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern, and this fixture needs no other
    async ({}, use) => {
      const mailServer = await startMailServer();
      await use(mailServer);
      await mailServer.stop();
    },
    { scope: 'worker' },
  ],
  serverEnv: [async ({ mailServer }, use) => use({ SMTP_URL: mailServer.url }), { scope: 'worker' }],
});

export const getInviteDialog = (page: Page) => getDialog(page, 'Invite someone');
export const getReviewDialog = (page: Page) => getDialog(page, 'Review before sending');

export async function openInviteDialog(page: Page, site: Site): Promise<void> {
  await openAsAdministrator(page, site, '/layout/invitations');
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  await expect(getInviteDialog(page)).toBeVisible();
}
