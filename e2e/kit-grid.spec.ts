/** The grid of the UI kit on a million rows, in a real browser, on the kit's gallery. */
import { expect, test, type Page } from '@playwright/test';
import type { inventedServer } from '../apps/web/gallery/invented-people.ts';
import { serveGallery, type ServedGallery } from '../apps/web/gallery/serve-gallery.ts';

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
  await expect(cell(page, last)).toBeFocused();
  await expect(cell(page, last)).toBeInViewport();
  await page.keyboard.press('Control+Home');
  await expect(cell(page, 'Ada Lovelace 0')).toBeFocused();
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
  await expect(row.getByRole('gridcell')).toHaveCount(2);
  await expect(row).toContainText('person0@example.com');
  await row.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Greet' }).click();
  await expect(page.getByText('Hello Ada Lovelace 0')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

test('without a licence key no byte of AG Grid Enterprise is asked for, with one it is (J1)', async ({
  page,
}) => {
  const asked = () => gallery.requested.filter((path) => path.includes('grid-'));
  expect(asked().some((path) => path.includes('grid-community'))).toBe(true);
  expect(asked().some((path) => path.includes('grid-enterprise'))).toBe(false);
  gallery.requested.length = 0;
  await page.goto(`${gallery.url}/?screen=grid&key=not-a-key`);
  await expect(cell(page, 'Ada Lovelace 0')).toBeVisible();
  expect(asked().some((path) => path.includes('grid-enterprise'))).toBe(true);
  expect(asked().some((path) => path.includes('grid-community'))).toBe(false);
});
