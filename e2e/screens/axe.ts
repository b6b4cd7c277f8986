/** Accessibility checks with axe: all rules, the width of a phone, and contrast in other themes. */
import { AxeBuilder } from '@axe-core/playwright';
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
  const axe = await createAxe(page);
  const overlays = 'dialog:modal, [role="menu"]:popover-open, dialog:popover-open';
  if ((await page.locator(overlays).count()) > 0) axe.include(overlays);
  const { violations } = await axe.analyze();
  expect(violations.map(describe), where).toEqual([]);
}

async function createAxe(page: Page): Promise<AxeBuilder> {
  // Axe is large, so it is injected only once.
  const loaded = await page.evaluate(() => 'axe' in window);
  // Legacy mode opens no second page. It suffices, because no frame of the site runs scripts.
  return new AxeBuilder({ page, ...(loaded && { axeSource: 'undefined' }) })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] });
}

/** Checks contrast in a dark theme and one with high contrast. themes.test.ts checks the colors of all themes. */
export async function expectContrastInOtherThemes(page: Page, where: string): Promise<void> {
  const setTheme = (id: string) =>
    page.evaluate((theme) => (document.documentElement.dataset['theme'] = theme), id);
  for (const id of ['nightfall', 'contrast-light']) {
    await setTheme(id);
    const { violations } = await (await createAxe(page)).withRules('color-contrast').analyze();
    expect(violations.map(describe), `${where} in ${id}`).toEqual([]);
  }
  await setTheme('daylight');
}

function describe({ id, nodes }: { id: string; nodes: readonly { html: string }[] }): string {
  return `${id}: ${nodes.map(({ html }) => html).join('\n  ')}`;
}
