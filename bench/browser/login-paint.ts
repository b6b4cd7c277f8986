/**
 * Measures Largest Contentful Paint of the login page on an emulated slow phone with an empty cache. The page redirects to the
 * identity provider; paints before the redirect count.
 */
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from '@playwright/test';
import { removeDataDirectory, spawnServer } from '../../packages/testing/src/start-server.ts';
import { browserLaunch } from '../../packages/cli/src/browser.ts';
import { peers } from '../peers.ts';
import { atMost, figure, median, type Figure } from '../report.ts';

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
  const seconds = (key: keyof PaintTimes) => median(visits.map((one) => one[key])) / 1000;
  return [
    figure(
      'login page, Largest Contentful Paint on a slow phone',
      seconds('paintedAfterMs'),
      's',
      atMost(1.8),
      {
        others: peers.loginPaint,
      },
    ),
    figure('the same phone, until the sign-in service answers', seconds('leftAfterMs'), 's'),
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

const phoneScreen: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
};

const bytesPerKilobit = 1000 / 8;

/** Emulates a slow phone: 4× slower processor, 1.6 Mbit/s down, 750 kbit/s up, 150 ms round trip. */
async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1600 * bytesPerKilobit,
    uploadThroughput: 750 * bytesPerKilobit,
  });
}
