/** The grid of the UI kit on a million rows, in a real browser, on the kit's gallery. */
import { readFile } from 'node:fs/promises';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import type { inventedServer } from '../apps/web/gallery/invented-people.ts';
import { serveGallery, type ServedGallery } from '../apps/web/gallery/serve-gallery.ts';
import { themes } from '../apps/web/src/ui/themes.ts';

declare global {
  interface Window {
    inventedServer: typeof inventedServer;
  }
}

let gallery: ServedGallery;
test.beforeAll(async () => {
  gallery = await serveGallery();
});
test.afterAll(() => gallery.close());

test.use({ viewport: { width: 1280, height: 800 }, contextOptions: { reducedMotion: 'reduce' } });

test.beforeEach(async ({ page }) => {
  page.on('pageerror', (error) => {
    throw error;
  });
  await page.goto(`${gallery.url}/?screen=grid`);
  await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
});

const cell = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true });
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ has: cell(page, name) });
/** The millionth. */
const last = 'Barbara Lovelace 999999';
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search people' });

test('says how many there are', async ({ page }) => {
  await expect(page.getByText('1,000,000 people')).toBeVisible();
});

test('Ctrl+End goes to the last row, Ctrl+Home to the first, End and Home along the row', async ({
  page,
}) => {
  await cell(page, 'Ada Lovelace 0').click();
  await page.keyboard.press('Control+End');
  await expect(rowOf(page, last).getByRole('gridcell').last()).toBeFocused();
  await page.keyboard.press('Home');
  await expect(cell(page, `Select ${last}`)).toBeFocused();
  await expect(cell(page, last)).toBeInViewport();
  await page.keyboard.press('Control+Home');
  await expect(cell(page, 'Select Ada Lovelace 0')).toBeFocused();
  await page.keyboard.press('End');
  await expect(cell(page, 'Ada Lovelace 0')).toBeInViewport();
  await expect(rowOf(page, 'Ada Lovelace 0').getByRole('gridcell').last()).toBeFocused();
});

test('a far jump shows its rows and asks for no page in between', async ({ page }) => {
  await page.evaluate(() => {
    window.inventedServer.queries.length = 0;
    const viewport = document.querySelector('.ag-grid-viewport')!;
    viewport.scrollTop = viewport.scrollHeight / 2;
  });
  await expect(page.getByRole('gridcell', { name: /^\w+ \w+ 5000\d\d$/ }).first()).toBeVisible();
  const offsets = await page.evaluate(() => window.inventedServer.queries.map((query) => query.offset));
  expect(offsets.every((offset) => offset >= 499_800 && offset <= 500_200)).toBe(true);
});

test('a header sorts on the server, from the top', async ({ page }) => {
  await page.getByRole('columnheader', { name: 'Name' }).click();
  await page.getByRole('columnheader', { name: 'Name' }).click();
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending');
  await expect(cell(page, last)).toBeVisible();
  const asked = await page.evaluate(() => window.inventedServer.queries.at(-1));
  expect(asked).toEqual({ offset: 0, limit: 100, sort: { column: 'name', direction: 'desc' } });
});

