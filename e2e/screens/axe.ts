/* oxlint-disable no-underscore-dangle -- axe calls what it remembers so */
/** What axe finds on a page: with every rule as the page stands, on a phone, and its contrast in every theme. */
import { AxeBuilder } from '@axe-core/playwright';
import { themes } from '../../apps/web/src/ui/themes/themes.ts';
import { expect, type Page } from '../fixtures/site-test.ts';

type Found = { nodes: { element: Element; html: string }[] };

/** What of axe is used here once its script is on a page; what begins with an underscore is its own, and components.spec.ts compares. */
type Axe = {
  run: (
    context: Node,
    options: object,
  ) => Promise<{ violations: Found[]; passes: Found[]; incomplete: Found[] }>;
  setup: (root: Element) => void;
  teardown: () => void;
  utils: { getNodeFromTree: (element: Element) => VirtualNode };
  _audit: { checks: Record<'color-contrast', { evaluate: Evaluate; options: object }> };
  _tree: VirtualNode[];
};
/** What axe remembers of an element, colours among it. */
type VirtualNode = { children: VirtualNode[]; _cache: Record<string, unknown>; _stackingContext?: unknown };
/** false: too little. */
type Evaluate = (
  this: { data: (value: object) => void; relatedNodes: (nodes: unknown) => void },
  element: Element,
  options: object,
  node: VirtualNode,
) => boolean | undefined;

const phone = { width: 320, height: 640 };

/** Nothing that axe can find, wide and at 320 pixels, where nothing stands out at the side either (G4). */
export async function expectNoViolation(page: Page, where: string): Promise<void> {
  await expectNoRuleViolation(page, where);
  const before = page.viewportSize() ?? { width: 1280, height: 720 };
  await resize(page, phone);
  await expectNoRuleViolation(page, `${where} at ${phone.width} px`, ['color-contrast']);
  const isCut = await page.evaluate(() => {
    const main = document.querySelector('.shell-main');
    return main && getComputedStyle(main).overflowY === 'clip' && main.scrollHeight > main.clientHeight + 1;
  });
  expect(isCut, `${where}: something below cannot be scrolled to`).toBeFalsy();
  const tooWide = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('.dialog, .dialog-body')]
      .filter((part) => part.scrollWidth > part.clientWidth + 1)
      .map((part) => part.className || part.tagName),
  );
  expect(tooWide, `${where}, wider than ${phone.width} px`).toEqual([]);
  await resize(page, before);
}

/** What follows its size by script, as the panel beside a list does, has its turn after the next picture. */
async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );
}

/** Every rule as the page stands, but for those left out. */
export async function expectNoRuleViolation(
  page: Page,
  where: string,
  leftOut: string[] = [],
): Promise<void> {
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
 * Contrast in every theme, switched in place: a theme changes colours and nothing else (G1), so axe finds once which texts
 * there are and what they stand on, and reads the colours again for each. Of what stands over a screen only that itself: the
 * screen has been looked at before. Axe must have run on the page.
 */
export async function expectContrastInEveryTheme(page: Page, where: string): Promise<void> {
  expect(await findContrastProblems(page), where).toEqual([]);
}

/** Texts that are hard to read, each as the theme and its element. */
export function findContrastProblems(page: Page): Promise<string[]> {
  return page.evaluate(
    async (ids) => {
      const { axe } = window as unknown as { axe: Axe };
      const { theme } = document.documentElement.dataset;
      const above = [...document.querySelectorAll('dialog[open], [role="menu"]')].at(-1) ?? document;
      const findTexts = async () => {
        const { violations, passes, incomplete } = await axe.run(above, {
          runOnly: ['color-contrast'],
          elementRef: true,
          selectors: false,
        });
        return [violations, passes, incomplete].flat().flatMap(({ nodes }) => nodes);
      };
      let texts = await findTexts();
      // A list that has made its rows anew meanwhile is looked at anew; from here on nothing can come in between.
      // oxlint-disable-next-line no-await-in-loop -- one after the other, until the page stands still
      while (texts.some(({ element }) => !element.isConnected)) texts = await findTexts();
      const { evaluate, options } = axe._audit.checks['color-contrast'];
      const forgetColours = (node: VirtualNode): void => {
        delete node._stackingContext;
        delete node._cache['getBackgroundColor'];
        for (const key of Object.keys(node._cache))
          if (key.startsWith('computedStyle')) delete node._cache[key];
        node.children.forEach(forgetColours);
      };
      const told = { data: () => {}, relatedNodes: () => {} };
      const lacking: string[] = [];
      axe.setup(document.documentElement);
      for (const id of ids) {
        document.documentElement.dataset['theme'] = id;
        axe._tree.forEach(forgetColours);
        for (const { element, html } of texts)
          if (evaluate.call(told, element, options, axe.utils.getNodeFromTree(element)) === false)
            lacking.push(`${id}: ${html}`);
      }
      axe.teardown();
      document.documentElement.dataset['theme'] = theme;
      return lacking;
    },
    themes.map(({ id }) => id),
  );
}

function describe({ id, nodes }: { id: string; nodes: readonly { html: string }[] }): string {
  return `${id}: ${nodes.map(({ html }) => html).join('\n  ')}`;
}
