/** Grid: selecting, copying and exporting rows (J2). */
import { readFile } from 'node:fs/promises';
import {
  getCell,
  expect,
  getHeader,
  openGrid,
  type Page,
  getRow,
  getSearchField,
  test,
  getButton,
} from './gallery.ts';

const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const bar = (page: Page) => page.getByRole('group', { name: 'Selected rows' });

const startExport = async (page: Page, kind: string) => {
  await page.getByRole('button', { name: 'Export people' }).press('Enter');
  await page.getByRole('menuitem', { name: kind }).press('Enter');
};

test.beforeEach(({ page }) => openGrid(page));

test('rows are selected by keyboard across pages, all by the header, and a range up to 1,000, rendered or not (J2)', async ({
  page,
}) => {
  const first = getRow(page, 'Grace Hopper 1');
  const top = async () => (await first.boundingBox())!.y;
  const before = await top();
  await first.getByRole('checkbox').click();
  await expect(bar(page)).toContainText('1 person selected');
  expect(await top()).toBe(before);
  await first.getByRole('checkbox').click();
  await expect(bar(page)).toHaveCount(0);

  await getCell(page, 'Grace Hopper 1').click();
  await page.keyboard.press('Space');
  await expect(getRow(page, 'Grace Hopper 1')).toHaveAttribute('aria-selected', 'true');
  await expect(bar(page)).toContainText('1 person selected');
  await page.keyboard.press('Tab');
  await expect(bar(page).getByRole('button').first()).toBeFocused();
  await expect(page.getByRole('grid')).toHaveAttribute('aria-multiselectable', 'true');
  await page.keyboard.press('Shift+Tab');
  await expect(getCell(page, 'Grace Hopper 1')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await expect(bar(page)).toContainText('3 people selected');
  await page.keyboard.press('Space');
  await expect(bar(page)).toContainText('2 people selected');
  await expect(page.getByText('Opened: Grace Hopper 1')).toBeVisible();

  await page.keyboard.press('Control+a');
  await expect(bar(page)).toContainText('All 1,000,000 people selected');
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await expect(getRow(page, 'Grace Hopper 1')).toHaveAttribute('aria-selected', 'false');

  const all = page.getByRole('checkbox', { name: 'Select all matching rows' });
  await box(page, 'Ada Lovelace 0').click();
  await expect(all).toBeChecked({ indeterminate: true });
  await getCell(page, 'Ada Lovelace 0').click();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Space');
  await expect(bar(page)).toContainText('All 1,000,000 people selected');
  await expect(all).toBeChecked();
  await page.keyboard.press('Space');
  await expect(bar(page)).toHaveCount(0);
  await expect(all).not.toBeChecked();

  await page.evaluate(() => {
    // The number of rows is low enough for real row heights, so that positions can be computed.
    window.fakeServer.total = 5_000;
    window.fakeServer.change();
  });
  await expect(page.getByText('5,000 people')).toBeVisible();
  await box(page, 'Ada Lovelace 0').click();
  const scrollTo = (row: number) =>
    page
      .locator('.ag-grid-viewport')
      .evaluate((element, position) => (element.scrollTop = position), 44 * row);
  await scrollTo(855);
  await box(page, 'Linus Hamilton 860').click({ modifiers: ['Shift'] });
  await expect(bar(page)).toContainText('861 people selected');
  await scrollTo(4_490);
  await box(page, 'Linus Torvalds 4496').click({ modifiers: ['Shift'] });
  await expect(page.getByRole('alert')).toContainText('You can select up to 1,000 rows one by one.');
  await expect(bar(page)).toContainText('861 people selected');
});

test('a selection of all matches can exclude rows; one of rows survives sorting and search; actions say why rows are skipped (J2)', async ({
  page,
}) => {
  await getSearchField(page).fill('ada');
  await expect(page.getByText('12 people')).toBeVisible();
  await box(page, 'Ada Lovelace 0').click();
  await bar(page).getByRole('button', { name: 'Select all 12 matching' }).click();
  await expect(bar(page)).toContainText('All 12 people');
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await box(page, 'Ada Lovelace 0').click();
  await bar(page).getByRole('button', { name: 'Select all 12 matching' }).click();
  await bar(page).getByRole('button', { name: 'Greet them' }).click();
  await expect(page.getByText('Hello 12: {"all":{"search":"ada","total":12}}')).toBeVisible();
  await box(page, 'Ada Lovelace 0').click();
  await expect(bar(page)).toContainText('11 people selected');
  await expect(box(page, 'Ada Lovelace 0')).not.toBeChecked();
  await bar(page).getByRole('button', { name: 'Greet them' }).click();
  await expect(page.getByText('Hello 11: {"all":{"search":"ada","except":["0"],"total":12}}')).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'Select all matching rows' })).toBeChecked({
    indeterminate: true,
  });
  await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
  await expect(bar(page)).toContainText('All 12 people');
  // Other rows match now, so "all" must no longer be selected.
  await getSearchField(page).fill('');
  await expect(page.getByText('1,000,000 people')).toBeVisible();
  await expect(bar(page)).toHaveCount(0);

  await box(page, 'Grace Hopper 1').click();
  await box(page, 'Linus Torvalds 2').click();
  await getHeader(page, 'Name').click();
  await expect(getHeader(page, 'Name')).toHaveAttribute('aria-sort', 'ascending');
  await getSearchField(page).fill('ada');
  await expect(page.getByText('12 people', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Refresh people' }).click();
  await expect(bar(page)).toContainText('2 people selected');
  await expect(box(page, 'Linus Torvalds 2')).toBeChecked();
  await bar(page).getByRole('button', { name: 'Disable them' }).click();
  await expect(bar(page)).toHaveCount(0);
  await expect(getRow(page, 'Linus Torvalds 2')).toContainText('Disabled');
  await expect(getRow(page, 'Ada Lovelace 0')).toContainText('Active');

  for (const name of ['Ada Lovelace 0', 'Linus Torvalds 2']) await box(page, name).click();
  const disable = bar(page).getByRole('button', { name: 'Disable them 1 of 2' });
  const why = bar(page).getByText('Unchanged: 1 is disabled.');
  await expect(disable).toHaveAccessibleDescription('Unchanged: 1 is disabled.');
  await expect(why).toBeHidden();
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(why).toBeVisible();
  await expect(disable).toHaveAccessibleDescription('Unchanged: 1 is disabled.');
});

