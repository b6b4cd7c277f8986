/** Measures the time from clicking a PDF in the list to the first drawn page, on an emulated slow phone. The PDF viewer is not cached. */
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Browser } from '@playwright/test';
import { createPdf } from '../../e2e/attachments/sample-files.ts';
import { startSite, type Site } from '../../e2e/fixtures/site.ts';
import { browserLaunch } from '../../tools/browser.ts';
import { median, printFigures, type Figure } from '../report/figure.ts';
import { isTrial } from '../report/options.ts';
import { phoneScreen, slowDown } from '../harness/slow-phone.ts';

const rounds = isTrial ? 1 : 3;
const readingMs = 2_000;

export async function measurePdfPreview(): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const site = await startSite();
  cleanup.defer(() => site.stop());
  const person = await site.createMember();
  await site.upload(person, {
    name: 'paper.pdf',
    type: 'application/pdf',
    contents: createPdf(['Hello from page one']),
  });
  const browser = await chromium.launch(await browserLaunch());
  cleanup.defer(() => browser.close());
  const durationsMs: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    durationsMs.push(await measurePreview(browser, site, person));
  return [
    {
      name: 'first page of a PDF on a slow phone, from the press',
      measured: median(durationsMs) / 1000,
      unit: 's',
      limit: { at: 'most', value: 5 },
      before: '10.8 s',
    },
  ];
}

/** Returns the milliseconds from the click to the first frame with a text pixel. */
async function measurePreview(
  browser: Browser,
  site: Site,
  { email, password }: { email: string; password: string },
) {
  const context = await browser.newContext({ ...phoneScreen, baseURL: site.url });
  try {
    const page = await context.newPage();
    await page.goto('/attachment');
    await page.locator('#email').fill(email);
    await page.locator('#password').fill(password);
    await page.locator('#next').click();
    const file = page.getByRole('row', { name: 'paper.pdf' }).getByText('paper.pdf');
    await file.waitFor();
    await slowDown(context, page);
    await delay(readingMs);
    await page.evaluate(pageScript);
    await file.click();
    return await page.evaluate<number>('drawnAfter');
  } finally {
    await context.close();
  }
}

const pageScript = `
  globalThis.drawnAfter = new Promise((resolve) => {
    let pressedAt = 0;
    addEventListener('click', () => (pressedAt = performance.now()), { capture: true, once: true });
    const isDrawn = () => {
      const canvas = document.querySelector('dialog[open] canvas');
      if (!canvas?.width) return false;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height / 4);
      return data.some((value, index) => index % 4 === 0 && value < 100 && data[index + 3] > 0);
    };
    const look = () => (isDrawn() ? resolve(performance.now() - pressedAt) : setTimeout(() => requestAnimationFrame(look), 50));
    look();
  });
  0;`;

if (import.meta.main) printFigures(await measurePdfPreview());
