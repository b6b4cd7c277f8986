/** The extension "tickets" of the template. */
import { expect, openAs, openAsAdministrator, signIn, type Page } from '../fixtures/site-test.ts';
import { test } from '../fixtures/portal-test.ts';
import { expectNoViolation } from '../screens/axe.ts';
import type { Person, Site } from '../../packages/testing/src/site.ts';

/** Opens the list of tickets and a new ticket in it. */
async function openTicket(page: Page, site: Site, person: Person, subject: string): Promise<void> {
  await openAs(page, site, person, '/layout/organization/acme/tickets');
  await page.getByRole('button', { name: 'Open a ticket' }).click();
  await page.getByRole('dialog').getByLabel('Subject').fill(subject);
  await page.getByRole('button', { name: 'Open ticket' }).click();
}

test('a manager opens a ticket from the menu of the organization, and sees it on the dashboard, in the palette and in the activity', async ({
  page,
  site,
  members,
}) => {
  await openAs(page, site, members.manager);
  await expect(page.locator('.card', { hasText: 'My tickets' })).toContainText('0 open tickets');
  await page.getByRole('navigation').getByRole('link', { name: 'Acme' }).click();
  await page.getByRole('link', { name: 'Tickets', exact: true }).click();
  await expect(page).toHaveURL('/layout/organization/acme/tickets');
  await expect(page.getByText('No tickets yet')).toBeVisible();

  await page.getByRole('button', { name: 'Open a ticket' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Open ticket' }).click();
  await expect(dialog.getByLabel('Subject')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Subject').fill('Printer on fire');
  await dialog.getByLabel('Description (optional)').fill('It does not stop.');
  await expectNoViolation(page, 'the form of a ticket');
  await dialog.getByRole('button', { name: 'Open ticket' }).click();
  await expect(page.getByText('The ticket is open.')).toBeVisible();
  const row = page.getByRole('row').nth(1);
  await expect(row).toContainText('Printer on fire');
  await page.getByRole('searchbox').fill('fire');
  await expect(page).toHaveURL(/[?&]q=fire/);
  await expectNoViolation(page, 'a list of tickets');

  await page.getByRole('navigation').getByRole('link', { name: 'My tickets' }).click();
  await expect(page).toHaveURL('/layout/tickets');
  await expect(page.locator('.record-list')).toContainText('Printer on fire');
  await expectNoViolation(page, 'my tickets');
  await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click();
  await expect(page.locator('.card', { hasText: 'My tickets' })).toContainText('1 open ticket');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('printer');
  await page.getByRole('option', { name: /Printer on fire/ }).click();
  await expect(page.getByRole('heading', { name: 'Printer on fire' })).toBeVisible();
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  await expect(page.getByRole('row').nth(1)).toContainText('Opened the ticket');
});

test('a manager adds a file to a ticket by button and by drop, downloads it and deletes it, and a user without tickets.write reads only', async ({
  page,
  otherBrowser,
  site,
  members,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await openTicket(page, site, members.manager, 'Invoice missing');
  await page.getByRole('gridcell', { name: /Invoice missing/ }).click();
  await expect(page.getByRole('heading', { name: 'Invoice missing' })).toBeVisible();
  const files = page.getByRole('region', { name: 'Files' });
  await expect(files).toContainText('No files yet.');

  const chooser = page.waitForEvent('filechooser');
  await files.getByRole('button', { name: 'Upload files' }).press('Enter');
  await (
    await chooser
  ).setFiles({ name: 'invoice.txt', mimeType: 'text/plain', buffer: Buffer.from('12 euros') });
  await expect(files.getByRole('listitem')).toContainText(['invoice.txt']);
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['more'], 'a long name of a dropped file without a break.txt'));
    return transfer;
  });
  await files.locator('.record-upload').dispatchEvent('drop', { dataTransfer: dropped });
  await expect(files.getByRole('listitem')).toContainText(['invoice.txt', 'a long name']);
  await expectNoViolation(page, 'a ticket with files');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);

  const member = await otherBrowser();
  // Every role has the permission.
  await member.route(/\/files\/ticket\/[\w-]+$/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as object;
    await route.fulfill({ response, json: { ...body, mayChange: false } });
  });
  await openAs(member, site, members.member, new URL(page.url()).pathname);
  await expect(member.getByRole('button', { name: 'Download invoice.txt' })).toBeVisible();
  await expect(member.getByRole('button', { name: 'Upload files' })).toHaveCount(0);
  await expect(member.getByRole('button', { name: 'Delete invoice.txt' })).toHaveCount(0);

  const download = page.waitForEvent('download');
  await files.getByRole('button', { name: 'Download invoice.txt' }).press('Enter');
  expect((await download).suggestedFilename()).toBe('invoice.txt');
  await files.getByRole('button', { name: 'Delete invoice.txt' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await expect(files.getByRole('listitem')).toHaveCount(1);
  await expect(files.getByRole('button', { name: 'Upload files' })).toBeFocused();
  // The screen of the other member follows.
  await expect(member.getByRole('button', { name: 'Download invoice.txt' })).toHaveCount(0);
});

