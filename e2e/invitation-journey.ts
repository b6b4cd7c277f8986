/** `test` for journeys with invitations, on a site whose mails arrive at a mail server of the test; and their screens' parts. */
import { expect, test as base, type Page } from './journey.ts';
import { dialog } from './list-journey.ts';
import { startMailServer, type MailServer } from './test-mail-server.ts';

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

export const writing = (page: Page) => dialog(page, 'Invite somebody');
export const checking = (page: Page) => dialog(page, 'What will happen');

export async function openInvitations(page: Page): Promise<void> {
  await page.goto('/layout/invitations');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Invitations');
}

export async function openInviteDialog(page: Page): Promise<void> {
  await openInvitations(page);
  await page.getByRole('button', { name: 'Invite somebody' }).first().click();
  await expect(writing(page)).toBeVisible();
}
