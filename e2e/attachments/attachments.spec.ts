/**
 * The attachment area: previews, undo, and protection against scripts in files (A5, K7). See also
 * uploads.spec.ts and sharing.spec.ts.
 */
import { randomBytes } from 'node:crypto';
import {
  findFile,
  openFiles,
  openOwnFiles,
  getPreview,
  getRow,
  createTextFile,
  upload,
} from './attachment-page.ts';
import { expectNoViolation } from '../screens/axe.ts';
import { expect, test } from '../fixtures/site-test.ts';
import type { Site } from '../../packages/testing/src/site.ts';
import { createPicture } from '../fixtures/sample-picture.ts';
import { recordVideo } from './record-video.ts';
import { createPdf, createWav } from './sample-files.ts';

const hideFiles = (site: Site) => site.sql(`update attachments set sharing = default`);

test('each file type has a preview with a button for the next file, and a PDF page is reloaded after an error (K7)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/ERR_FAILED/, 'the second page of the PDF cannot be fetched');
  expectConsole(
    /^error in a page: (?:$|TypeError: Failed to fetch\s[^]*\/pdf-pages-)/,
    'pdf.js reports the failed range, and cancels it twice',
  );
  // Other tests on this site may have shared files with everyone.
  const [person] = await Promise.all([site.createMember(), hideFiles(site)]);
  await openFiles(page, person);
  const video = await page.evaluate(recordVideo);
  // The PDF is so large that each page is fetched only when it is displayed.
  const paper = createPdf(['Hello from page one', 'Hello from page two'], 300_000);
  await upload(page, [
    { name: 'a picture.png', mimeType: 'image/png', buffer: createPicture() },
    { name: 'b paper.pdf', mimeType: 'application/pdf', buffer: paper },
    createTextFile('c words.txt', 'Zwölf Boxkämpfer\n'.repeat(40)),
    { name: 'c words.csv', mimeType: 'text/csv', buffer: Buffer.from('Müller;Jürgen\n', 'latin1') },
    { name: 'd sound.wav', mimeType: 'audio/wav', buffer: createWav() },
    { name: 'e film.webm', mimeType: 'video/webm', buffer: Buffer.from(video, 'base64') },
    { name: 'f thing.xyz', mimeType: 'application/x-thing', buffer: randomBytes(200) },
  ]);
  await page.getByRole('columnheader', { name: 'Name' }).click();
  await expect(page.getByRole('row').nth(1)).toContainText('a picture.png');
  // The list shows a thumbnail instead of the type icon.
  await expect(getRow(page, 'a picture.png').locator('.grid-mark img')).toHaveJSProperty('naturalWidth', 96);
  await expect(getRow(page, 'f thing.xyz').locator('.grid-mark svg')).toBeVisible();
  await getRow(page, 'a picture.png').getByRole('gridcell', { name: 'a picture.png', exact: true }).click();
  await expect(page).toHaveURL(/[?&]file=/);
  const shown = page.getByRole('dialog');
  await expect(shown.getByRole('img', { name: 'a picture.png' })).toBeVisible();
  await expect
    .poll(() => shown.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth))
    .toBe(320);
  await expect(shown.getByRole('button', { name: 'Previous file' })).toBeDisabled();

  await page.keyboard.press('ArrowRight');
  const pages = getPreview(page, 'b paper.pdf').getByRole('listitem');
  await expect(pages.first()).toContainText('Hello from page one');
  const isInked = () =>
    pages
      .first()
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => {
        const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        return pixels.some((value, index) => index % 4 === 0 && value < 100);
      });
  // The text layer is available before the page is drawn.
  await expect.poll(isInked).toBe(true);
  await expectNoViolation(page, 'a PDF');
  await page.route('**/files/**', (route) => route.abort());
  await pages.last().scrollIntoViewIfNeeded();
  await expect(shown.getByRole('alert')).toContainText('This file could not be shown');
  await page.unrouteAll();
  await shown.getByRole('button', { name: 'Try again' }).click();
  await pages.last().scrollIntoViewIfNeeded();
  await expect(pages.last()).toContainText('Hello from page two');
  await expect(shown.getByRole('alert')).toHaveCount(0);

  await shown.getByRole('button', { name: 'Next file' }).click();
  await expect(getPreview(page, 'c words.csv').locator('pre')).toContainText('Müller;Jürgen');
  await shown.getByRole('button', { name: 'Next file' }).click();
  await expect(getPreview(page, 'c words.txt').locator('pre')).toContainText('Zwölf Boxkämpfer');
  for (const [name, element] of [
    ['d sound.wav', 'audio'],
    ['e film.webm', 'video'],
  ] as const) {
    await shown.getByRole('button', { name: 'Next file' }).click();
    const player = getPreview(page, name).locator(element);
    await expect
      .poll(() => player.evaluate((media: HTMLMediaElement) => media.readyState))
      .toBeGreaterThan(0);
  }
  await shown.getByRole('button', { name: 'Next file' }).click();
  await expect(getPreview(page, 'f thing.xyz')).toContainText('No preview for this kind of file');
  await expect(shown.getByRole('button', { name: 'Next file' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(shown).toHaveCount(0);
  await expect(page).not.toHaveURL(/[?&]file=/);
});

test('uploaded files never run as code: not in a preview, at their address or as a script (K7; security 33)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/MIME type/, 'files of other types are refused as scripts');
  expectConsole(
    /Blocked script execution in '[^']+\/files\/|Applying inline style violates .+\/files\//,
    'the page that a browser creates around a picture or a text runs no scripts',
  );
  await openOwnFiles(page, site);
  const code = 'document.title = "ran"; localStorage.setItem("ran", "1")';
  const script = `<script>${code}</script>`;
  const file = (name: string, mimeType: string, contents: string) => ({
    name,
    mimeType,
    buffer: Buffer.from(contents, 'latin1'),
  });
  const files = [
    file('page.html', 'text/html', `<!doctype html>${script}<p>Hello</p>`),
    file('drawing.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
    file(
      'script.pdf',
      'application/pdf',
      `%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(${code})>>>>endobj ${script}`,
    ),
    // Files that are valid as two types (polyglots).
    file('html.png', 'image/png', `\x89PNG\r\n\x1a\n${script}`),
    file('script.gif', 'image/gif', `GIF89a/*\0\0*/=0;${code}`),
    createTextFile('html.txt', script),
    createTextFile('script.txt', code),
  ];
  await upload(page, files);

  const visit = async (address: string) => {
    const tab = await page.context().newPage();
    // The navigation to a download is aborted.
    await tab.goto(address).catch(() => {});
    const title = await tab.title();
    await tab.close();
    return title;
  };
  const loadAsScript = (address: string) =>
    page.evaluate(async (src) => {
      const element = Object.assign(document.createElement('script'), { src });
      const loaded = await new Promise((resolve) => {
        element.addEventListener('load', () => resolve('loaded'));
        element.addEventListener('error', () => resolve('refused'));
        document.head.append(element);
      });
      element.remove();
      return loaded;
    }, address);

  // Wait for all rows: a new row moves the others under the pointer.
  for (const { name } of files) await expect(getRow(page, name)).toBeVisible();
  for (const { name } of files) {
    await getRow(page, name).getByRole('gridcell', { name, exact: true }).click();
    await expect(getPreview(page, name)).toBeVisible();
    await expect(getPreview(page, name).locator('iframe, object, embed, script')).toHaveCount(0);
    await page.keyboard.press('Escape');
    const { id } = await findFile(site, site.administrator, name);
    const links = { attachmentIds: [id], purpose: 'preview' };
    const address = String((await site.callAsAdmin('POST', '/api/attachments/links', links))['path']);
    expect(await visit(address), name).not.toBe('ran');
    expect(await loadAsScript(address), name).toBe('refused');
  }
  expect(await page.evaluate(() => window.localStorage.getItem('ran'))).toBeNull();
  await expect(page).not.toHaveTitle(/ran/);

  // Control of the test: the same content runs a script if it is served with the claimed type.
  await page.context().route('**/control.*', (route) => {
    const isScript = route.request().url().endsWith('js');
    return route.fulfill({
      contentType: isScript ? 'text/javascript' : 'text/html',
      body: isScript ? code : script,
    });
  });
  expect(await visit('/control.html')).toBe('ran');
  expect(await loadAsScript('/control.js')).toBe('loaded');
});
