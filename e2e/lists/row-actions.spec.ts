/** Actions on single rows (K2, K3): each is executed once, even after a double click or if the row moves. */
import { openAsAdministrator, expect, test, type Page } from '../fixtures/site-test.ts';
import { chooseRowAction, getSidePanel, getRow, searchFor } from './list-page.ts';
import { createPerson } from '../fixtures/site.ts';

async function confirm(page: Page, button: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).dblclick();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

test('a double click on "Send invitation" invites once, and the address cannot be invited again', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'the address has an open invitation');
  const { email } = createPerson();
  await openAsAdministrator(page, site, '/layout/invitations');
  const form = page.getByRole('dialog', { name: 'Invite someone' });
  const send = form.getByRole('button', { name: 'Send invitation' });
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await send.click();
  await expect(form.getByText('Enter the e-mail address of the person to invite.')).toBeVisible();
  await form.getByLabel('E-mail address').fill(email);
  await send.dblclick();
  await expect(page.getByText(`The invitation for ${email} is on its way.`)).toBeVisible();
  await site.mailTo(email);
  expect(await site.mailsTo(email)).toHaveLength(1);

  await page.getByRole('button', { name: 'Invite someone' }).click();
  await form.getByLabel('E-mail address').fill(email.toUpperCase());
  await send.click();
  await expect(form.getByText('This address already has an open invitation.')).toBeVisible();
});

test('an invitation is revoked once, and its link stops working', async ({ page, otherBrowser, site }) => {
  const { email } = createPerson();
  const { link } = await site.invite(email);
  await openAsAdministrator(page, site, '/layout/invitations');
  await searchFor(page, email);
  await chooseRowAction(page, email, 'Revoke');
  await confirm(page, 'Revoke invitation');
  await expect(page.getByText(`The invitation for ${email} has been revoked.`)).toBeVisible();
  await expect(getRow(page, email)).toContainText('Revoked');
  const invited = await otherBrowser();
  await invited.goto(link);
  await expect(invited.getByRole('dialog')).toContainText('Invite link is invalid.');
});

test('a person is made an administrator, disabled, enabled and removed from their row', async ({
  page,
  site,
}) => {
  const person = await site.createMember({ name: 'Pat Person' });
  await openAsAdministrator(page, site, '/layout/people');
  await searchFor(page, person.email);
  for (const [entry, message, shown] of [
    ['Make administrator', 'Pat Person is now an administrator.', 'Administrator'],
    ['Make member', 'Pat Person is now a member.', 'Member'],
    ['Disable', 'Pat Person is disabled.', 'Disabled'],
    ['Enable', 'Pat Person is enabled again.', 'Active'],
    ['Remove', 'Pat Person was removed.', ''],
  ] as const) {
    await chooseRowAction(page, person.email, entry);
    // Actions with Undo need no confirmation.
    if (entry === 'Disable') await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
    else await confirm(page, entry);
    await expect(page.getByText(message)).toBeVisible();
    // Wait for the row, because the next action depends on its state.
    if (shown) await expect(getRow(page, person.email)).toContainText(shown);
  }
  await expect(getRow(page, person.email)).toHaveCount(0);
  expect((await site.call(person, 'GET', '/api/users/me')).status).toBe(403);
});

test('a click counts if its row is re-rendered between mousedown and mouseup, and the menu stays open (K3)', async ({
  page,
  site,
}) => {
  const person = await site.createMember({ name: 'Pat Pressed' });
  const id = await site.getPersonId(person);
  await openAsAdministrator(page, site, '/layout/people');
  await searchFor(page, person.email);
  await getRow(page, person.email).getByRole('button', { name: 'Actions' }).hover();
  await page.mouse.down();
  await site.callAsAdmin('POST', `/api/people/${id}/disable`);
  await expect(getRow(page, person.email)).toContainText('Disabled');
  await page.mouse.up();
  await expect(page.getByRole('menuitem', { name: 'Enable' })).toBeVisible();

  await site.callAsAdmin('POST', `/api/people/${id}/enable`);
  await expect(getRow(page, person.email)).toContainText('Active');
  await page.getByRole('menuitem', { name: 'Enable' }).press('Escape');
  await expect(getRow(page, person.email).locator('.grid-actions-cell')).toBeFocused();

  await getRow(page, person.email).locator('.grid-person-cell').first().hover();
  await page.mouse.down();
  await site.callAsAdmin('POST', `/api/people/${id}/disable`);
  await expect(getRow(page, person.email)).toContainText('Disabled');
  await page.mouse.up();
  await expect(getSidePanel(page, 'Pat Pressed')).toBeVisible();
});

test('the last administrator cannot be demoted, and the reason is shown (F5)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'the server keeps the last administrator');
  await site.sql("update people set role = 'member' where email <> $1", [site.administrator.email]);
  await openAsAdministrator(page, site, '/layout/people');
  await searchFor(page, site.administrator.email);
  // Before the search is applied, the list contains people invited by other tests.
  await expect(page.getByRole('status').filter({ hasText: '1 person' })).toBeVisible();
  await chooseRowAction(page, site.administrator.email, 'Make member');
  await confirm(page, 'Make member');
  await expect(page.getByText('This is the last active administrator.')).toBeVisible();
});
