/** Locators of the invitation screen. */
import { openAsAdministrator, expect, type Page } from '../fixtures/site-test.ts';
import { getDialog } from './list-page.ts';
import type { Site } from '../../packages/testing/src/site.ts';

export const getInviteDialog = (page: Page) => getDialog(page, 'Invite someone');
export const getReviewDialog = (page: Page) => getDialog(page, 'Review before sending');

export async function openInviteDialog(page: Page, site: Site): Promise<void> {
  await openAsAdministrator(page, site, '/layout/invitations');
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  await expect(getInviteDialog(page)).toBeVisible();
}
