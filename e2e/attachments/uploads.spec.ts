/** Uploads across reloads, lost connections, server crashes and quota limits (A5, K7). */
import { megabyte } from '@vestibule/contract/texts/size';
import type { CDPSession } from '@playwright/test';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import {
  chooseAction,
  getFileInput,
  getUploadPanel,
  findFile,
  openOwnFiles,
  getRow,
  createTextFile,
  upload,
} from './attachment-page.ts';
import { expectNoViolation, resize } from '../screens/axe.ts';
import { expect, test, type Page } from '../fixtures/site-test.ts';

/** Unit of chunks and rates. Displayed sizes use `megabyte`. */
const MB = 1_000_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** CDP sessions that throttle pages. Only the same session can reset the limit. */
const throttles = new WeakMap<Page, CDPSession>();

/**
 * Limits the upload rate in bytes per second; 0 removes the limit. With a limit, assertions during an upload are possible even on a busy
 * machine.
 */
async function limitUploadRate(page: Page, bytesPerSecond: number) {
  const client = throttles.get(page) ?? (await page.context().newCDPSession(page));
  throttles.set(page, client);
  await client.send('Network.enable');
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond || -1,
  });
}

async function expectProgress(page: Page): Promise<void> {
  const bar = getUploadPanel(page).locator('progress').first();
  await expect
    .poll(async () => Number(await bar.getAttribute('value')) / Number(await bar.getAttribute('max')))
    .toBeGreaterThan(0.1);
}

test('a first file that is chosen without a connection is uploaded when the connection is back (K7)', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/ERR_INTERNET_DISCONNECTED/, 'the browser is offline');
  const panel = getUploadPanel(page);
  const library = page.waitForEvent('requestfinished', (request) => /\/assets\/browser-/.test(request.url()));
  await openOwnFiles(page, site);
  await library;
  await context.setOffline(true);
  await getFileInput(page).setInputFiles(createTextFile('offline.txt', 'offline'));
  await expect(panel.getByRole('heading')).toHaveText(/^Uploading/);
  await context.setOffline(false);
  await expect(panel.getByRole('heading')).toHaveText(/uploaded$/);
  await expect(getRow(page, 'offline.txt')).toBeVisible();
});

