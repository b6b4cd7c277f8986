/** Locators and actions of lists. */
import { expect, type Page } from '@playwright/test';

export const getRow = (page: Page, text: string) => page.getByRole('row', { name: text });
export const getDialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });

export const getSidePanel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Searches a list and waits until only matching rows are left: until then, a row under the pointer may be replaced. */
export async function searchFor(page: Page, text: string): Promise<void> {
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('searchbox').fill(text);
  await expect(getRow(page, text).first()).toBeVisible();
  const others = page.getByRole('row').filter({ has: page.getByRole('gridcell'), hasNotText: text });
  await expect(others).toHaveCount(0);
}

/** Chooses an action from the menu of the first row with a text. */
export async function chooseRowAction(page: Page, text: string, entry: string | RegExp): Promise<void> {
  await getRow(page, text).first().getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}
