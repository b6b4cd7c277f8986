/**
 * `test` for the UI components in their gallery, served once per worker, and locators of its grid with a
 * million rows.
 */
import { test as base, type Page } from '@playwright/test';
import { serveGallery, type ServedGallery } from '../../apps/web/gallery/serve-gallery.ts';

export { expect, type Page } from '@playwright/test';

declare global {
  // oxlint-disable-next-line no-var -- only `var` declares properties of `window`
  var galleryThemes: typeof import('../../apps/web/gallery/gallery-themes.ts').galleryThemes;
  // oxlint-disable-next-line no-var -- as above
  var fakeServer: typeof import('../../apps/web/gallery/fake-people.ts').fakeServer;
}

/** A page error fails the test. */
export const test = base.extend<object, { gallery: ServedGallery }>({
  gallery: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from a pattern.
    async ({}, use) => {
      const gallery = await serveGallery();
      await use(gallery);
      await gallery.close();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ gallery }, use) => use(gallery.url),
  viewport: { width: 1280, height: 800 },
  page: async ({ page }, use) => {
    page.on('pageerror', (error) => {
      throw error;
    });
    await use(page);
  },
});

/** Opens the grid and waits for its rows. With a license key, the grid is AG Grid Enterprise. */
export async function openGrid(page: Page, key?: string): Promise<void> {
  await page.goto(`/?screen=grid${key === undefined ? '' : `&key=${key}`}`);
  await getCell(page, 'Ada Lovelace 0').waitFor();
}

export const getCell = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true });
export const getRow = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: getCell(page, name) });
/** Name in the millionth row. */
export const lastRowName = 'Barbara Lovelace 999999';
export const getSearchField = (page: Page) => page.getByRole('searchbox', { name: 'Search people' });

export const getHeader = (page: Page, name: string) => page.getByRole('columnheader', { name });
/** Returns the last query for rows, ignoring queries for counts. */
export const getLastQuery = (page: Page) =>
  page.evaluate(() => window.fakeServer.queries.findLast(({ limit }) => limit > 0));
export const getFilterChips = (page: Page) => page.getByRole('list', { name: 'Filters' });
export const getButton = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true });
export const getColumnTitles = (page: Page) =>
  page.locator('.ag-header-cell[aria-colindex] .grid-head-text').allTextContents();
