/**
 * Measures Largest Contentful Paint of the login page on an emulated slow phone with an empty cache. The page redirects to the
 * identity provider; paints before the redirect count.
 */
import { chromium, type Browser } from '@playwright/test';
import { removeDataDirectory, spawnServer } from '../../e2e/fixtures/start-server.ts';
import { browserLaunch } from '../../tools/browser.ts';
import { median, printFigures, type Figure } from '../report/figure.ts';
import { peers } from '../report/peers.ts';
import { phoneScreen, slowDown } from '../harness/slow-phone.ts';

const repetitions = 5;

export async function measureLoginPaint(): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const application = await spawnServer();
  cleanup.defer(() => removeDataDirectory(application.dataDirectory));
  cleanup.defer(() => application.stop());
  await application.ready();
  const browser = await chromium.launch(await browserLaunch());
  cleanup.defer(() => browser.close());
  const visits: PaintTimes[] = [];
  for (let index = 0; index < repetitions; index += 1)
    visits.push(await measureVisit(browser, `http://localhost:${application.ports.web}/`));
  return [
    {
      name: 'login page, Largest Contentful Paint on a slow phone',
      measured: median(visits.map((one) => one.paintedAfterMs)) / 1000,
      unit: 's',
      limit: { at: 'most', value: 1.8 },
      peers: peers.loginPaint,
    },
    {
      name: 'the same phone, until the sign-in service answers',
      measured: median(visits.map((one) => one.leftAfterMs)) / 1000,
      unit: 's',
    },
  ];
}

type PaintTimes = { paintedAfterMs: number; leftAfterMs: number };

async function measureVisit(browser: Browser, url: string): Promise<PaintTimes> {
  const context = await browser.newContext(phoneScreen);
  try {
    const page = await context.newPage();
    const candidates: number[] = [];
    await page.exposeFunction('reportPaint', (from: string, time: number) => {
      if (from === url) candidates.push(time);
    });
    await page.addInitScript(`new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) reportPaint(location.href, startTime);
    }).observe({ type: 'largest-contentful-paint', buffered: true })`);
    await slowDown(context, page);
    const startedAt = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForURL((address) => address.origin !== new URL(url).origin, {
      waitUntil: 'commit',
      timeout: 60_000,
    });
    const leftAfterMs = performance.now() - startedAt;
    const paintedAfterMs = candidates.at(-1);
    if (paintedAfterMs === undefined) throw new Error('The login page painted nothing before it left.');
    return { paintedAfterMs, leftAfterMs };
  } finally {
    await context.close();
  }
}

if (import.meta.main) printFigures(await measureLoginPaint());
