/** Inviting many people: check, send, undo; pasted lists and files (K2). */
import { expectNoViolation } from '../screens/axe.ts';
import { getReviewDialog, openInviteDialog, getInviteDialog } from './invitation-page.ts';
import { expect, test } from '../fixtures/site-test.ts';
import { createWorkbook } from '../fixtures/workbook.ts';
import { getDialog, getRow, searchFor } from './list-page.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

test('a pasted list is checked first, sent once and undone with one click (K2)', async ({ page, site }) => {
  const [anna, bob, cy, removed] = [createPerson(), createPerson(), createPerson(), createPerson()];
  const invited = createPerson();
  await site.invite(invited.email);
  const inside = await site.createMember();
  await openInviteDialog(page, site);
  await getInviteDialog(page)
    .getByLabel('E-mail addresses')
    .fill(
      `Anna Berg <${anna.email}>, ${bob.email}; "Ray, Cy" <${cy.email}>\n${removed.email}\n${bob.email.toUpperCase()}\n${invited.email}\n${inside.email}\nnot.an.address`,
    );
  await getInviteDialog(page).getByLabel('Personal message (optional)').fill('See you soon.');
  await getInviteDialog(page).getByRole('button', { name: 'Check 8 addresses' }).click();

  // Screen readers would read all rows as the description.
  await expect(getReviewDialog(page).getByRole('status')).toHaveText(
    '4 people will be invited; 4 rows skipped. Nothing has been sent yet.',
  );
  expect(await site.mailsTo(anna.email)).toEqual([]);
  for (const group of ['Invalid 1', 'Duplicates 1', 'Already invited 1', 'Already a member 1', 'New 4'])
    await expect(getReviewDialog(page).getByRole('heading', { name: group })).toBeVisible();

  await getReviewDialog(page)
    .getByRole('button', { name: `Remove ${removed.email}` })
    .click();
  await expect(getReviewDialog(page).getByRole('heading', { name: 'Removed 1' })).toBeVisible();
  await getReviewDialog(page).getByRole('button', { name: 'Correct not.an.address' }).click();
  const corrected = createPerson();
  await getReviewDialog(page).getByRole('textbox', { name: 'Address' }).fill(corrected.email);
  await getReviewDialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(getReviewDialog(page).getByRole('status')).toContainText('4 people will be invited');
  await expect(getReviewDialog(page).getByRole('heading', { name: 'Invalid' })).toHaveCount(0);

  await getReviewDialog(page).getByRole('button', { name: 'Send 4 invitations' }).dblclick();
  const sent = getDialog(page, 'Invitations sent');
  await expect(sent.getByText('4 e-mails sent.', { exact: true })).toBeVisible();
  for (const { email } of [anna, bob, cy, corrected]) expect(await site.mailsTo(email)).toHaveLength(1);
  expect(await site.mailsTo(removed.email)).toEqual([]);
  expect((await site.mailsTo(anna.email))[0]?.text).toContain('See you soon.');

  await site.signUp({ ...bob }, await site.linkTo(bob.email));
  await sent.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Undone: 3 invitations revoked')).toContainText(
    '1 person had already signed up and stays.',
  );
  await searchFor(page, anna.email);
  await expect(getRow(page, anna.email)).toContainText('Revoked');

  await page.getByRole('button', { name: 'Past imports' }).click();
  const newest = getDialog(page, 'Past imports').getByRole('listitem').first();
  await expect(newest.locator('.person')).toContainText(site.administrator.name);
  await newest.getByRole('button', { name: /^Open the import/ }).click();
  await expect(sent).toContainText('Undone ');
});

