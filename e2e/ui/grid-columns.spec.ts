/** Grid: filters, columns and named views (J2). */
import {
  getLastQuery,
  getCell,
  getFilterChips,
  expect,
  getHeader,
  openGrid,
  getSearchField,
  getColumnTitles,
  test,
  getButton,
  type Page,
} from './gallery.ts';
import type { Locator } from '@playwright/test';

test('filters of texts, values, days and numbers can be set, combined, changed and cleared, by keyboard and by their chips (J2)', async ({
  page,
}) => {
  await openGrid(page);
  await getCell(page, 'Ada Lovelace 0').click();
  await page.keyboard.press('ArrowUp');
  await expect(getHeader(page, 'Name')).toBeFocused();
  await page.keyboard.press('Alt+ArrowDown');
  const panel = page.getByRole('dialog', { name: 'Filter Name' });
  await expect(panel.getByLabel('Contains')).toBeFocused();
  // Tab stays within the dialog.
  await page.keyboard.press('Shift+Tab');
  await expect(panel.getByRole('button', { name: 'Done' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.type('grace');
  await page.keyboard.press('Enter');
  await expect(panel).toHaveCount(0);
  await expect(getHeader(page, 'Name')).toBeFocused();
  await expect(getFilterChips(page)).toContainText('Name: contains “grace”');
  await expect(page.getByText('3,334 people')).toBeVisible();
  await expect(getCell(page, 'Grace Hopper 1')).toBeVisible();
  expect(await getLastQuery(page)).toEqual({
    offset: 0,
    limit: 100,
    filters: [{ column: 'name', is: 'contains', text: 'grace' }],
  });

  await page.keyboard.press('Alt+ArrowDown');
  await expect(panel.getByLabel('Contains')).toHaveValue('grace');
  await page.keyboard.press('Escape');
  await expect(getHeader(page, 'Name')).toBeFocused();
  await expect(getFilterChips(page)).toContainText('grace');
  await getFilterChips(page)
    .getByRole('button', { name: 'Remove filter Name: contains “grace”' })
    .press('Enter');
  await expect(page.getByText('1,000,000 people')).toBeVisible();
  await expect(getFilterChips(page)).toHaveCount(0);
  await expect(getSearchField(page)).toBeFocused();

  await page.getByRole('button', { name: 'Filter E-mail' }).click();
  await page.getByLabel('Contains').fill('@nowhere');
  await page.getByLabel('Contains').press('Enter');
  await expect(page.getByText('No matches for these filters')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(getCell(page, 'Ada Lovelace 0')).toBeVisible();
  await expect(getSearchField(page)).toBeFocused();
  await expect(page.getByText('1,000,000 people')).toBeVisible();

  await page.getByRole('button', { name: 'Filter E-mail' }).click();
  await page.getByLabel('Contains').fill('@example');
  await page.getByLabel('Contains').press('Enter');
  await getSearchField(page).fill('absent');
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await expect(getCell(page, 'Ada Lovelace 0')).toBeVisible();
  await expect(getSearchField(page)).toHaveValue('');
  await expect(getFilterChips(page)).toHaveCount(0);

  await page.getByRole('button', { name: 'Filter Status' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Disabled')).toHaveAccessibleDescription('2,222');
  await dialog.getByLabel('Disabled').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(getFilterChips(page)).toContainText('Status: Disabled');
  await expect(getCell(page, 'Linus Hopper 8')).toBeVisible();

  await page.getByRole('button', { name: 'Filter Joined' }).click();
  await dialog.getByLabel('From').fill('2023-11-15');
  await dialog.getByLabel('To').fill('2023-11-15');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(getFilterChips(page)).toContainText('Joined: Nov 15, 2023');
  await expect.poll(async () => (await getLastQuery(page))?.filters?.length).toBe(2);
  const query = await getLastQuery(page);
  const [, days] = query!.filters!;
  expect(days).toMatchObject({ column: 'joinedAt', is: 'between' });
  const { from, to } = days as { from: string; to: string };
  expect(new Date(to).getTime() - new Date(from).getTime()).toBe(24 * 3_600_000);

  await getButton(page, 'Columns').click();
  await page.getByLabel('Sign-ins', { exact: true }).check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Filter Sign-ins' }).click();
  await dialog.getByLabel('From').fill('12');
  await dialog.getByLabel('To').fill('12');
  await dialog.getByLabel('To').press('Enter');
  await expect(getFilterChips(page).getByRole('listitem')).toHaveCount(4);
  await expect.poll(async () => (await getLastQuery(page))?.filters?.length).toBe(3);

  await getFilterChips(page).getByRole('button', { name: 'Status: Disabled', exact: true }).click();
  await expect(dialog.getByLabel('Disabled')).toBeChecked();
  await dialog.getByRole('button', { name: 'Clear' }).click();
  await expect(getFilterChips(page)).not.toContainText('Status');
  await getFilterChips(page).getByRole('button', { name: 'Clear all filters' }).click();
  await expect(page.getByText('1,000,000 people')).toBeVisible();
  await expect(getSearchField(page)).toBeFocused();
});

test('columns can be hidden, moved, pinned and resized, and are stored (J2)', async ({ page }) => {
  await openGrid(page);
  await getButton(page, 'Columns').press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByLabel('Role', { exact: true }).press('Space');
  const up = dialog.getByRole('button', { name: 'Move up: Joined' });
  await up.press('Enter');
  await expect(up).toBeFocused();
  await dialog.getByRole('button', { name: 'Pin to left: Status' }).press('Enter');
  await page.keyboard.press('Escape');
  await expect(getButton(page, 'Columns')).toBeFocused();
  const order = ['Status', 'Name', 'E-mail', 'Joined', 'Last seen', 'Actions'];
  await expect.poll(() => getColumnTitles(page)).toEqual(order);
  await expect
    .poll(() =>
      page.evaluate(() => window.fakeServer.layouts.at(-1)?.columns.find(({ id }) => id === 'status')),
    )
    .toEqual({ id: 'status', pinned: true });

  await page.reload();
  await expect(getCell(page, 'Ada Lovelace 0')).toBeVisible();
  expect(await getColumnTitles(page)).toEqual(order);

  await getButton(page, 'Columns').click();
  await dialog.getByRole('button', { name: 'Reset to default' }).click();
  await page.keyboard.press('Escape');
  await expect
    .poll(() => getColumnTitles(page))
    .toEqual(['Name', 'E-mail', 'Role', 'Status', 'Joined', 'Last seen', 'Actions']);

  const width = async () => Math.round((await getHeader(page, 'E-mail').boundingBox())!.width);
  await getHeader(page, 'E-mail').dragTo(getHeader(page, 'Status'));
  await expect
    .poll(() => getColumnTitles(page))
    .toEqual(['Name', 'Role', 'Status', 'E-mail', 'Joined', 'Last seen', 'Actions']);
  await getCell(page, 'person0@example.com').click();
  await page.keyboard.press('ArrowUp');
  await expect(getHeader(page, 'E-mail')).toBeFocused();
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(async () => (await getColumnTitles(page)).slice(1, 3)).toEqual(['Role', 'E-mail']);
  const before = await width();
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('Alt+ArrowRight');
  await expect.poll(width).toBeGreaterThan(before);
  const sized = await width();
  await expect
    .poll(() =>
      page.evaluate(() => window.fakeServer.layouts.at(-1)?.columns.find(({ id }) => id === 'email')),
    )
    .toEqual({ id: 'email', width: sized });
  await page.reload();
  await expect(getCell(page, 'Ada Lovelace 0')).toBeVisible();
  expect(await width()).toBe(sized);
});

test('a named view restores columns, filters, search and order, and can be renamed, updated and deleted (J2)', async ({
  page,
}) => {
  await openGrid(page);
  const views = getButton(page, /^Views/);
  const choose = async (name: string) => {
    await views.click();
    await page.getByRole('menuitem', { name }).click();
  };
  await page.getByRole('button', { name: 'Filter Role' }).click();
  await page.getByRole('dialog').getByLabel('Administrator').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await getHeader(page, 'Name').click();
  await getHeader(page, 'Name').click();
  await getButton(page, 'Columns').click();
  await page.getByRole('checkbox', { name: 'E-mail', exact: true }).uncheck();
  await page.keyboard.press('Escape');
  await choose('Save as view…');
  const dialog = page.getByRole('dialog', { name: 'Save as view' });
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/Give the view a name/);
  await dialog.getByLabel('Name').fill('Administrators');
  await dialog.getByLabel('All administrators can use').check();
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expect(getButton(page, 'Views: Administrators')).toBeVisible();

  await choose('Reset to default');
  await expect(page.getByText('1,000,000 people')).toBeVisible();
  await expect(getHeader(page, 'E-mail')).toBeVisible();
  await expect(getHeader(page, 'Name')).toHaveAttribute('aria-sort', 'none');

  await page.reload();
  await expect(getCell(page, 'Ada Lovelace 0')).toBeVisible();
  await choose('Administrators (shared)');
  await expect(page.getByText('4,000 people')).toBeVisible();
  await expect(getHeader(page, 'E-mail')).toHaveCount(0);
  await expect(getHeader(page, 'Name')).toHaveAttribute('aria-sort', 'descending');
  await expect(getFilterChips(page)).toContainText('Role: Administrator');
  await expect(getCell(page, 'Barbara Liskov 19995')).toBeVisible();

  await getSearchField(page).fill('ada');
  await expect.poll(async () => (await getLastQuery(page))?.search).toBe('ada');
  await choose('Update “Administrators”');
  await expect(page.getByText('View “Administrators” updated')).toBeVisible();
  // Renaming a view does not change the columns.
  await getButton(page, 'Columns').click();
  await page.getByRole('checkbox', { name: 'Status', exact: true }).uncheck();
  await page.keyboard.press('Escape');
  await choose('Rename or share “Administrators”…');
  await page.getByRole('dialog').getByLabel('Name').fill('Admins');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(getButton(page, 'Views: Admins')).toBeVisible();
  await expect(getHeader(page, 'Status')).toHaveCount(0);
  await choose('Reset to default');
  await expect(getSearchField(page)).toHaveValue('');
  await choose('Admins (shared)');
  await expect(getSearchField(page)).toHaveValue('ada');
  await choose('Delete “Admins”…');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await views.click();
  await expect(page.getByRole('menuitem', { name: 'Admins' })).toHaveCount(0);
});

test('the column of people shows picture, name and an address whose domain stays visible (J2, G4)', async ({
  page,
}) => {
  await page.goto('/?screen=grid&cells=people');
  const long = 'person1.of.the.northern.branch@international-shipping-and-logistics.example.com';
  const person = page.getByRole('gridcell', { name: `Grace Hopper 1 ${long}`, exact: true });
  await expect(person).toBeVisible();
  await expect(person.getByTitle(long)).toBeVisible();
  const parts = person.locator('.address-parts > *');
  expect(await parts.allTextContents()).toEqual([long.slice(0, 3), long.slice(3)]);
  const isCut = () => parts.last().evaluate((part) => part.clientWidth < part.scrollWidth);
  expect(await isCut()).toBe(true);
  // The characters of an address that starts with a digit keep their order.
  const begins = (address: string) =>
    page.getByText(address, { exact: true }).evaluate(({ firstChild }) => {
      const leftOf = (at: number) => {
        const range = document.createRange();
        range.setStart(firstChild as Node, at);
        range.setEnd(firstChild as Node, at + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf(0) < leftOf(1) && leftOf(1) < leftOf(2);
    });
  expect(await begins('2@example.com')).toBe(true);

  // In a narrow window the person column is pinned, and rendered again.
  const width = async () => Math.round((await getHeader(page, 'Name').boundingBox())?.width ?? 0);
  const wide = await width();
  const left = async () => {
    const [cell, grid] = [await person.boundingBox(), await page.getByRole('grid').boundingBox()];
    return cell && grid && Math.round(cell.x - grid.x);
  };
  const before = await left();
  await page.setViewportSize({ width: 1000, height: 700 });
  await getHeader(page, 'Last seen').scrollIntoViewIfNeeded();
  await expect.poll(left).toBe(before);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(width).toBe(wide);

  // The column is first fitted to its content, then made as narrow as possible.
  await doubleClick(page, getHeader(page, 'Name').locator('.ag-header-cell-resize'));
  await expect.poll(isCut).toBe(false);
  expect(await width()).toBeGreaterThan(400);
  const height = async () => Math.round((await person.boundingBox())!.height);
  const comfortable = await height();
  await getButton(page, 'Columns').click();
  await page.getByRole('dialog').getByText('Compact').click();
  await page.keyboard.press('Escape');
  await expect.poll(height).toBeLessThan(comfortable - 10);
  await page.reload();
  await expect.poll(height).toBeLessThan(comfortable - 10);
});

/** Double-clicks like a hand: moves one pixel during the first click, and pauses before the second. */
async function doubleClick(page: Page, target: Locator): Promise<void> {
  const { x, y, width, height } = (await target.boundingBox())!;
  const [left, top] = [x + width / 2, y + height / 2];
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.mouse.move(left + 1, top);
  await page.mouse.up();
  await page.waitForTimeout(150);
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
}
