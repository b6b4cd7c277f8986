/**
 * Keys pressed directly after the key that opens an overlay, on a slow machine: a visible element must handle
 * them.
 */
import { resize } from '../screens/axe.ts';
import { expect, openGrid, getRow, test, type Page } from './gallery.ts';
import type { Locator } from '@playwright/test';

/** Throttles the CPU by factor four. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/**
 * Clicks `opener` and, in the first frame in which `selector` is visible, sends a key to the focused element. Returns whether the
 * element that matches `selector` contains the focus.
 */
const pressAsSeen = (opener: Locator, selector: string, key: string) =>
  opener.evaluate(
    (element: HTMLElement, [shownSelector, pressedKey]) =>
      new Promise<boolean>((resolve) => {
        const pressIfShown = () => {
          const shown = document.querySelector(shownSelector!);
          if (!shown?.checkVisibility()) return void requestAnimationFrame(pressIfShown);
          const { activeElement } = document;
          const event = new KeyboardEvent('keydown', { key: pressedKey!, bubbles: true, cancelable: true });
          activeElement?.dispatchEvent(event);
          return resolve(shown.contains(activeElement));
        };
        requestAnimationFrame(pressIfShown);
        element.click();
      }),
    [selector, key],
  );

/** Presses keys as fast as they can be handled. */
async function press(page: Page, keys: string): Promise<void> {
  for (const key of keys.split(' ')) await page.keyboard.press(key);
}

const more = (page: Page) => page.getByRole('button', { name: 'More', exact: true });
const invite = (page: Page) => page.getByRole('button', { name: 'Invite someone' });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Invite someone' });
const menu = (page: Page) => page.getByRole('menu');

const begin = async (page: Page) => {
  await page.goto('/');
  await invite(page).waitFor();
  await slowDown(page);
};

test('menus, dialogs, a form and the phone navigation handle keys in their first frame, and no key is lost', async ({
  page,
}) => {
  await begin(page);
  expect(await pressAsSeen(more(page), '[role=menu]', 'Escape')).toBe(true);
  await expect(menu(page)).toHaveCount(0);
  await expect(more(page)).toBeFocused();
  expect(await pressAsSeen(more(page), '[role=menu]', 'ArrowDown')).toBe(true);
  await expect(page.getByRole('menuitem', { name: 'Invite from menu' })).toBeFocused();
  await page.keyboard.press('Escape');

  await invite(page).click();
  const options = page.getByRole('button', { name: 'Options' });
  expect(await pressAsSeen(options, '[role=menu]', 'Escape')).toBe(true);
  await expect(menu(page)).toHaveCount(0);
  await expect(options).toBeFocused();
  await press(page, 'Enter Escape');
  await expect(menu(page)).toHaveCount(0);
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);

  const person = page.getByRole('button', { name: /^Ada Lovelace/ });
  expect(await pressAsSeen(invite(page), 'dialog', 'a')).toBe(true);
  await press(page, 'a d a Escape');
  await expect(dialog(page)).toHaveCount(0);
  expect(await pressAsSeen(person, '[role=menu]', 'End')).toBe(true);
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(person).toBeFocused();

  await more(page).focus();
  await press(page, 'Enter Escape Enter ArrowDown ArrowDown ArrowUp Enter a d a');
  await expect(page.getByLabel('Name (optional)')).toHaveValue('ada');
  await press(page, 'Escape Enter Escape');
  await expect(menu(page)).toHaveCount(0);
  await expect(dialog(page)).toHaveCount(0);
  await expect(more(page)).toBeFocused();

  await resize(page, { width: 360, height: 640 });
  const burger = page.getByRole('button', { name: 'Menu', exact: true });
  const people = page.getByRole('link', { name: 'People' });
  await burger.focus();
  await press(page, 'Enter Escape');
  await expect(people).toBeHidden();
  await press(page, 'Enter Escape Enter');
  await expect(people).toBeVisible();
  await page.keyboard.press('Escape');
});

test('a row menu and a column filter handle keys immediately', async ({ page }) => {
  await openGrid(page);
  await slowDown(page);
  const actions = getRow(page, 'Ada Lovelace 0').locator('.grid-actions');
  const cell = getRow(page, 'Ada Lovelace 0').locator('.grid-actions-cell');
  const filter = page.getByRole('button', { name: /^(?:Filter|Edit filter on) Name$/ });
  expect(await pressAsSeen(actions, '[role=menu]', 'Escape')).toBe(true);
  await expect(menu(page)).toHaveCount(0);
  await expect(cell).toBeFocused();
  await press(page, 'Enter Escape Enter ArrowDown Escape');
  await expect(menu(page)).toHaveCount(0);
  await expect(cell).toBeFocused();
  await press(page, 'Enter Tab');
  await expect(menu(page)).toHaveCount(0);
  await expect(cell).toBeFocused();
  // Tests filters after the row menu, because the text of a filter moves the rows.
  expect(await pressAsSeen(filter, '.grid-popover', 'Escape')).toBe(true);
  await expect(page.locator('.grid-popover')).toHaveCount(0);
  await press(page, 'Alt+ArrowDown Control+a g Escape Alt+ArrowDown Control+a a d a');
  await expect(page.getByRole('textbox', { name: 'Contains' })).toHaveValue('ada');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('columnheader', { name: 'Name' })).toBeFocused();
});

test('a menu moves with arrows, closes by Tab, its button or a click outside, stays on a small screen, and is above a dialog', async ({
  page,
}) => {
  await page.goto('/');
  const entry = (name: string) => page.getByRole('menuitem', { name });
  await more(page).focus();
  await press(page, 'Enter ArrowUp');
  await expect(entry('Remove')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(entry('Rename')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(menu(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Save' })).toBeFocused();

  await more(page).click();
  await expect(menu(page)).toBeVisible();
  await more(page).click();
  await expect(menu(page)).toHaveCount(0);
  await more(page).click();
  await expect(more(page)).toHaveAttribute('aria-expanded', 'true');
  await page.getByRole('heading', { level: 1 }).click();
  await expect(menu(page)).toHaveCount(0);
  await expect(more(page)).toHaveAttribute('aria-expanded', 'false');
  await more(page).press('Enter');
  await expect(menu(page)).toBeVisible();

  await page.keyboard.press('Escape');
  await resize(page, { width: 360, height: 520 });
  await page.getByRole('button', { name: /^Ada Lovelace/ }).click();
  const box = (await menu(page).boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(360);
  expect(box.y + box.height).toBeLessThanOrEqual(520);
  await page.keyboard.press('Escape');
  await resize(page, { width: 1280, height: 800 });
  await invite(page).click();
  await page.getByRole('button', { name: 'Options' }).click();
  const greet = page.getByRole('menuitem', { name: 'Greet' });
  const top = await greet.evaluate((element) => {
    const { left, top: y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, y + height / 2));
  });
  expect(top).toBe(true);
});
