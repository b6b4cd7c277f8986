/**
 * Measures the grid with 1,000,000 people in Chromium: time to show rows after a far jump and after Page Down, and frames
 * per second while scrolling. The page simulates a server with 20 ms latency. The frame rate is meaningful only together with the share of filled cells: an empty grid
 * scrolls at any speed.
 */
import { chromium, type Browser, type Page } from '@playwright/test';
import { serveGallery } from '../../apps/web/gallery/serve-gallery.ts';
import { browserLaunch } from '../../packages/cli/src/browser.ts';
import { options } from '../options.ts';
import { atLeast, atMost, figure, median, type Figure } from '../report.ts';

const jumpCount = 15;
/** About 45 rows a second, a fast turn of the mouse wheel. */
const pixelsPerSecond = 2_000;

const isFilledSource = `const isFilled = ([x, y]) => {
  const cell = document.elementFromPoint(x, y)?.closest('.ag-cell');
  return Boolean(cell) && !cell.classList.contains('grid-cell-waiting') && cell.textContent !== '';
};`;

export async function measureGridScroll(): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const gallery = await serveGallery();
  cleanup.defer(() => gallery.close());
  const browser = await chromium.launch(await browserLaunch());
  cleanup.defer(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${gallery.url}/?screen=grid&cells=people`);
  await page.getByText('Ada Lovelace 0').waitFor();
  const jumpTimesMs: number[] = [];
  for (let index = 0; index < jumpCount; index += 1)
    jumpTimesMs.push(await measureJump(page, (index * 0.37 + 0.05) % 1));
  const { framesPerSecond, filledPercent } = await measureScroll(page, options.seconds);
  const filled = `${Math.round(filledPercent)} % of the cells filled`;
  const rate = `${Math.round(framesPerSecond)} frames/s`;
  const pageDownMs = await measurePageDown(browser, gallery.url);
  return [
    figure('grid of 1,000,000 rows, from a far jump to its rows', median(jumpTimesMs), 'ms', atMost(300)),
    figure('the slowest of these jumps', Math.max(...jumpTimesMs), 'ms'),
    figure(`the same grid while it scrolls, frames (${filled})`, framesPerSecond, '/s', atLeast(50)),
    figure(`the same grid while it scrolls, cells filled (${rate})`, filledPercent, '%', atLeast(90)),
    figure('Page Down with nine columns at 2560×1440, to the painted rows', pageDownMs, 'ms', atMost(100)),
  ];
}

/** Returns the median of the milliseconds from the key to the painted rows, which are loaded already. */
async function measurePageDown(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 2560, height: 1440 } });
  await page.goto(`${url}/?screen=grid&cells=people&columns=nine`);
  await page.locator('.ag-row .ag-cell[col-id="name"]').first().click();
  const timesMs: number[] = [];
  for (let press = 0; press < 20; press += 1) {
    // AG Grid ignores keys that follow too fast.
    await page.waitForTimeout(400);
    timesMs.push(await page.evaluate<number>(pageDownSource));
  }
  return median(timesMs);
}

/** Looks for the cells by row and column: `elementFromPoint` for each would take a fifth of the time. */
const pageDownSource = `(async () => {
  const { left, top, width, height } = document.querySelector('.ag-grid-viewport').getBoundingClientRect();
  const firstRow = () =>
    Number(document.elementFromPoint(left + 120, top + 60)?.closest('.ag-row')?.getAttribute('row-index'));
  const cellsOf = (row) => [...document.querySelectorAll('.ag-row[row-index="' + row + '"] .ag-cell')];
  const isFilled = (cell) => !cell.classList.contains('grid-cell-waiting') && cell.textContent !== '';
  const old = firstRow();
  const filled = cellsOf(old).filter(isFilled).length;
  const count = Math.floor((height - 100) / document.querySelector('.ag-row').offsetHeight);
  const isShown = (first) =>
    first !== old &&
    Array.from({ length: count + 1 }, (_, index) => first + index).every(
      (row) => cellsOf(row).filter(isFilled).length >= filled);
  const before = performance.now();
  const key = { key: 'PageDown', code: 'PageDown', keyCode: 34, bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', key));
  for (;;) {
    await new Promise(requestAnimationFrame);
    if (isShown(firstRow())) break;
    if (performance.now() - before > 10_000) throw new Error('No rows were shown within 10 s.');
  }
  // A task after the frame.
  await new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
  const tookMs = performance.now() - before;
  for (const x of [left + 0.05 * width, left + 0.5 * width, left + 0.95 * width])
    for (let y = top + 60; y < top + height - 40; y += (height - 100) / 8) {
      const cell = document.elementFromPoint(x, y)?.closest('.ag-cell');
      if (!cell || !isFilled(cell)) throw new Error('A cell at ' + x + ', ' + y + ' was not filled.');
    }
  return tookMs;
})()`;

/** Returns the milliseconds until all sampled cells show loaded data after a jump. */
function measureJump(page: Page, share: number): Promise<number> {
  return page.evaluate<number>(`(async () => {
    ${isFilledSource}
    const viewport = document.querySelector('.ag-grid-viewport');
    const shown = () => document.querySelector('.ag-row .ag-cell[col-id="name"]')?.textContent;
    const old = shown();
    const { left, top, height } = viewport.getBoundingClientRect();
    const places = Array.from({ length: 8 }, (_, index) => [left + 120, top + 60 + (index * (height - 100)) / 8]);
    const before = performance.now();
    viewport.scrollTop = (viewport.scrollHeight - viewport.clientHeight) * ${share};
    for (;;) {
      await new Promise(requestAnimationFrame);
      if (shown() !== old && places.every(isFilled)) return performance.now() - before;
      if (performance.now() - before > 10_000) throw new Error('No rows were shown within 10 s.');
    }
  })()`);
}

/** Scrolls for `seconds`. Returns frames per second and the percentage of filled cells. */
function measureScroll(
  page: Page,
  seconds: number,
): Promise<{ framesPerSecond: number; filledPercent: number }> {
  return page.evaluate<{ framesPerSecond: number; filledPercent: number }>(`(async () => {
    ${isFilledSource}
    const viewport = document.querySelector('.ag-grid-viewport');
    viewport.scrollTop = viewport.scrollHeight / 3;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { left, top, width, height } = viewport.getBoundingClientRect();
    const places = [0.2, 0.4, 0.6, 0.8].flatMap((down) =>
      [0.15, 0.5].map((along) => [left + along * width, top + 42 + down * (height - 60)]),
    );
    let [frames, looked, full] = [0, 0, 0];
    const before = performance.now();
    let last = before;
    while (last - before < ${seconds * 1000}) {
      const now = await new Promise(requestAnimationFrame);
      viewport.scrollTop += ((now - last) / 1000) * ${pixelsPerSecond};
      last = now;
      frames += 1;
      // Sample every third frame only: sampling takes time itself.
      if (frames % 3 > 0) continue;
      looked += places.length;
      full += places.filter(isFilled).length;
    }
    return { framesPerSecond: (frames * 1000) / (last - before), filledPercent: (full * 100) / looked };
  })()`);
}