test('a file that the server refuses to add shows the reason, can be tried again, and leaves nothing when it is cancelled', async ({
  page,
  site,
  members,
  expectConsole,
}) => {
  expectConsole(/409/, 'the server refuses the file');
  await openTicket(page, site, members.manager, 'Keyboard sticks');
  await page.getByRole('gridcell', { name: 'Keyboard sticks' }).click();
  const [ticket] = await site.sql(`select id from tickets where subject = 'Keyboard sticks'`);
  const id = String(ticket?.['id']);
  const other = '00000000-0000-4000-8000-000000000000';
  const move = (from: string, to: string) =>
    site.sql('update attachments set record_id = $1 where record_id = $2', [to, from]);
  await site.sql(
    `insert into attachments (id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at,
       organization_id, record_type, record_id)
     select gen_random_uuid(), 'Ann', 'ann@example.com', 'old ' || n, 'text/plain', 'text', 1, '', 'ready', now(), now(),
       organization_id, 'ticket', $2 from tickets, generate_series(1, 10) n where tickets.id = $1`,
    [id, other],
  );
  const files = page.getByRole('region', { name: 'Files' });
  await expect(files).toContainText('No files yet.');
  await move(other, id);
  await page
    .locator('input[type="file"]')
    .setInputFiles(
      ['first.txt', 'second.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('x') })),
    );
  const uploads = files.getByRole('list', { name: 'Uploads' }).getByRole('listitem');
  await expect(uploads).toContainText([
    /There are already 10 files here.* is a private file in Attachments/,
    /There are already 10 files here/,
  ]);
  await expectNoViolation(page, 'a file that was refused');
  await move(id, other);
  await files.getByRole('button', { name: 'Try again first.txt' }).click();
  await expect(files.getByRole('button', { name: 'Download first.txt' })).toBeVisible();
  await files.getByRole('button', { name: 'Cancel second.txt' }).click();
  await expect
    .poll(() => site.sql(`select name from attachments where name = 'second.txt' and deleted_at is null`))
    .toEqual([]);
});

test('a file of a kind that is not allowed is deleted after its upload, and the reason is shown', async ({
  page,
  site,
  members,
  expectConsole,
}) => {
  expectConsole(/400/, 'the server refuses the file');
  await page.route(/\/files\/ticket\/[\w-]+$/, async (route) => {
    if (route.request().method() === 'POST') {
      const message = 'Files of this kind cannot be added here. Choose another file.';
      await route.fulfill({
        status: 400,
        json: { code: 'record_file.kind_not_allowed', message, requestId: 'r' },
      });
      return;
    }
    const response = await route.fetch();
    const body = (await response.json()) as object;
    await route.fulfill({ response, json: { ...body, kinds: ['picture', 'pdf'], maximum: 3 } });
  });
  await openTicket(page, site, members.manager, 'Mouse sticks');
  await page.getByRole('gridcell', { name: 'Mouse sticks' }).click();
  const files = page.getByRole('region', { name: 'Files' });
  await expect(files).toContainText('at most 3 files, each with at most 5 GB. Kinds of files: Picture, PDF.');
  const choose = (name: string, mimeType: string) =>
    page.locator('input[type="file"]').setInputFiles({ name, mimeType, buffer: Buffer.from('x') });
  const uploads = files.getByRole('list', { name: 'Uploads' }).getByRole('listitem');

  await choose('kind.png', 'image/png');
  await expect(uploads).toContainText(['Files of this kind cannot be added here.']);
  await expect(files.getByRole('button', { name: /Try again/ })).toHaveCount(0);
  await expect(files.getByRole('button', { name: 'Cancel kind.png' })).toBeVisible();
  expect(
    await site.sql(`select name from attachments where name like 'kind.%' and deleted_at is null`),
  ).toEqual([]);
  await expect(uploads).not.toContainText(['Attachments']);
});

test('the menu entry needs the permission, a member opens a ticket, and a manager closes it', async ({
  page,
  otherBrowser,
  site,
  members,
}) => {
  await signIn(page, await site.createMember());
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Dashboard' })).toBeVisible();
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Faulty' })).toHaveCount(0);
  await expect(page.getByRole('navigation').getByRole('link', { name: 'My tickets' })).toHaveCount(0);
  const other = await otherBrowser();
  await openAs(other, site, members.member);
  await other.getByRole('navigation').getByRole('link', { name: 'My tickets' }).click();
  await expect(other.getByText('You have not opened a ticket yet.')).toBeVisible();
  await other.goto('/layout/organization/acme/tickets');
  await other.getByRole('button', { name: 'Open a ticket' }).click();
  await other.getByRole('dialog').getByLabel('Subject').fill('Screen flickers');
  await other.getByRole('button', { name: 'Open ticket' }).click();
  const ofMember = other.getByRole('row', { name: /Screen flickers/ });
  await expect(ofMember).toContainText('Open');
  await expect(ofMember.getByRole('button', { name: 'Actions' })).toHaveCount(0);
  const manager = await otherBrowser();
  await openAs(manager, site, members.manager, '/layout/organization/acme/tickets');
  await manager
    .getByRole('row', { name: /Screen flickers/ })
    .getByRole('button')
    .click();
  await manager.getByRole('menuitem', { name: 'Close' }).click();
  await expect(manager.getByText('“Screen flickers” is closed.')).toBeVisible();
  // A closed ticket has no actions.
  await expect(manager.getByRole('row', { name: /Screen flickers/ }).getByRole('button')).toHaveCount(0);
  // The list of the member follows.
  await expect(ofMember).toContainText('Closed');
});

test('texts of the extension are German in a German browser, also where the product translates them differently', async ({
  otherBrowser,
  site,
  members,
}) => {
  const page = await otherBrowser({ locale: 'de-DE' });
  await openAs(page, site, members.manager, '/layout/profile');
  await page.getByRole('navigation').getByRole('link', { name: 'Meine Tickets' }).click();
  await expect(page.getByRole('heading', { name: 'Meine Tickets' })).toBeVisible();
  await page.goto('/layout/organization/acme/tickets');
  await page.getByRole('button', { name: 'Ticket eröffnen' }).click();
  await page.getByRole('dialog').getByLabel('Betreff').fill('Drucker brennt');
  await page.getByRole('button', { name: 'Eröffnen', exact: true }).click();
  await expect(page.getByRole('row', { name: /Drucker brennt/ })).toContainText('Offen');
});

test('settings of an extension are German in a German browser, follow another administrator, and a conflict keeps the typed value', async ({
  page,
  otherBrowser,
  site,
  members,
  expectConsole,
}) => {
  expectConsole(/409/, 'the server reports the conflict');
  // Settings show roles only if an organization exists.
  expect(members.manager.email).toContain('@');
  const german = await otherBrowser({ locale: 'de-DE' });
  for (const browser of [page, german])
    await openAsAdministrator(browser, site, '/layout/settings/extension-tickets');
  const field = page.getByLabel(/^Close open tickets after this number of days/);
  const germanField = german.getByLabel('Offene Tickets nach so vielen Tagen schließen (0: nie)');
  const saveInGerman = () => german.getByRole('button', { name: 'Speichern' }).click();
  await expect(germanField).toHaveValue('0');
  await germanField.fill('400');
  await saveInGerman();
  await expect(german.getByText('Geben Sie eine ganze Zahl ein, 0 bis 365.')).toBeVisible();
  await expectNoViolation(german, 'the settings of an extension');
  await germanField.fill('41');
  await saveInGerman();
  await expect(field).toHaveValue('41');

  await field.fill('43');
  await germanField.fill('42');
  const saved = german.waitForResponse((response) => response.request().method() === 'PATCH');
  await saveInGerman();
  await saved;
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'These settings were changed in the meantime.' }),
  ).toBeVisible();
  await expect(field).toHaveValue('43');
  await expect(field).toHaveAccessibleDescription(/The saved value is: 42/);
  await expectNoViolation(page, 'a conflict in the settings of an extension');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(germanField).toHaveValue('43');
  await german.goto('/layout/settings/organizations');
  await expect(german.locator('.record-list')).toContainText('Tickets sehen');
});
