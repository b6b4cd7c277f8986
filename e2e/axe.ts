/** What axe finds on a page: with every rule as the page stands, on a phone, and its contrast in every theme. */
import { AxeBuilder } from '@axe-core/playwright';
import { themes } from '../apps/web/src/ui/themes/themes.ts';
import { expect, type Page } from './journey.ts';

/** What of axe is used here once its script is on a page. */
type Axe = {
  run: (
    context: Node,
    options: object,
  ) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

const phone = { width: 320, height: 640 };

/** Nothing that axe can find, wide and at 320 pixels, where nothing stands out at the side either (G4). */
export async function expectNoViolation(page: Page, where: string): Promise<void> {
  await expectRulesKept(page, where);
  const before = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize(phone);
  // What follows its size by script has its turn after the next picture.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );
  await expectRulesKept(page, `${where} at ${phone.width} px`, ['color-contrast']);
  const tooWide = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('.dialog, .dialog-body')]
      .filter((part) => part.scrollWidth > part.clientWidth + 1)
      .map((part) => part.className || part.tagName),
  );
  expect(tooWide, `${where}, wider than ${phone.width} px`).toEqual([]);
  await page.setViewportSize(before);
}

/** Every rule as the page stands, but for those left out. */
export async function expectRulesKept(page: Page, where: string, leftOut: string[] = []): Promise<void> {
  // A menu stands above the page, beside its landmarks, and has the focus.
  const rules = (await page.getByRole('menu').isVisible()) ? [...leftOut, 'region'] : leftOut;
  // Axe is large: a page that has it already does not get it again.
  const loaded = await page.evaluate(() => 'axe' in window);
  // Legacy: without a second page to collect the answers of frames; there are none that run scripts.
  const { violations } = await new AxeBuilder({ page, ...(loaded && { axeSource: 'undefined' }) })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
    .disableRules(rules)
    .analyze();
  expect(violations.map(describe), where).toEqual([]);
}

/**
 * Contrast in every theme, switched in place: a theme changes colours and nothing else (G1). Of what stands over a screen
 * only that itself: the screen has been looked at before. Axe must have run on the page.
 */
export async function expectContrastInEveryTheme(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(
    async (ids) => {
      const { axe } = window as unknown as { axe: Axe };
      const { theme } = document.documentElement.dataset;
      const above = [...document.querySelectorAll('dialog[open], [role="menu"]')].at(-1) ?? document;
      const lacking = [];
      for (const id of ids) {
        document.documentElement.dataset['theme'] = id;
        // oxlint-disable-next-line no-await-in-loop -- one theme after the other, on the one page
        const { violations } = await axe.run(above, {
          runOnly: ['color-contrast'],
          resultTypes: ['violations'],
        });
        lacking.push(...violations.flatMap(({ nodes }) => nodes.map(({ html }) => `${id}: ${html}`)));
      }
      document.documentElement.dataset['theme'] = theme;
      return lacking;
    },
    themes.map(({ id }) => id),
  );
  expect(found, where).toEqual([]);
}

function describe({ id, nodes }: { id: string; nodes: readonly { html: string }[] }): string {
  return `${id}: ${nodes.map(({ html }) => html).join('\n  ')}`;
}
