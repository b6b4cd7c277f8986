/**
 * Largest Contentful Paint of the login page in Chromium on a slow phone, nothing cached. The page leaves for the sign-in
 * service soon after; what it painted until then counts.
 */
import { chromium, type Browser } from '@playwright/test';
import { removeDataDirectory, spawnServer } from '../../e2e/site/start-server.ts';
import { browserLaunch } from '../../tools/browser.ts';
import { median, printFigures, type Figure } from '../report/figure.ts';
import { peers } from '../report/peers.ts';
import { phoneScreen, slowDown } from '../harness/slow-phone.ts';

const times = 5;

export async function measureLoginPaint(): Promise<Figure[]> {
  await using closing = new AsyncDisposableStack();
  const application = await spawnServer();
  closing.defer(() => removeDataDirectory(application.dataDirectory));
  closing.defer(() => application.stop());
  await application.ready();
  const browser = await chromium.launch(await browserLaunch());
  closing.defer(() => browser.close());
  const visits: Visit[] = [];
  for (let index = 0; index < times; index += 1)
    visits.push(await visit(browser, `http://localhost:${application.ports.web}/`));
  return [
    {
      name: 'login page, Largest Contentful Paint on a slow phone',
      measured: median(visits.map((one) => one.paintedAfter)) / 1000,
      unit: 's',
      limit: { at: 'most', value: 1.8 },
      peers: peers.loginPaint,
    },
    {
      name: 'the same phone, until the sign-in service answers',
      measured: median(visits.map((one) => one.leftAfter)) / 1000,
      unit: 's',
    },
  ];
}

/** Milliseconds from the navigation to the largest paint, and to the sign-in service's page. */
type Visit = { paintedAfter: number; leftAfter: number };

/** Opens the page in a fresh profile. */
async function visit(browser: Browser, url: string): Promise<Visit> {
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
    const leftAfter = performance.now() - startedAt;
    const paintedAfter = candidates.at(-1);
    if (paintedAfter === undefined) throw new Error('The login page painted nothing before it left.');
    return { paintedAfter, leftAfter };
  } finally {
    await context.close();
  }
}

if (import.meta.main) printFigures(await measureLoginPaint());