test('files upload concurrently with progress on every screen; one can be paused, resumed and cancelled (K7)', async ({
  page,
  site,
}) => {
  const panel = getUploadPanel(page);
  await openOwnFiles(page, site);
  await limitUploadRate(page, MB / 10);
  await getFileInput(page).setInputFiles([
    { name: 'slow.bin', mimeType: 'application/octet-stream', buffer: randomBytes(5 * megabyte) },
    createTextFile('notes.txt', 'one'),
    createTextFile('more notes.txt', 'two'),
    { name: 'nothing.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
  ]);
  await expect(panel.getByRole('heading')).toHaveText('Uploading 4 files');
  await expect(panel).toContainText(/\d+\s?% · [\d.]+ \w+ a second · \d+ \w+ left/);
  await expect(page).toHaveTitle(/^\d+% · Attachments · /);
  await expectNoViolation(page, 'running uploads');
  await expectEndOfList(page, (await panel.boundingBox())!.y);
  // The upload panel stays on other screens.
  await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Welcome');
  await expect(panel).toContainText('slow.bin');
  await limitUploadRate(page, 0);
  await expect(panel.getByRole('heading')).toHaveText('4 files uploaded');
  await expect(page).not.toHaveTitle(/%/);
  await page.getByRole('navigation').getByRole('link', { name: 'Attachments' }).click();
  for (const name of ['slow.bin', 'notes.txt', 'more notes.txt', 'nothing.txt'])
    await expect(getRow(page, name).first()).toBeVisible();
  await expect(getRow(page, 'slow.bin')).toContainText('5 MB');
  await expect(getRow(page, 'nothing.txt')).toContainText('0 bytes');
  // On phones and in low windows, the open panel is above the page, where it covers no actions.
  for (const [width, height] of [
    [1280, 500],
    [360, 640],
  ] as const) {
    await resize(page, { width, height });
    await expectEndOfList(page);
    await panel.getByRole('button', { name: 'Show the uploads' }).click();
    await expect(panel.getByRole('heading')).toBeInViewport({ ratio: 1 });
    const heading = page.getByRole('heading', { level: 1 });
    const [panelBox, headingBox] = [await panel.boundingBox(), await heading.boundingBox()];
    expect((panelBox?.y ?? 0) + (panelBox?.height ?? 0)).toBeLessThan(headingBox?.y ?? 0);
    await expectEndOfList(page);
    await panel.getByRole('button', { name: 'Hide the uploads' }).click();
  }
  await resize(page, { width: 1280, height: 720 });
  await panel.getByRole('button', { name: 'Close the uploads' }).click();
  await expect(panel).toHaveCount(0);

  await limitUploadRate(page, MB / 10);
  const contents = randomBytes(4 * megabyte);
  await getFileInput(page).setInputFiles([
    { name: 'kept.bin', mimeType: '', buffer: contents },
    { name: 'dropped.bin', mimeType: '', buffer: randomBytes(4 * megabyte) },
  ]);
  await panel.getByRole('button', { name: 'Pause all' }).click();
  // Pause and resume are one button, which keeps the focus.
  await panel.getByRole('button', { name: 'Resume kept.bin' }).focus();
  for (const name of ['Resume kept.bin', 'Pause kept.bin']) {
    await expect(panel.getByRole('button', { name })).toBeFocused();
    await page.keyboard.press('Enter');
  }
  await expect(panel.getByRole('button', { name: 'Resume kept.bin' })).toBeFocused();
  await panel.getByRole('button', { name: 'Cancel dropped.bin' }).click();
  await expect(panel).toContainText(/Paused at .* of 4 MB/);
  await expect(panel).not.toContainText('dropped.bin');
  await limitUploadRate(page, 0);
  await panel.getByRole('button', { name: 'Resume kept.bin' }).click();
  await expect(panel.getByRole('heading')).toHaveText('1 file uploaded');
  await expect(getRow(page, 'kept.bin')).toBeVisible();
  await expect(getRow(page, 'dropped.bin')).toHaveCount(0);
  expect((await findFile(site, site.administrator, 'kept.bin')).sha256).toBe(sha256(contents));
});

/**
 * Loses the connection of uploads when the first chunk has reached the server, before the response. `offsets` are those of the
 * requests with chunks.
 */
async function loseConnection(page: Page, firstChunk: Uint8Array<ArrayBuffer>) {
  const offsets: (string | null)[] = [];
  let isConnected = true;
  await page.route('**/api/attachments/uploads/*', async (route) => {
    const request = route.request();
    if (request.method() === 'PATCH') offsets.push(await request.headerValue('upload-offset'));
    if (isConnected && request.method() === 'PATCH' && offsets.length === 1) {
      isConnected = false;
      const { 'content-length': _all, ...headers } = await request.allHeaders();
      await fetch(request.url(), { method: 'PATCH', headers, body: firstChunk });
    }
    return isConnected ? route.continue() : route.abort('connectionreset');
  });
  const restore = () => {
    isConnected = true;
  };
  return { offsets, restore };
}

/** Expects that the page can be scrolled until the list ends above a position on the screen. */
async function expectEndOfList(page: Page, lowest = page.viewportSize()!.height): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  const { y, height } = (await page.locator('.grid').boundingBox())!;
  expect(Math.floor(y + height)).toBeLessThanOrEqual(lowest);
}

