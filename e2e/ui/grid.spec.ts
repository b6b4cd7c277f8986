/** The grid with a million rows: rows, keyboard, phone layout and live updates (J2). */
import { expectContrastInOtherThemes, expectNoViolation, expectNoRuleViolation } from '../screens/axe.ts';
import {
  getLastQuery,
  getCell,
  getFilterChips,
  expect,
  getHeader,
  lastRowName,
  openGrid,
  getRow,
  getSearchField,
  test,
} from './gallery.ts';

test.beforeEach(({ page }) => openGrid(page));

test('keys reach the first and last of a million rows, and times have accessible names (G4, J2)', async ({
  page,
}) => {
  const joined = getRow(page, 'Ada Lovelace 0').locator('[col-id="joinedAt"]');
  await expect(joined).toHaveText(/^\d+ years? ago$/);
  await expect(joined).toHaveAccessibleName(/^\d+ years? ago \(\w+ \d+, \d{4}, \d+:\d+/);

  await getCell(page, 'Ada Lovelace 0').click();
  await page.keyboard.press('Control+End');
  await expect(getRow(page, lastRowName).getByRole('gridcell').last()).toBeFocused();
  await page.keyboard.press('Home');
  await expect(getCell(page, `Select ${lastRowName}`)).toBeFocused();
  await expect(getCell(page, lastRowName)).toBeInViewport();
  await page.keyboard.press('Control+Home');
  await expect(getCell(page, 'Select Ada Lovelace 0')).toBeFocused();
  await page.keyboard.press('End');
  await expect(getCell(page, 'Ada Lovelace 0')).toBeInViewport();
  await expect(getRow(page, 'Ada Lovelace 0').getByRole('gridcell').last()).toBeFocused();

  await page.emulateMedia({ forcedColors: 'active' });
  await expect(page.locator('.ag-cell:focus')).toHaveCSS('outline-style', 'solid');
  await page.keyboard.press('ArrowUp');
  await expect(page.locator('.ag-header-cell:focus')).toHaveCSS('outline-style', 'solid');
});

test('scrolling loads the rows without the pages in between, and a sort on the server starts at the top (J2)', async ({
  page,
}) => {
  await page.evaluate(() => {
    window.fakeServer.queries.length = 0;
    const viewport = document.querySelector('.ag-grid-viewport')!;
    viewport.scrollTop = viewport.scrollHeight / 2;
  });
  await expect(page.getByRole('gridcell', { name: /^\w+ \w+ 5000\d\d$/ }).first()).toBeVisible();
  const offsets = await page.evaluate(() => window.fakeServer.queries.map((query) => query.offset));
  expect(offsets.every((offset) => offset >= 499_800 && offset <= 500_200)).toBe(true);

  // Without the name of the filter button.
  await expect(getHeader(page, 'Name')).toHaveAccessibleName('Name');
  await page.getByRole('columnheader', { name: 'Name' }).click();
  await page.getByRole('columnheader', { name: 'Name' }).click();
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending');
  await expect(getCell(page, lastRowName)).toBeVisible();
  expect(await getLastQuery(page)).toEqual({
    offset: 0,
    limit: 100,
    sort: { column: 'name', direction: 'desc' },
  });
});

test('a search sends one query for the typed text, and an empty or failing list shows the next step (J2)', async ({
  page,
}) => {
  // Typing takes 100 ms of page time per letter, less than the debounce.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  for (const letter of 'ada') {
    await getSearchField(page).press(letter);
    await page.clock.runFor(100);
  }
  await page.clock.resume();
  await expect(page.getByText('12 people')).toBeVisible();
  await expect(getSearchField(page)).toBeFocused();
  const searched = await page.evaluate(() => window.fakeServer.queries.map((query) => query.search ?? ''));
  expect(new Set(searched)).toEqual(new Set(['', 'ada']));
  await getSearchField(page).fill('absent');
  await expect(page.getByText('No results for “absent”')).toBeVisible();
  // Nothing covers the header, which Tab reaches.
  await getHeader(page, 'Name').click({ trial: true });
  await page.getByRole('button', { name: 'Clear search' }).click();
  await expect(page.getByText('1,000,000 people')).toBeVisible();
  await expect(getCell(page, 'Ada Lovelace 0')).toBeVisible();

  await page.evaluate(() => {
    window.fakeServer.total = 0;
  });
  await page.getByRole('button', { name: 'Refresh people' }).click();
  await expect(page.getByText('No people yet')).toBeVisible();
  await page.evaluate(() => {
    window.fakeServer.total = 1;
  });
  await page.getByRole('button', { name: 'Refresh people' }).click();
  await expect(page.getByText('1 person', { exact: true })).toBeVisible();
  await expect(getCell(page, 'Ada Lovelace 0')).toBeVisible();

  await page.evaluate(() => {
    window.fakeServer.failing = true;
  });
  await page.getByRole('button', { name: 'Refresh people' }).click();
  await expect(page.getByRole('alert')).toContainText('Something went wrong on this page.');
  await expect(getCell(page, 'Ada Lovelace 0')).toBeVisible();
  await page.evaluate(() => {
    window.fakeServer.failing = false;
  });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(getCell(page, 'Ada Lovelace 0')).toBeVisible();
});

