/** Visual layout: overlapping, hidden or badly wrapped elements that other tests do not detect. */
import type { Locator } from '@playwright/test';
import { openAsAdministrator, expect, fillSignIn, test, type Page } from '../fixtures/site-test.ts';
import type { Site } from '../fixtures/site.ts';
import { waitUntilLoaded } from './screens.ts';

const phone = { width: 360, height: 780 };

async function boxOf(part: Locator) {
  await part.waitFor();
  const box = await part.boundingBox();
  if (!box) throw new Error('It is not shown.');
  return box;
}

/** Returns the bounding box of the text, not of its element. */
const wordsOf = (part: Locator) =>
  part.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return { left, right, top, bottom };
  });

/** Opens a screen as the administrator in German. */
async function enterInGerman(page: Page, site: Site, address: string): Promise<void> {
  await page.goto(address);
  await fillSignIn(page, site.administrator);
  await waitUntilLoaded(page);
}

/** Returns whether no other element covers the element. */
const isUncovered = (part: Locator) =>
  part.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height - 1));
  });

test('an address in a narrow card breaks before its domain', async ({ page, site }) => {
  await openAsAdministrator(page, site);
  await expect(page.locator('dd .address-part')).toHaveText(['admin', '@example.com']);
});

test('adjacent cards have the same height', async ({ page, site }) => {
  await openAsAdministrator(page, site, '/layout/profile');
  await waitUntilLoaded(page);
  const heights = await page
    .locator('.card-row')
    .first()
    .locator('> .card')
    .evaluateAll((cards) => cards.map((card) => Math.round(card.getBoundingClientRect().height)));
  expect(heights).toHaveLength(2);
  expect(heights[0]).toBe(heights[1]);
});

test.describe('on a phone', () => {
  test.use({ viewport: phone });

  test('labels are above their values', async ({ page, site }) => {
    await openAsAdministrator(page, site, '/layout/profile');
    const fact = page.locator('.facts > div').filter({ hasText: 'Member since' });
    const [name, value] = await Promise.all([boxOf(fact.locator('dt')), boxOf(fact.locator('dd'))]);
    expect(value.y).toBeGreaterThanOrEqual(name.y + name.height);
    expect(value.x).toBe(name.x);
  });
});

test.describe('in a German browser', () => {
  test.use({ locale: 'de-DE' });

  test('each link to a section of Settings fits one line', async ({ page, site }) => {
    await enterInGerman(page, site, '/layout/settings/site');
    const heights = await page
      .locator('.settings-link')
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(6);
    expect(Math.max(...heights)).toBeLessThan(45);
  });
});

test.describe('on a phone, in German', () => {
  test.use({ viewport: phone, locale: 'de-DE' });

  test('the logo is above a title that is too long to fit next to it', async ({ page }) => {
    await page.goto('/gibt-es-nicht');
    const title = page.getByRole('heading', { name: 'Seite nicht gefunden' });
    await title.waitFor();
    const [mark, words] = await Promise.all([boxOf(page.locator('.brand-mark')), wordsOf(title)]);
    expect(mark.y + mark.height).toBeLessThanOrEqual(words.top);
    expect(Math.abs(mark.x + mark.width / 2 - phone.width / 2)).toBeLessThan(2);
  });

  test("the dashboard's periods fit one line", async ({ page, site }) => {
    await enterInGerman(page, site, '/layout/dashboard');
    const periods = await page
      .locator('.choice label')
      .evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().top));
    expect(periods).toHaveLength(4);
    expect(new Set(periods).size).toBe(1);
  });

  test("a setting's error is visible above the sticky buttons", async ({ page, site }) => {
    await enterInGerman(page, site, '/layout/settings/site');
    await page.getByLabel('Support-Adresse').fill('support');
    await page.getByRole('button', { name: 'Speichern' }).click();
    const problem = page.getByText('Geben Sie eine E-Mail-Adresse ein, etwa name@example.com.');
    await expect(problem).toBeInViewport();
    await expect.poll(() => isUncovered(problem)).toBe(true);
  });
});
