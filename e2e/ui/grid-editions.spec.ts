/** The grid with AG Grid Community and Enterprise (J1). */
import { getCell, getFilterChips, expect, getHeader, lastRowName, openGrid, test } from './gallery.ts';

test('with a licence key the grid uses AG Grid Enterprise, with the filters of Community (J1)', async ({
  page,
  gallery,
}) => {
  const fetched = () => gallery.requested.filter((path) => path.includes('grid-'));
  gallery.requested.length = 0;
  await openGrid(page);
  expect(fetched().some((path) => path.includes('grid-community'))).toBe(true);
  expect(fetched().some((path) => path.includes('grid-enterprise'))).toBe(false);
  gallery.requested.length = 0;
  await openGrid(page, 'not-a-key');
  expect(fetched().some((path) => path.includes('grid-enterprise'))).toBe(true);
  expect(fetched().some((path) => path.includes('grid-community'))).toBe(false);

  await page.getByRole('button', { name: 'Filter Status' }).click();
  const panel = page.getByRole('dialog', { name: 'Filter Status' });
  await panel.getByLabel('Disabled').check();
  await panel.getByRole('button', { name: 'Done' }).click();
  await expect(getFilterChips(page)).toContainText('Status: Disabled');
  await expect(page.getByText('2,222 people')).toBeVisible();
  await expect(getCell(page, 'Linus Hopper 8')).toBeVisible();
  await getFilterChips(page).getByRole('button', { name: 'Remove filter Status: Disabled' }).click();
  await expect(page.getByText('1,000,000 people')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Filters' })).toHaveCount(0);

  await page.getByRole('tab', { name: 'Columns' }).click();
  await page.locator('.ag-column-select').getByLabel('Role').click();
  await expect(getHeader(page, 'Role')).toHaveCount(0);
  await expect
    .poll(() =>
      page.evaluate(() => window.fakeServer.layouts.at(-1)?.columns.find(({ id }) => id === 'role')),
    )
    .toEqual({ id: 'role', hidden: true });

  // The server-side row model sorts, jumps, selects and updates.
  await getHeader(page, 'Name').click();
  await getHeader(page, 'Name').click();
  await expect(getCell(page, lastRowName)).toBeVisible();
  await getCell(page, lastRowName).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Home');
  await expect(getCell(page, 'Select Ada Lovelace 0')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText('1 person selected');
  // The selection bar covers the last row; the focus moves to a visible row.
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowUp');
  const place = () => page.locator('.ag-grid-viewport').evaluate((element) => element.scrollTop);
  const before = await place();
  await page.evaluate(() => window.fakeServer.queries.splice(0));
  await page.evaluate(() => window.fakeServer.change());
  await expect.poll(() => page.evaluate(() => window.fakeServer.queries.length)).toBeGreaterThan(0);
  await expect(page.getByRole('checkbox', { name: 'Select Ada Lovelace 0', exact: true })).toBeChecked();
  expect(await place()).toBe(before);
});