test('Ctrl+C copies selected rows or the focused cell; an export contains all matches, and a cancelled one saves nothing (J2)', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await getCell(page, 'person1@example.com').click();
  await page.keyboard.press('Control+c');
  await expect.poll(clipboard).toBe('person1@example.com');
  await getButton(page, 'Columns').click();
  for (const name of ['Joined', 'Last seen'])
    await page.getByRole('checkbox', { name, exact: true }).uncheck();
  await page.keyboard.press('Escape');
  await getCell(page, 'person1@example.com').click();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.keyboard.press('Control+c');
  await expect
    .poll(clipboard)
    .toBe(
      'Grace Hopper 1\tperson1@example.com\tMember\tActive\nLinus Torvalds 2\tperson2@example.com\tMember\tActive',
    );

  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Filter Status' }).click();
  await page.getByRole('dialog').getByLabel('Disabled').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('2,222 people')).toBeVisible();
  await getButton(page, 'Columns').click();
  await page.getByRole('checkbox', { name: 'Role', exact: true }).uncheck();
  await page.keyboard.press('Escape');
  const download = page.waitForEvent('download');
  await startExport(page, 'CSV');
  const file = await download;
  expect(file.suggestedFilename()).toBe('people.csv');
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines).toHaveLength(2_223);
  expect(lines.slice(0, 2)).toEqual(['Name,E-mail,Status', 'Linus Hopper 8,person8@example.com,Disabled']);
  await expect(page.getByText('people.csv saved.')).toBeVisible();
  expect(await page.evaluate(() => window.fakeServer.exports)).toEqual([
    '/api/people/export name,email,status',
  ]);

  await page.evaluate(() => {
    window.fakeServer.slowExport = true;
  });
  let saved = false;
  page.on('download', () => {
    saved = true;
  });
  await startExport(page, 'XLSX');
  await page.getByText('people.xlsx').locator('..').getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Export cancelled.')).toBeVisible();
  expect(saved).toBe(false);
});

test('Shift+Tab from below returns to the rows, also if the row that had the focus is filtered out (J2)', async ({
  page,
}) => {
  await getCell(page, 'Ada Lovelace 0').click();
  await page.keyboard.press('Space');
  await page.keyboard.press('Control+End');
  await expect(getCell(page, 'Ada Lovelace 0')).toHaveCount(0);
  await getSearchField(page).fill('Grace Hopper 1');
  await expect(getCell(page, 'Grace Hopper 1')).toBeVisible();
  await bar(page).getByRole('button').first().focus();
  await page.keyboard.press('Shift+Tab');
  await expect(page.locator(':focus')).toHaveRole('gridcell');
});