test('a CSV file is read by its titles and with a chosen encoding, and invited people can get the mail again (K2)', async ({
  page,
  site,
}) => {
  const [anna, bob] = [createPerson(), createPerson()];
  await site.invite(anna.email);
  await site.linkTo(anna.email);
  await openInviteDialog(page, site);
  await page.locator('input[type=file]').setInputFiles({
    name: 'staff.csv',
    mimeType: 'text/csv',
    // Like a file exported by German Excel: encoded in Windows-1252 and separated by semicolons.
    buffer: Buffer.from(
      `Nachname;Vorname;E-Mail;Rolle\r\n"Berg";Ännchen;${anna.email};\r\nStone;Bob;${bob.email};Administrator\r\n;;keine;Chef\r\n`,
      'latin1',
    ),
  });
  await expect(getInviteDialog(page)).toContainText('staff.csv: 3 rows');
  await expect(getInviteDialog(page)).toContainText('E-mail: E-Mail');
  await getInviteDialog(page).getByRole('button', { name: 'Check 3 addresses' }).click();
  await expect(getReviewDialog(page)).toContainText('Ännchen Berg');
  await expect(getReviewDialog(page)).toContainText('Will be invited as an administrator.');

  // Rows are numbered as in the spreadsheet, whose first row has the titles.
  await expect(
    getReviewDialog(page).getByRole('listitem').filter({ hasText: 'keine' }).locator('b'),
  ).toHaveText('4');

  const download = page.waitForEvent('download');
  await getReviewDialog(page).getByRole('button', { name: 'Download the 1 row with problems' }).click();
  expect((await download).suggestedFilename()).toBe('rows-with-problems.csv');

  await getReviewDialog(page).getByLabel('Resend the e-mail to people already invited').check();
  await getReviewDialog(page).getByRole('button', { name: 'Send 2 invitations' }).click();
  await expect(getDialog(page, 'Invitations sent')).toContainText('1 row');
  await site.linkTo(bob.email);
  await site.linkTo(anna.email, 2);
  expect(await site.mailsTo(bob.email)).toHaveLength(1);

  await getDialog(page, 'Invitations sent').getByRole('button', { name: 'Show in the list' }).click();
  await expect(page.getByText('Showing one import only.')).toBeVisible();
  await expect(getRow(page, bob.email)).toContainText('Bob Stone');
  await expect(getRow(page, anna.email)).toHaveCount(0);

  // Another encoding and other columns can be chosen.
  const [jan, eva] = [createPerson(), createPerson()];
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  await page.locator('input[type=file]').setInputFiles({
    name: 'excel-for-mac.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      `Liste 2026;\r\nName;E-Mail\r\nJ\x9arg M\x9fller;${jan.email}\r\nEva;${eva.email}\r\n`,
      'latin1',
    ),
  });
  const dialog = getInviteDialog(page);
  const check = async (rows: number) => {
    // A file is read again after each choice.
    await expect(dialog.locator('[aria-busy=true]')).toHaveCount(0);
    await dialog.getByRole('button', { name: `Check ${rows} addresses` }).click();
    return getReviewDialog(page).getByRole('listitem').filter({ hasText: jan.email });
  };
  const goBack = () => getReviewDialog(page).getByRole('button', { name: 'Back' }).click();
  await expect(dialog).toContainText('Rows above the titles are not used (row 1: Liste 2026).');
  await dialog.getByLabel('Encoding').selectOption('windows-1252');
  await expect(await check(2)).toContainText('Jšrg MŸller');
  await goBack();

  await dialog.getByText('Choose the columns').click();
  await dialog.getByLabel('Name', { exact: true }).selectOption('None');
  await expectNoViolation(page, 'invite dialog with choices for a list');
  await expect(await check(2)).not.toContainText('Jšrg MŸller');
});

test('an Excel workbook and cells pasted from a spreadsheet are read, and what is not used of them is named (K2)', async ({
  page,
  site,
}) => {
  const [anna, bob] = [createPerson(), createPerson()];
  const buffer = createWorkbook({
    Help: [['Fill in the next sheet']],
    Staff: [
      ['Name', 'E-Mail'],
      ['Änne Berg', anna.email],
      ['Bob', bob.email],
    ],
  });
  await openInviteDialog(page, site);
  await page.locator('input[type=file]').setInputFiles({ name: 'staff.xlsx', mimeType: '', buffer });
  await expect(getInviteDialog(page)).toContainText('staff.xlsx: 2 rows');
  await expect(getInviteDialog(page)).toContainText('Only the sheet “Staff” is read. Other sheets: Help.');
  await getInviteDialog(page)
    .getByLabel('E-mail addresses')
    .evaluate((field) => {
      const clipboardData = new DataTransfer();
      // Windows ends lines with CRLF.
      clipboardData.setData(
        'text/plain',
        'Anna Berg\tanna@example.com\tSales\r\nBob Stone\tbob@example.com\tIT\r\n',
      );
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
  await expect(getInviteDialog(page)).toContainText('Pasted list: 2 rows');
  await expect(getInviteDialog(page)).toContainText('Not used: column 3 (Sales)');
  await getInviteDialog(page).getByRole('button', { name: 'Check 4 addresses' }).click();
  await expect(getReviewDialog(page)).toContainText('Änne Berg');
});

test('the focus moves to the next row after a row is removed or corrected (K2, G4)', async ({
  page,
  site,
}) => {
  await openInviteDialog(page, site);
  const press = async (name: string) => {
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  const expectFocus = (name: string) =>
    expect(page.getByRole('dialog').getByRole('button', { name, exact: true })).toBeFocused();
  const addresses = getInviteDialog(page).getByLabel('E-mail addresses');

  const [anna, bob] = [createPerson(), createPerson()];
  const others = [anna, bob].map(({ email }) => email);
  await addresses.fill(`${others.join(', ')}, dan@example, eve@example, not.one`);
  await getInviteDialog(page).getByRole('button', { name: 'Check 5 addresses' }).click();
  // The row moves only when the server has responded. The focus moves immediately.
  await press('Use dan@example.com');
  await expectFocus('Use eve@example.com');
  await page.keyboard.press('Enter');
  await expectFocus('All 5');

  await press('Correct not.one');
  await expect(getReviewDialog(page).getByRole('textbox', { name: 'Address' })).toBeFocused();
  await press('Cancel');
  await expectFocus('Correct not.one');
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.type('.at.all');
  await page.keyboard.press('Enter');
  await expectFocus('Correct not.one.at.all');
  await expect(getReviewDialog(page).getByRole('textbox')).toHaveCount(0);

  await press(`Remove ${anna.email}`);
  await expectFocus(`Remove ${bob.email}`);
  await press(`Restore ${anna.email}`);
  await expectFocus('All 5');
});
