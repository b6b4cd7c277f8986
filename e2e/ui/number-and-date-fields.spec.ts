/** Number and date fields in the gallery: notation of the region, keyboard, limits and errors. */
import { expectNoViolation } from '../screens/axe.ts';
import { expect, test, type Page } from './gallery.ts';

const hours = (page: Page) => page.getByRole('spinbutton', { name: 'Hours' });
const day = (page: Page) => page.getByLabel('Day (optional)');
const submitted = (page: Page) => page.locator('.gallery-row output');
const submit = (page: Page) => page.getByRole('button', { name: 'Record hours' }).click();

test('a number has English notation and steps; a wrong number or date is not submitted, and its field has the focus', async ({
  page,
}) => {
  await page.goto('/');
  await expect(hours(page)).toHaveValue('1.5');
  await expect(hours(page)).toHaveAccessibleDescription('In quarters of an hour.');
  await hours(page).press('ArrowUp');
  await expect(hours(page)).toHaveValue('1.75');
  await hours(page).fill('0.3');
  await hours(page).press('ArrowDown');
  await expect(hours(page)).toHaveValue('0.25');
  await hours(page).press('ArrowDown');
  await hours(page).press('ArrowDown');
  await expect(hours(page)).toHaveValue('0');
  await hours(page).fill('23.9');
  await hours(page).press('ArrowUp');
  await hours(page).press('ArrowUp');
  await expect(hours(page)).toHaveAttribute('aria-valuenow', '24');
  await hours(page).press('Enter');
  await expect(submitted(page)).toHaveText('{"hours":24,"day":""}');

  for (const [text, problem] of [
    ['two', 'Enter a number.'],
    ['25', 'Enter a number from 0 to 24.'],
    ['1.1', 'Enter a number in steps of 0.25.'],
    ['', 'Enter the hours.'],
  ] as const) {
    await hours(page).fill(text);
    await submit(page);
    await expect(hours(page)).toBeFocused();
    await expect(hours(page)).toHaveAccessibleDescription(`${problem} In quarters of an hour.`);
    await expect(hours(page)).toHaveValue(text);
  }
  await expectNoViolation(page, 'a number field with an error');
  await expect(submitted(page)).toHaveText('{"hours":24,"day":""}');

  await hours(page).fill('1.5');
  await day(page).focus();
  await page.keyboard.type('12');
  await submit(page);
  await expect(day(page)).toBeFocused();
  await expect(day(page)).toHaveAccessibleDescription('Enter a complete date. A day of 2026.');
  await day(page).fill('2025-12-31');
  await submit(page);
  await expect(day(page)).toHaveAccessibleDescription('Enter Jan 1, 2026 or a later date. A day of 2026.');
  await day(page).fill('2027-01-01');
  await submit(page);
  await expect(day(page)).toHaveAccessibleDescription(
    'Enter Dec 31, 2026 or an earlier date. A day of 2026.',
  );
  await day(page).fill('2026-02-28');
  await submit(page);
  await expect(submitted(page)).toHaveText('{"hours":1.5,"day":"2026-02-28"}');
});

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });

  test('a number has a comma, and the field fits on a phone', async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto('/?language=de');
    await expect(hours(page)).toHaveValue('1,5');
    await hours(page).fill('2,75');
    await submit(page);
    await expect(submitted(page)).toHaveText('{"hours":2.75,"day":""}');
    // The point of another keyboard is shown as the comma that it was read as.
    await hours(page).fill('3.25');
    await hours(page).blur();
    await expect(hours(page)).toHaveValue('3,25');
    await hours(page).fill('1.000');
    await submit(page);
    await expect(hours(page)).toHaveAccessibleDescription(/Geben Sie eine Zahl von 0 bis 24 ein\./);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });
});
