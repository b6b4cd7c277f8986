/**
 * `npm run screenshots`: screenshots of the views of screens.ts in the ignored folder `screenshots/`, without assertions. Default: one
 * light and one dark theme, wide and phone. `--themes contrast-dark,dusk --widths 1280,1920 --only people,settings` selects others (`all`
 * themes). `--docs` updates the pictures of the documents only.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from '@playwright/test';
import { findTheme, themes } from '../../apps/web/src/ui/themes/themes.ts';
import { browserLaunch } from '../../packages/cli/src/browser.ts';
import { root } from '../../tools/install.mjs';
import { seedActivity } from '../fixtures/seed-activity.ts';
import { startSite } from '../../packages/testing/src/site.ts';
import { screens, waitUntilLoaded, openView, type ScreenView } from './screens.ts';
import { seedScene, type Scene } from './seed-scene.ts';

const folder = path.join(root, 'screenshots');
const docsFolder = path.join(root, 'docs', 'images');
const { values: given } = parseArgs({
  options: {
    docs: { type: 'boolean', default: false },
    themes: { type: 'string', default: 'daylight,nightfall' },
    widths: { type: 'string', default: '1280,360' },
    only: { type: 'string', default: '' },
  },
});
const looks = (given.themes === 'all' ? themes.map(({ id }) => id) : given.themes.split(',')).map((id) => {
  const theme = findTheme(id);
  if (!theme)
    throw new Error(`There is no theme "${id}". There are: ${themes.map((one) => one.id).join(', ')}.`);
  return theme;
});
const heights: Record<string, number> = { 360: 780, 1280: 800, 1920: 1080 };
const areas = given.only === '' ? Object.keys(screens) : given.only.split(',');

const site = await startSite();
const browser = await chromium.launch(await browserLaunch());
/** Views that failed to open. Their screenshots are taken nevertheless. */
const failures: string[] = [];
try {
  await seedActivity(site);
  if (given.docs) await takeDocumentScreenshots();
  else await takeEverything();
} finally {
  await browser.close();
  await site.stop();
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

async function takeEverything(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const scene = await seedScene(site);
  for (const width of given.widths.split(',').map(Number)) {
    const page = await openPage(width);
    await signIn(page);
    for (const area of areas) for (const look of screens[area] ?? []) await takeLook(page, area, look, scene);
    await page.close();
  }
  console.log(`Screenshots are in ${path.relative(process.cwd(), folder)}/`);
}

function openPage(width: number): Promise<Page> {
  return browser.newPage({
    baseURL: site.url,
    viewport: { width, height: heights[width] ?? 800 },
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
}

/** Takes the pictures of README.md and docs/. */
async function takeDocumentScreenshots(): Promise<void> {
  const page = await openPage(1280);
  const picture = (name: string) => page.screenshot({ path: path.join(docsFolder, `${name}.png`) });
  await signIn(page);
  await waitUntilLoaded(page);
  await picture('dashboard');
  await page.goto('/layout/people');
  await waitUntilLoaded(page);
  await picture('people');
  await page.goto('/layout/invitations');
  await waitUntilLoaded(page);
  await page.getByRole('gridcell').filter({ hasText: 'adele.goldberg' }).first().click();
  await page.locator('.side-panel').getByRole('listitem').first().waitFor();
  await waitUntilLoaded(page);
  await picture('invitation');
  await page.goto('/layout/invitations?invite=true');
  await page
    .getByLabel('E-mail addresses')
    .fill(
      [
        'mary.shaw@example.com',
        'butler.lampson@example.com',
        'adele.goldberg@example.com',
        'margaret.hamilton.example.com',
        'alan.kay@example.com',
        'a1an.kay@example.com',
      ].join('\n'),
    );
  await page.getByRole('button', { name: 'Check 6 addresses' }).click();
  await page.getByRole('dialog').getByRole('status').filter({ hasText: 'will be invited' }).waitFor();
  await picture('invite-many');
  await page.close();
}

async function signIn(page: Page): Promise<void> {
  const { administrator } = site;
  await page.goto('/');
  await page.locator('#email').fill(administrator.email);
  await page.locator('#password').fill(administrator.password);
  await page.locator('#next').click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
}

async function takeLook(page: Page, area: string, look: ScreenView, scene: Scene): Promise<void> {
  if (look.isDesktopOnly && (page.viewportSize()?.width ?? 0) < 620) return;
  await openView(page, look, scene).catch((error: unknown) =>
    failures.push(`${area}, ${look.name}: ${String(error)}`),
  );
  await takeScreenshots(page, `${area} ${look.name}`.toLowerCase().replaceAll(/[^a-z]+/g, '-'));
}

/** Takes one screenshot per theme. Themes change colours only (G1), so the page is not reloaded. */
async function takeScreenshots(page: Page, screen: string): Promise<void> {
  for (const { id, kind } of looks) {
    await page.emulateMedia({ colorScheme: kind });
    await page.evaluate((theme) => {
      document.documentElement.dataset['theme'] = theme;
    }, id);
    const file = `${screen}.${page.viewportSize()?.width}.${id}.png`;
    await page.screenshot({ path: path.join(folder, file) });
    console.log(file);
  }
}
