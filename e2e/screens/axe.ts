/* oxlint-disable no-underscore-dangle -- axe calls what it remembers so */
/** Accessibility checks with axe: all rules, at phone width, and contrast in every theme. */
import { AxeBuilder } from '@axe-core/playwright';
import { themes } from '../../apps/web/src/ui/themes/themes.ts';
import { expect, type Page } from '../fixtures/site-test.ts';

type Found = { nodes: { element: Element; html: string }[] };

/**
 * Used parts of axe's script. Names with an underscore are internal; components.spec.ts checks that they
 * work.
 */
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
/** Axe's cache for an element, including colours. */
type VirtualNode = { children: VirtualNode[]; _cache: Record<string, unknown>; _stackingContext?: unknown };
/** false: insufficient contrast. */
type Evaluate = (
  this: { data: (value: object) => void; relatedNodes: (nodes: unknown) => void },
  element: Element,
  options: object,
  node: VirtualNode,
) => boolean | undefined;

const phone = { width: 320, height: 640 };

/** Checks all rules, wide and at 320 px, and that nothing overflows horizontally at 320 px (G4). */
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

/** Waits a frame for elements that are resized by script, such as the side panel. */
async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );
}

/** Checks all rules except the given ones, at the current size. */
export async function expectNoRuleViolation(
  page: Page,
  where: string,
  leftOut: string[] = [],
): Promise<void> {
  // An open menu is outside the landmarks and has the focus.
  const rules = (await page.getByRole('menu').isVisible()) ? [...leftOut, 'region'] : leftOut;
  // Axe is large: do not inject it twice.
  const loaded = await page.evaluate(() => 'axe' in window);
  // Legacy mode needs no second page. No frame runs scripts.
  const { violations } = await new AxeBuilder({ page, ...(loaded && { axeSource: 'undefined' }) })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
    .disableRules(rules)
    .analyze();
  expect(violations.map(describe), where).toEqual([]);
}

/**
 * Checks contrast in every theme. Themes change colours only (G1), so axe finds texts and backgrounds once
 * and the colours are read again per theme. Of overlays only the overlay is checked. Axe must have run on the
 * page.
 */
export async function expectContrastInEveryTheme(page: Page, where: string): Promise<void> {
  expect(await findContrastProblems(page), where).toEqual([]);
}

/** Returns texts with insufficient contrast, by theme and element. */
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
      // Search again if a list re-rendered its rows meanwhile. No await follows, so the elements stay current.
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
