/** Actions on single rows (K2, K3): each is executed once, even after a double click. */
import { openAsAdministrator, expect, test, type Page } from '../fixtures/site-test.ts';
import { chooseRowAction, getDialog, getRow, searchFor } from './list-page.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

async function confirm(page: Page, button: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).dblclick();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

test('an invitation is sent once by a double click, shown as a QR code, and revoked with its link (K2)', async ({
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
  await form.getByLabel('E-mail address').fill(email);
  await send.dblclick();
  await expect(page.getByText(`The invitation for ${email} is on its way.`)).toBeVisible();
  const link = await site.linkTo(email);
  expect(await site.mailsTo(email)).toHaveLength(1);

  await page.getByRole('button', { name: 'Invite someone' }).click();
  await form.getByLabel('E-mail address').fill(email.toUpperCase());
  await send.click();
  await expect(form.getByText('This address already has an open invitation.')).toBeVisible();
  // The dialog cannot be closed during the request.
  await expect(form.getByRole('button', { name: 'Cancel' })).toBeEnabled();
  await page.keyboard.press('Escape');

  await searchFor(page, email);
  await chooseRowAction(page, email, 'QR code');
  const code = getDialog(page, 'QR code of the invitation');
  await expect(code).toContainText(link);
  await expect(code.locator('figure svg path')).toHaveCount(1);
  for (const format of ['SVG', 'PNG']) {
    const download = page.waitForEvent('download');
    await code.getByRole('button', { name: `${format} file` }).click();
    expect((await download).suggestedFilename()).toBe(`invitation-${email}.${format.toLowerCase()}`);
  }
  await page.keyboard.press('Escape');

  await chooseRowAction(page, email, 'Revoke');
  await confirm(page, 'Revoke invitation');
  await expect(page.getByText(`The invitation for ${email} has been revoked.`)).toBeVisible();
  await expect(getRow(page, email)).toContainText('Revoked');
  await expect(site.fetchInviteToken(link)).rejects.toThrow('gave no token: Invalid');
});

test('a person is enabled, disabled and removed; a change of another administrator and the last administrator stay (K3, F5)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'another administrator was quicker, and the server keeps the last one');
  const person = await site.createMember({ name: 'Pat Person' });
  await openAsAdministrator(page, site, '/layout/people');
  await searchFor(page, person.email);
  await chooseRowAction(page, person.email, 'Make administrator');
  await site.callAsAdmin('POST', `/api/people/${await site.getPersonId(person)}/disable`);
  await confirm(page, 'Make administrator');
  await expect(
    page.getByText(`has changed ${person.email} in the meantime (role: member, status: disabled)`),
  ).toBeVisible();
  await expect(getRow(page, person.email)).toContainText('Disabled');
  for (const [entry, message, shown] of [
    ['Enable', 'Pat Person is enabled again.', 'Active'],
    ['Disable', 'Pat Person is disabled.', 'Disabled'],
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

  await site.sql("update people set role = 'member' where email <> $1", [site.administrator.email]);
  await searchFor(page, site.administrator.email);
  await chooseRowAction(page, site.administrator.email, 'Make member');
  await confirm(page, 'Make member');
  await expect(page.getByText('This is the last active administrator.')).toBeVisible();
});