test('Enter opens a row, its menu works by keyboard, and changes, also live ones, keep position, focus and selection (J2)', async ({
  page,
}) => {
  await getCell(page, 'Ada Lovelace 0').click();
  await expect(page.getByText('Opened: Ada Lovelace 0')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Opened: Grace Hopper 1')).toBeVisible();
  await page.keyboard.press('ArrowUp');
  for (let step = 0; step < 40; step += 1) await page.keyboard.press('ArrowDown');
  const row = getRow(page, 'Edsger Johnson 40');
  await expect(row).toContainText('Active');
  const scrolled = () => page.evaluate(() => document.querySelector('.ag-grid-viewport')!.scrollTop);
  const before = await scrolled();
  expect(before).toBeGreaterThan(800);

  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu', { name: 'Actions' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(row.getByRole('gridcell').last()).toBeFocused();

  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: 'Greet' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page
    .getByRole('dialog', { name: 'Disable Edsger Johnson 40' })
    .getByRole('button', { name: 'Disable' })
    .click();
  await expect(row).toContainText('Disabled');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(row.getByRole('gridcell').last()).toBeFocused();
  expect(await scrolled()).toBe(before);

  await page.keyboard.press('Control+Home');
  await page.getByRole('checkbox', { name: 'Select Grace Hopper 1', exact: true }).click();
  await getCell(page, 'Ada Lovelace 0').click();
  for (let step = 0; step < 40; step += 1) await page.keyboard.press('ArrowDown');
  await expect(getCell(page, 'Edsger Johnson 40')).toBeFocused();
  const placed = await scrolled();
  expect(placed).toBeGreaterThan(400);
  await page.evaluate(() => {
    window.fakeServer.total = 999_000;
    window.fakeServer.change();
  });
  await expect(page.getByText('999,000 people')).toBeVisible();
  // With a million rows, one pixel of scrolling corresponds to several rows. A new total therefore rounds the scroll position
  // differently.
  expect(Math.abs((await scrolled()) - placed)).toBeLessThanOrEqual(1);
  await expect(getCell(page, 'Edsger Johnson 40')).toBeFocused();
  await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText('1 person selected');

  // At the end of the list the first page is not loaded, but the count is correct.
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Home');
  await expect(getCell(page, 'Select Katherine Hopper 998999')).toBeFocused();
  for (let block = 0; block < 12; block += 1) {
    await page.locator('.ag-grid-viewport').evaluate((element, by) => (element.scrollTop -= 4_400 * by), 1);
    await page.waitForTimeout(80);
  }
  await page.evaluate(() => {
    window.fakeServer.total = 998_000;
    window.fakeServer.change();
  });
  await expect(page.getByText('998,000 people')).toBeVisible();

  expect(await page.evaluate(() => window.fakeServer.listening())).toBe(1);
  await page.getByRole('link', { name: 'Parts' }).click();
  await expect(page.getByRole('heading', { name: 'Parts' })).toBeVisible();
  expect(await page.evaluate(() => window.fakeServer.listening())).toBe(0);
});

test('on a phone a row is one cell with a menu, a sheet sorts and filters, and rows can be selected (J2)', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const row = page.getByRole('row').filter({ hasText: 'Ada Lovelace 0' });
  await expect(row.getByRole('gridcell')).toHaveCount(3);
  await expect(row).toContainText('person0@example.com');
  await row.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Greet' }).click();
  await expect(page.getByText('Hello Ada Lovelace 0')).toBeVisible();
  await page.getByRole('button', { name: 'Sort and filter' }).click();
  const sheet = page.getByRole('dialog', { name: 'Sort and filter' });
  await sheet.getByLabel('Sort by').selectOption('Joined');
  await sheet.getByLabel('Direction').selectOption('desc');
  // Each value shows the number of rows that match it and the filters of the other columns.
  const disabled = sheet.getByRole('group', { name: 'Status' }).first().getByLabel('Disabled');
  await expect(disabled).toHaveAccessibleDescription('2,222');
  const member = sheet.getByRole('group', { name: 'Role' }).first().getByLabel('Member');
  await member.check();
  await expect(disabled).not.toHaveAccessibleDescription('2,222');
  await member.uncheck();
  await expect(disabled).toHaveAccessibleDescription('2,222');
  await disabled.check();
  await sheet.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('2,222 people')).toBeVisible();
  await expect
    .poll(async () => (await getLastQuery(page))?.sort)
    .toEqual({ column: 'joinedAt', direction: 'desc' });
  await expect(page.getByRole('row').filter({ hasText: 'person19997@' })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select Linus Liskov 19988' }).click();
  await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText('1 person selected');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

  // Filters survive rotating the screen.
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(getHeader(page, 'Joined')).toHaveAttribute('aria-sort', 'descending');
  await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText('1 person selected');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Sort and filter' }).click();
  await expectNoViolation(page, 'the sheet on a phone');
  await sheet.getByRole('button', { name: 'Clear all' }).click();
  await expect(page.getByText('1,000,000 people')).toBeVisible();
});