test('an upload resumes after a reload, and without user action after a lost connection; a proxy that rejects it is reported (K7)', async ({
  page,
  site,
  expectConsole,
}) => {
  const panel = getUploadPanel(page);
  expectConsole(/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|413/, 'the faults under test');
  const contents = randomBytes(5 * MB);
  // The browser recognizes the same file by its time, so it is on the disk.
  const file = test.info().outputPath('film.bin');
  await writeFile(file, contents);
  await openOwnFiles(page, site);
  await limitUploadRate(page, MB / 4);
  await getFileInput(page).setInputFiles(file);
  await expectProgress(page);
  await page.reload();
  const interrupted = page.getByRole('region', { name: 'Interrupted uploads' });
  await expect(interrupted).toContainText('film.bin');
  await expect(interrupted).toContainText('Choose the same file again');
  await expectNoViolation(page, 'an interrupted upload');
  await expectEndOfList(page);
  const offsets: number[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
  });
  await limitUploadRate(page, 0);
  await upload(page, file);
  expect(offsets[0]).toBeGreaterThan(0);
  await expect(interrupted.getByText('film.bin')).toHaveCount(0);
  expect((await findFile(site, site.administrator, 'film.bin')).sha256).toBe(sha256(contents));

  await panel.getByRole('button', { name: 'Close the uploads' }).click();
  const train = randomBytes(3 * MB);
  const connection = await loseConnection(page, train.subarray(0, MB));
  await getFileInput(page).setInputFiles({ name: 'train.bin', mimeType: '', buffer: train });
  await expect(panel).toContainText('Connection lost. What was sent is kept.');
  connection.restore();
  await expect(panel.getByRole('heading')).toHaveText('1 file uploaded');
  expect(connection.offsets).toEqual(['0', String(MB)]);
  expect((await findFile(site, site.administrator, 'train.bin')).sha256).toBe(sha256(train));
  await resize(page, { width: 360, height: 640 });
  await expectEndOfList(page, (await panel.boundingBox())!.y);
  await resize(page, { width: 1280, height: 720 });

  await page.unrouteAll();
  const body = '<h1>413 Request Entity Too Large</h1>';
  await page.route('**/api/attachments/uploads/*', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 413, contentType: 'text/html', body })
      : route.continue(),
  );
  await getFileInput(page).setInputFiles({ name: 'ship.bin', mimeType: '', buffer: train });
  await expect(panel).toContainText('A proxy in front of this site blocks uploads');
});

test('files can be dropped anywhere and pasted, and are rejected over the quota before any bytes are sent (K7)', async ({
  page,
  site,
}) => {
  await openOwnFiles(page, site);
  const draggedFile = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
    return transfer;
  });
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: draggedFile });
  await expect(page.getByText('Drop to upload')).toBeVisible();
  await page.dispatchEvent('main', 'drop', { dataTransfer: draggedFile });
  await expect(page.getByText('Drop to upload')).toHaveCount(0);
  await expect(getRow(page, 'dropped.txt')).toBeVisible();
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['pasted'], 'pasted.txt', { type: 'text/plain' }));
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  });
  await expect(getRow(page, 'pasted.txt')).toBeVisible();
  // A drop on a dialog is ignored, and the browser does not navigate to the file.
  await chooseAction(page, 'pasted.txt', 'Rename');
  const isOpened = await page.getByRole('dialog').evaluate((dialog) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['dropped'], 'in vain.txt', { type: 'text/plain' }));
    return dialog.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  expect(isOpened).toBe(false);

  const used = 1.8 * megabyte;
  const usage = {
    mine: { used, deleted: 0, quota: 2 * megabyte, files: 2 },
    all: { used, quota: 1e9 },
    fileMaximum: megabyte,
    scanned: false,
  };
  await page.route('**/api/attachments/usage', (route) => route.fulfill({ json: usage }));
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/uploads')) sent.push(request.url());
  });
  await page.reload();
  await expect(page.getByText(/left\. Delete files you no longer need/)).toBeVisible();
  const file = (name: string, size: number) => ({ name, mimeType: '', buffer: randomBytes(size) });
  await getFileInput(page).setInputFiles([file('huge.bin', 1.5 * megabyte)]);
  await expect(page.getByRole('alert')).toContainText('huge.bin is too large: 1.5 MB');
  await getFileInput(page).setInputFiles([file('three.bin', 0.9 * megabyte)]);
  await expect(page.getByRole('alert').last()).toContainText('Not enough space: you chose 922 kB');
  expect(sent).toEqual([]);
});
