/** Many organizations from a file (R1). */
import { test } from '../fixtures/organizations-test.ts';
import { expect, openAsAdministrator } from '../fixtures/site-test.ts';
import { createWorkbook } from '../fixtures/workbook.ts';
import { getRow } from '../lists/list-page.ts';

test('an administrator creates organizations from a file of Excel, after a check of each row (R1)', async ({
  page,
  site,
}) => {
  await openAsAdministrator(page, site, '/layout/organizations');
  const menu = page.getByRole('navigation').getByRole('link', { name: 'Organizations' });
  await expect(page.getByText('No organizations yet')).toBeVisible();
  await expect(menu).toHaveCount(0);
  await page.getByRole('button', { name: 'From a file' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create organizations from a file' });
  const choose = (name: string, buffer: Buffer) =>
    dialog.locator('input[type="file"]').setInputFiles({ name, mimeType: 'text/csv', buffer });

  // A sheet of more than 512 kB, which the library would decompress in a worker that the page's policy forbids.
  const largeSheet = Array.from({ length: 10_000 }, (_, at) => [`Row ${at}`]);
  await choose('book.xlsx', createWorkbook({ Customers: [['Name'], ['Dorn AG']], Notes: largeSheet }));
  await expect(dialog.getByRole('region', { name: 'To be created' })).toContainText('Dorn AG');

  // A file that is refused replaces the one before.
  await choose('old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0]));
  await expect(dialog.getByRole('alert')).toContainText('old or protected workbook');
  await expect(dialog.getByRole('button', { name: 'Create 1 organization' })).toHaveCount(0);

  // "Unicode text" of Excel: UTF-16 with tabs.
  const rows = [
    'Firma\tPlätze\tLetzter Tag',
    'Müller & Söhne\t25\t31.12.2030',
    'Bolt\tmany\t',
    'Mueller Soehne\t\t',
    'Cargo\t\t',
  ];
  await choose('customers.txt', Buffer.from(`\uFEFF${rows.join('\r\n')}`, 'utf16le'));
  await expect(dialog.getByRole('status')).toContainText('customers.txt: 2 organizations can be created.');
  const problems = dialog.getByRole('region', { name: 'Problems' });
  await expect(problems).toContainText('Row 3: Bolt');
  await expect(problems).toContainText('Row 4: Mueller Soehne');
  await expect(problems).toContainText('Row 2 has the same short name mueller-soehne.');
  await expect(dialog.getByRole('region', { name: 'To be created' })).toContainText(
    'mueller-soehne · Seats: 25 · Last day: 2030-12-31',
  );
  await dialog.getByRole('button', { name: 'Create the other 2' }).click();
  await expect(page.getByText('2 organizations have been created.')).toBeVisible();
  await expect(getRow(page, 'Müller & Söhne')).toContainText('25');
  await expect(getRow(page, 'Cargo')).toContainText('cargo');
  // The menu has the entry without a reload.
  await expect(menu).toBeVisible();
});