test('a search asks once for all that was typed, keeps the focus, and can be cleared', async ({ page }) => {
  await search(page).pressSequentially('ada', { delay: 30 });
  await expect(page.getByText('12 people')).toBeVisible();
  await expect(search(page)).toBeFocused();
  const asked = await page.evaluate(() => window.inventedServer.queries.map((query) => query.search ?? ''));
  expect(new Set(asked)).toEqual(new Set(['', 'ada']));
  await search(page).fill('nobody');
  await expect(page.getByText('Nothing found for “nobody”')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await expect(page.getByText('1,000,000 people')).toBeVisible();
  await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
});

test('an empty list says what to do next', async ({ page }) => {
  await page.evaluate(() => {
    window.inventedServer.total = 0;
  });
  await page.getByRole('button', { name: 'Refresh people' }).click();
  await expect(page.getByText('Nobody is inside yet')).toBeVisible();
  await page.evaluate(() => {
    window.inventedServer.total = 1;
  });
  await page.getByRole('button', { name: 'Refresh people' }).click();
  await expect(page.getByText('1 person', { exact: true })).toBeVisible();
  await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
});

test('when the server fails the rows stay, and Try again goes on', async ({ page }) => {
  await page.evaluate(() => {
    window.inventedServer.failing = true;
  });
  await page.getByRole('button', { name: 'Refresh people' }).click();
  await expect(page.getByRole('alert')).toContainText('The server could not be reached.');
  await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
  await page.evaluate(() => {
    window.inventedServer.failing = false;
  });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
});

test('Enter on a row opens it', async ({ page }) => {
  await cell(page, 'Grace Hopper 1').click({ button: 'middle' });
  await cell(page, 'Ada Lovelace 0').click();
  await expect(page.getByText('Opened: Ada Lovelace 0')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Opened: Grace Hopper 1')).toBeVisible();
});

test('a row’s menu works by keyboard, and after a change the row is new and the place is kept', async ({
  page,
}) => {
  await cell(page, 'Ada Lovelace 0').click();
  for (let row = 0; row < 60; row += 1) await page.keyboard.press('ArrowDown');
  const row = rowOf(page, 'Ada Dijkstra 60');
  await expect(row).toContainText('Active');
  const scrolled = () => page.evaluate(() => document.querySelector('.ag-grid-viewport')!.scrollTop);
  const before = await scrolled();
  expect(before).toBeGreaterThan(1000);

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
    .getByRole('dialog', { name: 'Disable Ada Dijkstra 60' })
    .getByRole('button', { name: 'Disable' })
    .click();
  await expect(row).toContainText('Disabled');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(row.getByRole('gridcell').last()).toBeFocused();
  expect(await scrolled()).toBe(before);
});

test('on a phone a row is one cell with its details and its menu', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const row = page.getByRole('row').filter({ hasText: 'Ada Lovelace 0' });
  await expect(row.getByRole('gridcell')).toHaveCount(3);
  await expect(row).toContainText('person0@example.com');
  await row.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Greet' }).click();
  await expect(page.getByText('Hello Ada Lovelace 0')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

const header = (page: Page, name: string) => page.getByRole('columnheader', { name });
const asked = (page: Page) => page.evaluate(() => window.inventedServer.queries.at(-1));
const chips = (page: Page) => page.getByRole('list', { name: 'Filters' });
const tool = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const shownColumns = (page: Page) =>
  page.locator('.ag-header-cell[aria-colindex] .grid-head-text').allTextContents();

test.describe('filters', () => {
  test('a column is filtered, changed and cleared by keyboard alone (J2)', async ({ page }) => {
    await cell(page, 'Ada Lovelace 0').click();
    await page.keyboard.press('ArrowUp');
    await expect(header(page, 'Name')).toBeFocused();
    await page.keyboard.press('Alt+ArrowDown');
    const panel = page.getByRole('dialog', { name: 'Filter Name' });
    await expect(panel.getByLabel('Contains')).toBeFocused();
    // Tab stays inside.
    await page.keyboard.press('Shift+Tab');
    await expect(panel.getByRole('button', { name: 'Apply' })).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.type('grace');
    await page.keyboard.press('Enter');
    await expect(panel).toHaveCount(0);
    await expect(header(page, 'Name')).toBeFocused();
    await expect(chips(page)).toContainText('Name: contains “grace”');
    await expect(page.getByText('3,334 people')).toBeVisible();
    await expect(cell(page, 'Grace Hopper 1')).toBeVisible();
    expect(await asked(page)).toEqual({
      offset: 0,
      limit: 100,
      filters: [{ column: 'name', is: 'contains', text: 'grace' }],
    });

    await page.keyboard.press('Alt+ArrowDown');
    await expect(panel.getByLabel('Contains')).toHaveValue('grace');
    await page.keyboard.press('Escape');
    await expect(header(page, 'Name')).toBeFocused();
    await expect(chips(page)).toContainText('grace');
    await chips(page).getByRole('button', { name: 'Remove filter Name: contains “grace”' }).press('Enter');
    await expect(page.getByText('1,000,000 people')).toBeVisible();
    await expect(chips(page)).toHaveCount(0);
  });

  test('by values, by days and by numbers, together, each shown as a chip that opens it (J2)', async ({
    page,
  }) => {
    await page.getByRole('button', { name: 'Filter Status' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByLabel('Disabled').check();
    await panel.getByRole('button', { name: 'Apply' }).click();
    await expect(chips(page)).toContainText('Status: Disabled');
    await expect(cell(page, 'Linus Hopper 8')).toBeVisible();

    await page.getByRole('button', { name: 'Filter Joined' }).click();
    await panel.getByLabel('From').fill('2023-11-15');
    await panel.getByLabel('To').fill('2023-11-15');
    await panel.getByRole('button', { name: 'Apply' }).click();
    await expect(chips(page)).toContainText('Joined: Nov 15, 2023');
    await expect.poll(async () => (await asked(page))?.filters?.length).toBe(2);
    const query = await asked(page);
    const [, days] = query!.filters!;
    expect(days).toMatchObject({ column: 'joinedAt', is: 'between' });
    const { from, to } = days as { from: string; to: string };
    expect(new Date(to).getTime() - new Date(from).getTime()).toBe(24 * 3_600_000);

    await tool(page, 'Columns').click();
    await page.getByLabel('Sign-ins', { exact: true }).check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Filter Sign-ins' }).click();
    await panel.getByLabel('From').fill('12');
    await panel.getByLabel('To').fill('12');
    await panel.getByLabel('To').press('Enter');
    await expect(chips(page).getByRole('listitem')).toHaveCount(4);
    await expect.poll(async () => (await asked(page))?.filters?.length).toBe(3);

    await chips(page).getByRole('button', { name: 'Status: Disabled', exact: true }).click();
    await expect(panel.getByLabel('Disabled')).toBeChecked();
    await panel.getByRole('button', { name: 'Clear' }).click();
    await expect(chips(page)).not.toContainText('Status');
    await chips(page).getByRole('button', { name: 'Clear all filters' }).click();
    await expect(page.getByText('1,000,000 people')).toBeVisible();
    await expect(search(page)).toBeFocused();
  });

  test('a filter that finds nothing offers to clear it (J2)', async ({ page }) => {
    await page.getByRole('button', { name: 'Filter E-mail' }).click();
    await page.getByLabel('Contains').fill('@nowhere');
    await page.getByLabel('Contains').press('Enter');
    await expect(page.getByText('Nothing matches the filters')).toBeVisible();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
    await expect(page.getByText('1,000,000 people')).toBeVisible();
  });
});

test.describe('columns', () => {
  test('are hidden, moved and pinned by keyboard, and kept for the next visit (J2)', async ({ page }) => {
    await tool(page, 'Columns').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    await dialog.getByLabel('Role', { exact: true }).press('Space');
    const up = dialog.getByRole('button', { name: 'Move up: Joined' });
    await up.press('Enter');
    await expect(up).toBeFocused();
    await dialog.getByRole('button', { name: 'Keep at the left: Status' }).press('Enter');
    await page.keyboard.press('Escape');
    await expect(tool(page, 'Columns')).toBeFocused();
    const order = ['Status', 'Name', 'E-mail', 'Joined', 'Last seen', 'Actions'];
    await expect.poll(() => shownColumns(page)).toEqual(order);
    await expect.poll(() => page.evaluate(() => window.inventedServer.layouts.length)).toBe(1);

    await page.reload();
    await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
    expect(await shownColumns(page)).toEqual(order);

    await tool(page, 'Columns').click();
    await dialog.getByRole('button', { name: 'As at the beginning' }).click();
    await page.keyboard.press('Escape');
    await expect
      .poll(() => shownColumns(page))
      .toEqual(['Name', 'E-mail', 'Role', 'Status', 'Joined', 'Last seen', 'Actions']);
  });

  test('are moved and sized at their headers, by pointer and by keyboard (J2)', async ({ page }) => {
    const width = async () => Math.round((await header(page, 'E-mail').boundingBox())!.width);
    await header(page, 'E-mail').dragTo(header(page, 'Status'));
    await expect
      .poll(() => shownColumns(page))
      .toEqual(['Name', 'Role', 'Status', 'E-mail', 'Joined', 'Last seen', 'Actions']);
    await cell(page, 'person0@example.com').click();
    await page.keyboard.press('ArrowUp');
    await expect(header(page, 'E-mail')).toBeFocused();
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(async () => (await shownColumns(page)).slice(1, 3)).toEqual(['Role', 'E-mail']);
    const before = await width();
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('Alt+ArrowRight');
    await expect.poll(width).toBeGreaterThan(before);
    const sized = await width();
    await expect
      .poll(() =>
        page.evaluate(() => window.inventedServer.layouts.at(-1)?.columns.find(({ id }) => id === 'email')),
      )
      .toEqual({ id: 'email', width: sized });
    await page.reload();
    await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
    expect(await width()).toBe(sized);
  });
});

test('a named view brings back columns, filters, search and order; it is renamed, updated and deleted (J2)', async ({
  page,
}) => {
  const views = tool(page, /^Views/);
  const choose = async (name: string) => {
    await views.click();
    await page.getByRole('menuitem', { name }).click();
  };
  await page.getByRole('button', { name: 'Filter Role' }).click();
  await page.getByRole('dialog').getByLabel('Administrator').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await header(page, 'Name').click();
  await header(page, 'Name').click();
  await tool(page, 'Columns').click();
  await page.getByLabel('E-mail', { exact: true }).uncheck();
  await page.keyboard.press('Escape');
  await choose('Save as a view …');
  const dialog = page.getByRole('dialog', { name: 'Save as a view' });
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/Give the view a name/);
  await dialog.getByLabel('Name').fill('Administrators');
  await dialog.getByLabel('All administrators can use').check();
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expect(tool(page, 'Views: Administrators')).toBeVisible();

  await choose('Everything as at the beginning');
  await expect(page.getByText('1,000,000 people')).toBeVisible();
  await expect(header(page, 'E-mail')).toBeVisible();
  await expect(header(page, 'Name')).toHaveAttribute('aria-sort', 'none');

  await page.reload();
  await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
  await choose('Administrators (shared)');
  await expect(page.getByText('4,000 people')).toBeVisible();
  await expect(header(page, 'E-mail')).toHaveCount(0);
  await expect(header(page, 'Name')).toHaveAttribute('aria-sort', 'descending');
  await expect(chips(page)).toContainText('Role: Administrator');
  await expect(cell(page, 'Barbara Liskov 19995')).toBeVisible();

  await search(page).fill('ada');
  await expect.poll(async () => (await asked(page))?.search).toBe('ada');
  await choose('Update “Administrators”');
  await expect(page.getByText('shows what you see now')).toBeVisible();
  await choose('Rename or share “Administrators” …');
  await page.getByRole('dialog').getByLabel('Name').fill('Admins');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await choose('Everything as at the beginning');
  await expect(search(page)).toHaveValue('');
  await choose('Admins (shared)');
  await expect(search(page)).toHaveValue('ada');
  await choose('Delete “Admins” …');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await views.click();
  await expect(page.getByRole('menuitem', { name: 'Admins' })).toHaveCount(0);
});

test.describe('selection', () => {
  const box = (page: Page, name: string) =>
    page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const bar = (page: Page) => page.getByRole('group', { name: 'Selected rows' });

  test('rows are selected by keyboard, over pages, and Esc lets them go (J2)', async ({ page }) => {
    await cell(page, 'Grace Hopper 1').click();
    await page.keyboard.press('Space');
    await expect(rowOf(page, 'Grace Hopper 1')).toHaveAttribute('aria-selected', 'true');
    await expect(bar(page)).toContainText('1 person selected');
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
    await expect(rowOf(page, 'Grace Hopper 1')).toHaveAttribute('aria-selected', 'false');
  });

  test('a range reaches rows that were never on the screen, and too long a one says what to do instead (J2)', async ({
    page,
  }) => {
    await page.evaluate(() => {
      // So few that a row has its own height, and its place can be computed.
      window.inventedServer.total = 5_000;
      window.inventedServer.change();
    });
    await expect(page.getByText('5,000 people')).toBeVisible();
    await box(page, 'Ada Lovelace 0').click();
    const scrollTo = (row: number) =>
      page.locator('.ag-grid-viewport').evaluate((element, top) => (element.scrollTop = top), 44 * row);
    await scrollTo(855);
    await box(page, 'Linus Hamilton 860').click({ modifiers: ['Shift'] });
    await expect(bar(page)).toContainText('861 people selected');
    await scrollTo(4_490);
    await box(page, 'Linus Torvalds 4496').click({ modifiers: ['Shift'] });
    await expect(page.getByRole('alert')).toContainText('At most 1,000 rows can be selected one by one.');
    await expect(bar(page)).toContainText('861 people selected');
  });

  test('all that match are selected with their question; leaving one out makes them single rows (J2)', async ({
    page,
  }) => {
    await search(page).fill('ada');
    await expect(page.getByText('12 people')).toBeVisible();
    await box(page, 'Ada Lovelace 0').click();
    await bar(page).getByRole('button', { name: 'Select all 12 matching' }).click();
    await bar(page).getByRole('button', { name: 'Greet them' }).click();
    await expect(page.getByText('Hello 12: {"all":{"search":"ada","total":12}}')).toBeVisible();
    await box(page, 'Grace Hopper 1').click();
    await expect(bar(page)).toContainText('11 people selected');
    await expect(page.getByRole('checkbox', { name: 'Select all that match' })).toBeChecked({
      indeterminate: true,
    });
    await page.getByRole('checkbox', { name: 'Select all that match' }).click();
    await expect(bar(page)).toContainText('All 12 people');
    // Other rows match now: "all" would be a lie.
    await search(page).fill('');
    await expect(page.getByText('1,000,000 people')).toBeVisible();
    await expect(bar(page)).toHaveCount(0);
  });

  test('stays over sorting, searching and a refresh, and is given to what is done with it (J2)', async ({
    page,
  }) => {
    await box(page, 'Grace Hopper 1').click();
    await box(page, 'Linus Torvalds 2').click();
    await header(page, 'Name').click();
    await expect(header(page, 'Name')).toHaveAttribute('aria-sort', 'ascending');
    await search(page).fill('ada');
    await expect(page.getByText('12 people', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Refresh people' }).click();
    await expect(bar(page)).toContainText('2 people selected');
    await expect(box(page, 'Linus Torvalds 2')).toBeChecked();
    await bar(page).getByRole('button', { name: 'Disable them' }).click();
    await expect(bar(page)).toHaveCount(0);
    await expect(rowOf(page, 'Linus Torvalds 2')).toContainText('Disabled');
    await expect(rowOf(page, 'Ada Lovelace 0')).toContainText('Active');
  });
});

test('Ctrl+C copies the cell that has the focus, or the rows that are selected (J2)', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await cell(page, 'person1@example.com').click();
  await page.keyboard.press('Control+c');
  await expect.poll(clipboard).toBe('person1@example.com');
  await tool(page, 'Columns').click();
  for (const name of ['Joined', 'Last seen']) await page.getByLabel(name, { exact: true }).uncheck();
  await page.keyboard.press('Escape');
  await cell(page, 'person1@example.com').click();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.keyboard.press('Control+c');
  await expect
    .poll(clipboard)
    .toBe(
      'Grace Hopper 1\tperson1@example.com\tMember\tActive\nLinus Torvalds 2\tperson2@example.com\tMember\tActive',
    );
});

test.describe('export', () => {
  const start = async (page: Page, kind: string) => {
    await page.getByRole('button', { name: 'Export people' }).press('Enter');
    await page.getByRole('menuitem', { name: kind }).press('Enter');
  };

  test('writes all that match, with the columns that are shown (J2)', async ({ page }) => {
    await page.getByRole('button', { name: 'Filter Status' }).click();
    await page.getByRole('dialog').getByLabel('Disabled').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await expect(page.getByText('2,222 people')).toBeVisible();
    await tool(page, 'Columns').click();
    for (const name of ['Role', 'Joined', 'Last seen'])
      await page.getByLabel(name, { exact: true }).uncheck();
    await page.keyboard.press('Escape');
    const download = page.waitForEvent('download');
    await start(page, 'CSV');
    const file = await download;
    expect(file.suggestedFilename()).toBe('people.csv');
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(2_223);
    expect(lines.slice(0, 2)).toEqual(['Name,E-mail,Status', 'Linus Hopper 8,person8@example.com,Disabled']);
    await expect(page.getByText('people.csv is saved.')).toBeVisible();
    expect(await page.evaluate(() => window.inventedServer.exports)).toEqual([
      '/api/people/export name,email,status',
    ]);
  });

  test('a long one can be cancelled; nothing is saved then (J2)', async ({ page }) => {
    await page.evaluate(() => {
      window.inventedServer.slowExport = true;
      // The browser's own dialog for files cannot be used from here.
      Reflect.deleteProperty(window, 'showSaveFilePicker');
    });
    let saved = false;
    page.on('download', () => {
      saved = true;
    });
    await start(page, 'XLSX');
    await page.getByText('people.xlsx').locator('..').getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('The export is cancelled.')).toBeVisible();
    expect(saved).toBe(false);
  });

  test('a large file goes to the disk as it comes where the browser can do that (J2)', async ({ page }) => {
    await page.evaluate(() => {
      const written: number[] = [];
      Object.assign(window, {
        written,
        showSaveFilePicker: async () => ({
          createWritable: async () =>
            new WritableStream<Uint8Array>({ write: (chunk) => void written.push(chunk.length) }),
        }),
      });
    });
    await start(page, 'CSV');
    await expect(page.getByText('people.csv is saved.')).toBeVisible();
    const written = await page.evaluate(() => (window as unknown as { written: number[] }).written);
    expect(written).toHaveLength(4);
  });
});

test('what changes elsewhere is shown; place, focus and selection stay (J2)', async ({ page }) => {
  await page.getByRole('checkbox', { name: 'Select Grace Hopper 1', exact: true }).click();
  await cell(page, 'Ada Lovelace 0').click();
  for (let row = 0; row < 40; row += 1) await page.keyboard.press('ArrowDown');
  const place = () => page.locator('.ag-grid-viewport').evaluate((element) => element.scrollTop);
  const before = await place();
  expect(before).toBeGreaterThan(400);
  await page.evaluate(() => {
    window.inventedServer.total = 999_000;
    window.inventedServer.change();
  });
  await expect(page.getByText('999,000 people')).toBeVisible();
  expect(await place()).toBe(before);
  await expect(cell(page, 'Edsger Johnson 40')).toBeFocused();
  await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText('1 person selected');

  // Far down, where the first page is not asked for, the count is right all the same.
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Home');
  await expect(cell(page, 'Select Katherine Hopper 998999')).toBeFocused();
  for (let block = 0; block < 12; block += 1) {
    await page.locator('.ag-grid-viewport').evaluate((element, by) => (element.scrollTop -= 4_400 * by), 1);
    await page.waitForTimeout(80);
  }
  await page.evaluate(() => {
    window.inventedServer.total = 998_000;
    window.inventedServer.change();
  });
  await expect(page.getByText('998,000 people')).toBeVisible();

  expect(await page.evaluate(() => window.inventedServer.listening())).toBe(1);
  await page.getByRole('link', { name: 'Parts' }).click();
  await expect(page.getByRole('heading', { name: 'Parts' })).toBeVisible();
  expect(await page.evaluate(() => window.inventedServer.listening())).toBe(0);
});

test('on a phone a sheet sorts and filters, and rows can be selected (J2)', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Sort and filter' }).click();
  const sheet = page.getByRole('dialog', { name: 'Sort and filter' });
  await sheet.getByLabel('Sort by').selectOption('Joined');
  await sheet.getByLabel('Direction').selectOption('desc');
  await sheet.getByRole('group', { name: 'Status' }).first().getByLabel('Disabled').check();
  await sheet.getByRole('button', { name: 'Show the rows' }).click();
  await expect(page.getByText('2,222 people')).toBeVisible();
  await expect.poll(async () => (await asked(page))?.sort).toEqual({ column: 'joinedAt', direction: 'desc' });
  await expect(page.getByRole('row').filter({ hasText: 'person19997@' })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select Linus Liskov 19988' }).click();
  await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText('1 person selected');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

  // What was set stays when the screen is turned.
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(header(page, 'Joined')).toHaveAttribute('aria-sort', 'descending');
  await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText('1 person selected');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Sort and filter' }).click();
  await sheet.getByRole('button', { name: 'Clear all' }).click();
  await expect(page.getByText('1,000,000 people')).toBeVisible();
});

test('axe finds nothing with filters, a selection, a panel, or a dialog, wide and narrow (G4)', async ({
  page,
}) => {
  test.setTimeout(120_000);
  const violations = async (axe = new AxeBuilder({ page })) => {
    const result = await axe.analyze();
    return result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  };
  await page.getByRole('checkbox', { name: 'Select Grace Hopper 1', exact: true }).click();
  await page.getByRole('button', { name: 'Filter Role' }).click();
  expect(await violations()).toEqual([]);
  await page.getByRole('dialog').getByLabel('Member').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await expect(chips(page)).toBeVisible();
  expect(await violations()).toEqual([]);
  // A theme changes colours and nothing else.
  for (const { index } of themes) {
    await page.keyboard.press(`Control+Alt+Digit${index}`);
    const found = await violations(new AxeBuilder({ page }).withRules('color-contrast'));
    expect([index, found]).toEqual([index, []]);
  }
  await tool(page, 'Columns').click();
  expect(await violations()).toEqual([]);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await violations()).toEqual([]);
  await page.getByRole('button', { name: 'Sort and filter' }).click();
  expect(await violations()).toEqual([]);
});

test('without a licence key no byte of AG Grid Enterprise is asked for, with one it is (J1)', async ({
  page,
}) => {
  const fetched = () => gallery.requested.filter((path) => path.includes('grid-'));
  expect(fetched().some((path) => path.includes('grid-community'))).toBe(true);
  expect(fetched().some((path) => path.includes('grid-enterprise'))).toBe(false);
  gallery.requested.length = 0;
  await page.goto(`${gallery.url}/?screen=grid&key=not-a-key`);
  await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
  expect(fetched().some((path) => path.includes('grid-enterprise'))).toBe(true);
  expect(fetched().some((path) => path.includes('grid-community'))).toBe(false);
});

test.describe('with AG Grid Enterprise (J1)', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto(`${gallery.url}/?screen=grid&key=not-a-key`);
    await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
  });

  test('its set filter and side bar do what ours do: chips, kept columns (J1, J2)', async ({ page }) => {
    await page.getByRole('button', { name: 'Filter Status' }).click();
    const menu = page.locator('.ag-filter-menu');
    await menu.getByText('(Select All)').click();
    await menu.getByText('Disabled').click();
    await menu.getByRole('button', { name: 'Apply' }).click();
    await expect(chips(page)).toContainText('Status: Disabled');
    await expect(page.getByText('2,222 people')).toBeVisible();
    await expect(cell(page, 'Linus Hopper 8')).toBeVisible();
    expect((await asked(page))!.filters).toEqual([{ column: 'status', is: 'oneOf', values: ['disabled'] }]);
    await chips(page).getByRole('button', { name: 'Remove filter Status: Disabled' }).click();
    await expect(page.getByText('1,000,000 people')).toBeVisible();
    await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();

    await page.getByRole('button', { name: 'Filter Name' }).click();
    await expect(page.getByLabel('Contains')).toBeFocused();
    await page.keyboard.type('grace');
    await page.keyboard.press('Enter');
    await expect(chips(page)).toContainText('Name: contains “grace”');
    await expect(page.getByText('3,334 people')).toBeVisible();
    await page.getByRole('tab', { name: 'Filters' }).click();
    await page.locator('.ag-filter-toolpanel').getByRole('button', { name: 'Name' }).first().click();
    await expect(page.locator('.ag-filter-toolpanel').getByLabel('Contains')).toHaveValue('grace');
    await chips(page).getByRole('button', { name: 'Clear all filters' }).click();
    await expect(page.locator('.ag-filter-toolpanel').getByLabel('Contains')).toHaveValue('');
    await expect(page.getByText('1,000,000 people')).toBeVisible();

    await page.getByRole('tab', { name: 'Columns' }).click();
    await page.locator('.ag-column-select').getByLabel('Role').click();
    await expect(header(page, 'Role')).toHaveCount(0);
    await expect
      .poll(() =>
        page.evaluate(() => window.inventedServer.layouts.at(-1)?.columns.find(({ id }) => id === 'role')),
      )
      .toEqual({ id: 'role', hidden: true });
    await page.reload();
    await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
    await expect(header(page, 'Role')).toHaveCount(0);
  });

  test('the server-side row model sorts, jumps, selects and follows changes (J1, J2)', async ({ page }) => {
    await header(page, 'Name').click();
    await header(page, 'Name').click();
    await expect(cell(page, last)).toBeVisible();
    await cell(page, last).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Home');
    await expect(cell(page, 'Select Ada Lovelace 0')).toBeFocused();
    await page.keyboard.press('Space');
    await expect(page.getByRole('group', { name: 'Selected rows' })).toContainText('1 person selected');
    // The bar of the selection has taken the room of the last row; the focus goes to one that is seen.
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowUp');
    const place = () => page.locator('.ag-grid-viewport').evaluate((element) => element.scrollTop);
    const before = await place();
    await page.evaluate(() => window.inventedServer.queries.splice(0));
    await page.evaluate(() => window.inventedServer.change());
    await expect.poll(() => page.evaluate(() => window.inventedServer.queries.length)).toBeGreaterThan(0);
    await expect(page.getByRole('checkbox', { name: 'Select Ada Lovelace 0', exact: true })).toBeChecked();
    expect(await place()).toBe(before);
  });
});
