/** Accessibility checks with axe: all rules, the width of a phone, and contrast in other themes. */
import axe, { type RunOptions } from 'axe-core';
import { expect, type Page } from '../fixtures/site-test.ts';

const phone = { width: 320, height: 640 };

/** Checks all rules at the current size, and that nothing overflows at 320 px (G4). */
export async function expectNoViolation(page: Page, where: string): Promise<void> {
  await expectNoRuleViolation(page, where);
  const before = page.viewportSize() ?? { width: 1280, height: 720 };
  await resize(page, phone);
  const isCut = await page.evaluate(() => {
    const main = document.querySelector('.shell-main');
    return main && getComputedStyle(main).overflowY === 'clip' && main.scrollHeight > main.clientHeight + 1;
  });
  expect(isCut, `${where}: something below cannot be scrolled to`).toBeFalsy();
  const tooWide = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('.shell-main, .dialog, .dialog-body')]
      .filter((part) => part.scrollWidth > part.clientWidth + 1)
      .map((part) => part.className || part.tagName),
  );
  expect(tooWide, `${where}, wider than ${phone.width} px`).toEqual([]);
  await resize(page, before);
}

/** Waits a frame for elements that are resized by script, such as the side panel, and for menus, which close when the window is resized. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );
}

/** Checks all rules at the current size. An open dialog or menu is checked alone: everything else was checked before it opened. */
export async function expectNoRuleViolation(page: Page, where: string): Promise<void> {
  expect(await findViolations(page), where).toEqual([]);
}

/** Checks contrast in a dark theme and one with high contrast. themes.test.ts checks the colors of all themes. */
export async function expectContrastInOtherThemes(page: Page, where: string): Promise<void> {
  const setTheme = (id: string) =>
    page.evaluate((theme) => (document.documentElement.dataset['theme'] = theme), id);
  for (const id of ['nightfall', 'contrast-light']) {
    await setTheme(id);
    expect(await findViolations(page, ['color-contrast']), `${where} in ${id}`).toEqual([]);
  }
  await setTheme('daylight');
}

/** Returns each violated rule with its elements. Frames are skipped: those of the site contain mails and run no scripts. */
async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  // Axe is large, so it is loaded only once per page.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async (options) => {
      const loaded = (window as unknown as { axe: typeof axe }).axe;
      const overlays = document.querySelectorAll(
        'dialog:modal, [role="menu"]:popover-open, dialog:popover-open',
      );
      const { violations } = await loaded.run(overlays.length > 0 ? overlays : document, options);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n  ')}`);
    },
    {
      resultTypes: ['violations'],
      iframes: false,
      preload: false,
      ...(rules && { runOnly: rules }),
    } satisfies RunOptions,
  );
}
