/**
 * Interaction to Next Paint in Chromium: on every screen what people do there, by mouse and by keyboard, and how long
 * the slowest of it took from the press to the next frame. The browser reports it in steps of 8 ms (Event Timing API).
 */
import { chromium, type Page } from '@playwright/test';
import { somebody, startSite } from '../e2e/running-site.ts';
import { chromiumArguments, findBrowser } from '../tools/browser.ts';
import { printFigures, type Figure } from './figure.ts';

/** Shorter ones are not reported; 16 is the least that the browser takes. */
const leastMilliseconds = 16;

type Screen = { name: string; menu: string; act: (page: Page) => Promise<void> };

const grid = async (page: Page): Promise<void> => {
  await page.locator('.ag-row .ag-cell:not(.grid-cell-waiting)').first().waitFor();
  await page.getByRole('searchbox').first().pressSequentially('person', { delay: 60 });
  await page.keyboard.press('Escape');
  await page.getByRole('columnheader').nth(1).click();
  await page.locator('.ag-row').getByRole('checkbox').first().click();
  await page.locator('.ag-row .ag-cell').nth(2).click();
  for (const key of ['ArrowDown', 'ArrowDown', 'End', 'PageDown', 'Home']) await page.keyboard.press(key);
  await page.keyboard.press('Escape');
};

const screens: Screen[] = [
  {
    name: 'dashboard',
    menu: 'Dashboard',
    async act(page) {
      await page.locator('.person-button').click();
      await page.keyboard.press('Escape');
      for (const digit of [1, 2, 5, 0]) await page.keyboard.press(`Control+Alt+Digit${digit}`);
    },
  },
  {
    name: 'invitations',
    menu: 'Invitations',
    async act(page) {
      await grid(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Invite somebody' }).first().click();
      const field = page.getByRole('dialog').getByLabel('E-mail addresses');
      await field.pressSequentially('ann@example.com, ben@example.com', { delay: 30 });
      await field.fill('');
      await page.keyboard.press('Escape');
    },
  },
  { name: 'people', menu: 'People', act: grid },
  { name: 'activity', menu: 'Activity', act: grid },
  {
    name: 'settings',
    menu: 'Settings',
    async act(page) {
      const field = page.getByLabel('Product name');
      await field.click();
      await field.pressSequentially(' and more', { delay: 30 });
      await page.getByRole('button', { name: 'Discard changes' }).click();
    },
  },
  { name: 'attachments', menu: 'Attachments', act: () => Promise.resolve() },
  {
    name: 'command palette',
    menu: 'Dashboard',
    async act(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
      await page.keyboard.type('person', { delay: 60 });
      for (const key of ['ArrowDown', 'ArrowDown', 'PageDown', 'Escape']) await page.keyboard.press(key);
      await page.keyboard.press('?');
      await page.keyboard.press('Escape');
    },
  },
];

export async function measureInp(): Promise<Figure[]> {
  await using closing = new AsyncDisposableStack();
  const site = await startSite();
  closing.defer(() => site.stop());
  for (let index = 0; index < 30; index += 1) await site.invite(somebody().email);
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: chromiumArguments });
  closing.defer(() => browser.close());
  const page = await browser.newPage({ baseURL: site.url, viewport: { width: 1280, height: 800 } });
  await page.addInitScript(`
    globalThis.interactions = [];
    new PerformanceObserver((list) => {
      for (const { interactionId, duration, name, target } of list.getEntries())
        if (interactionId) interactions.push({ duration, what: name + ' on ' + (target?.className || target?.nodeName) });
    }).observe({ type: 'event', durationThreshold: ${leastMilliseconds}, buffered: true });`);
  await page.goto('/');
  await page.locator('#email').fill(site.administrator.email);
  await page.locator('#password').fill(site.administrator.password);
  await page.locator('#next').click();
  await page.locator('.shell').waitFor();

  const figures: Figure[] = [];
  for (const { name, menu, act } of screens) {
    await settled(page);
    await page.evaluate('interactions.length = 0');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: menu }).click();
    await settled(page);
    await act(page);
    await settled(page);
    const { duration, what } = await page.evaluate<{ duration: number; what: string }>(
      `interactions.reduce((most, one) => (one.duration > most.duration ? one : most), { duration: 0, what: 'none' })`,
    );
    figures.push({
      name: `${name}, the slowest interaction (${what})`,
      measured: duration,
      unit: 'ms',
      limit: { at: 'most', value: 100 },
    });
  }
  return figures;
}

/** Nothing waits, and what was last done has been painted and reported. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(`document.querySelector('.shell') && !document.querySelector('.skeleton')`);
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))');
}

if (import.meta.main) printFigures(await measureInp());