test('filters and a selection pass axe, in other themes and on a phone (G4)', async ({ page }) => {
  await page.getByRole('checkbox', { name: 'Select Grace Hopper 1', exact: true }).click();
  await page.getByRole('button', { name: 'Filter Role' }).click();
  await expectNoRuleViolation(page, 'a filter and a selection');
  await page.getByRole('dialog').getByLabel('Member').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await expect(getFilterChips(page)).toBeVisible();
  await expectNoViolation(page, 'a filtered grid');
  await expectContrastInOtherThemes(page, 'a filtered grid');
  // A phone shows other elements: the menu button, and rows of one cell.
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoRuleViolation(page, 'a filtered grid on a phone');
});

test('rows are as high as their content if the browser has a larger text size (G4)', async ({ page }) => {
  await page.addInitScript(() => {
    new MutationObserver(() => document.documentElement.style.setProperty('font-size', '24px')).observe(
      document,
      { childList: true },
    );
  });
  await page.reload();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const cell = page.getByRole('gridcell').filter({ hasText: 'Ada Lovelace 0' }).last();
    await expect(cell).toBeVisible();
    const [content, box] = await cell.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return [range.getBoundingClientRect().height, element.getBoundingClientRect().height] as const;
    });
    expect(content).toBeLessThanOrEqual(box);
  }
});
