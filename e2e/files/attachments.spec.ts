/** The attachment area in the browser: sharing, previews, downloads, undoing (A5, K7). Uploads are in uploads.spec.ts. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  chooseAction,
  dialog,
  dock,
  fileCalled,
  openFiles,
  preview,
  row,
  textFile,
  upload,
} from './attachment-journey.ts';
import { expectNoViolation } from '../screens/axe.ts';
import { expect, fillSignIn, test } from '../site/journey.ts';
import { picture } from '../site/picture.ts';
import { pdf, recordVideo, wav } from './sample-files.ts';

test('two people share a file, by link and through a sign-in, until it is shared no longer (K7)', async ({
  page,
  site,
  otherBrowser,
  expectConsole,
}) => {
  expectConsole(/status of 404/, 'a file that is not shared is as good as none');
  const [owner, friend] = [
    await site.member({ name: 'Olga Owner' }),
    await site.member({ name: 'Fred Friend' }),
  ];
  // Before the page is opened: the first call after a later `route` may still go past it.
  let gate = Promise.resolve();
  await page.route('**/api/attachments/people?*', async (route) => {
    await gate;
    await route.continue();
  });
  await openFiles(page, owner);
  await upload(page, textFile('plan.txt', 'the plan'));
  const { id } = await fileCalled(site, owner, 'plan.txt');

  // The link keeps its file through the sign-in, and says kindly that it is for others.
  const other = await otherBrowser();
  await other.goto(`/attachment?file=${id}`);
  await fillSignIn(other, friend);
  await expect(dialog(other, 'You cannot open this file')).toContainText('Ask the person who sent you');
  await expectNoViolation(other, 'a file of others');

  await chooseAction(page, 'plan.txt', 'Share');
  const sharing = dialog(page, 'Share plan.txt');
  await sharing.getByLabel('Specific people').check();
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(sharing.getByText('Add at least one person')).toBeVisible();
  await sharing.getByLabel('E-mail address').fill('nobody@example.com');
  await sharing.getByRole('button', { name: 'Add' }).click();
  await expect(sharing.getByText('No member has this address.')).toBeVisible();
  await sharing.getByLabel('E-mail address').fill(friend.email);
  // What is typed while somebody is looked up stays.
  const typed = Promise.withResolvers<void>();
  gate = typed.promise;
  await page.keyboard.press('Enter');
  await page.keyboard.type(' and');
  typed.resolve();
  await expect(sharing.getByRole('list', { name: 'Shared with' })).toContainText('Fred Friend');
  await expect(sharing.getByText('Add at least one person')).toHaveCount(0);
  await expect(sharing.getByLabel('E-mail address')).toHaveValue(`${friend.email} and`);
  await sharing.getByLabel('E-mail address').fill('');
  // Whoever is taken off, or chosen of those found, leaves the keyboard in the field.
  await sharing.getByRole('button', { name: 'Remove Fred Friend' }).click();
  await expect(sharing.getByLabel('E-mail address')).toBeFocused();
  await page.keyboard.type(friend.email);
  await sharing.getByRole('list', { name: 'Found' }).getByRole('button').click();
  await expect(sharing.getByLabel('E-mail address')).toBeFocused();
  await expect(sharing.getByRole('list', { name: 'Shared with' })).toContainText('Fred Friend');
  await expectNoViolation(page, 'sharing');
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('plan.txt: shared with 1 person.')).toBeVisible();
  await expect(row(page, 'plan.txt')).toContainText('1 person');

  await other.reload();
  await expect(preview(other, 'plan.txt')).toContainText('the plan');
  await other.keyboard.press('Escape');
  await other.getByRole('radio', { name: 'Shared with me' }).check({ force: true });
  await expect(row(other, 'plan.txt')).toContainText('Olga Owner');
  const titles = other.locator('.ag-header-cell:not(.grid-actions-header) .grid-head-text');
  const lacking = await titles.evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
  expect(Math.max(...lacking)).toBe(0);
  await row(other, 'plan.txt').getByRole('button', { name: 'Actions' }).click();
  await expect(other.getByRole('menuitem', { name: 'Download' })).toBeVisible();
  for (const name of ['Rename', 'Share', 'Delete'])
    await expect(other.getByRole('menuitem', { name, exact: true })).toHaveCount(0);
  await other.keyboard.press('Escape');
  await other.getByRole('radio', { name: 'Mine' }).check({ force: true });
  await expect(other.getByText('No matches for these filters')).toBeVisible();

  await chooseAction(page, 'plan.txt', 'Share');
  await dialog(page, 'Share plan.txt')
    .getByRole('radio', { name: /^Nobody/ })
    .check();
  await dialog(page, 'Share plan.txt').getByRole('button', { name: 'Save' }).click();
  await expect(row(page, 'plan.txt')).toContainText('Nobody');
  await other.goto(`/attachment?file=${id}`);
  await expect(dialog(other, 'You cannot open this file')).toBeVisible();
});

test('each kind is shown in place, with the next and the previous one (K7)', async ({ page, site }) => {
  const person = await site.member();
  await openFiles(page, person);
  const video = await page.evaluate(recordVideo);
  await upload(page, [
    { name: 'a picture.png', mimeType: 'image/png', buffer: picture() },
    { name: 'b paper.pdf', mimeType: 'application/pdf', buffer: pdf('Hello from page one') },
    textFile('c words.txt', 'Zwölf Boxkämpfer\n'.repeat(40)),
    { name: 'd sound.wav', mimeType: 'audio/wav', buffer: wav() },
    { name: 'e film.webm', mimeType: 'video/webm', buffer: Buffer.from(video, 'base64') },
    { name: 'f thing.xyz', mimeType: 'application/x-thing', buffer: randomBytes(200) },
  ]);
  await page.getByRole('columnheader', { name: 'Name' }).click();
  await expect(page.getByRole('row').nth(1)).toContainText('a picture.png');
  // The list shows it small, in the place where other files have their icon.
  await expect(row(page, 'a picture.png').locator('.grid-mark img')).toHaveJSProperty('naturalWidth', 96);
  await expect(row(page, 'f thing.xyz').locator('.grid-mark svg')).toBeVisible();
  await row(page, 'a picture.png').getByRole('gridcell', { name: 'a picture.png', exact: true }).click();
  await expect(page).toHaveURL(/[?&]file=/);
  const shown = page.getByRole('dialog');
  await expect(shown.getByRole('img', { name: 'a picture.png' })).toBeVisible();
  await expect
    .poll(() => shown.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth))
    .toBe(320);
  await expectNoViolation(page, 'a picture');
  await expect(shown.getByRole('button', { name: 'Previous file' })).toBeDisabled();
  // Keys in a dialog over it are for that one.
  await shown.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Share', exact: true }).click();
  await dialog(page, 'Share a picture.png').getByRole('button', { name: 'Cancel' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Escape');
  await expect(dialog(page, 'Share a picture.png')).toHaveCount(0);

  await page.keyboard.press('ArrowRight');
  await expect(preview(page, 'b paper.pdf').getByRole('listitem')).toContainText('Hello from page one');
  const isInked = () =>
    preview(page, 'b paper.pdf')
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => {
        const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        return pixels.some((value, index) => index % 4 === 0 && value < 100);
      });
  // Its text can be read aloud before it has been drawn.
  await expect.poll(isInked).toBe(true);
  await expectNoViolation(page, 'a PDF');

  await shown.getByRole('button', { name: 'Next file' }).click();
  await expect(preview(page, 'c words.txt').locator('pre')).toContainText('Zwölf Boxkämpfer');
  await expectNoViolation(page, 'a text');
  for (const [name, element] of [
    ['d sound.wav', 'audio'],
    ['e film.webm', 'video'],
  ] as const) {
    await shown.getByRole('button', { name: 'Next file' }).click();
    const player = preview(page, name).locator(element);
    await expect
      .poll(() => player.evaluate((media: HTMLMediaElement) => media.readyState))
      .toBeGreaterThan(0);
  }
  // What is done with other files meanwhile does not begin the film anew, which another link would.
  const film = await fileCalled(site, person, 'e film.webm');
  const sound = await fileCalled(site, person, 'd sound.wav');
  const links: string[] = [];
  page.on('request', (request) => {
    if (request.postData()?.includes(film.id)) links.push(request.url());
  });
  const told = page.waitForResponse(`**/api/attachments/${film.id}`);
  await site.call(person, 'POST', `/api/attachments/${sound.id}/name`, { name: 'd tone.wav' });
  await told;
  expect(links).toEqual([]);
  await shown.getByRole('button', { name: 'Next file' }).click();
  await expect(preview(page, 'f thing.xyz')).toContainText('No preview for this kind of file');
  await expect(shown.getByRole('button', { name: 'Next file' })).toBeDisabled();
  await expect(shown.getByRole('button', { name: 'Next file' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(shown).toHaveCount(0);
  await expect(page).not.toHaveURL(/[?&]file=/);

  await page.getByRole('radio', { name: 'Pictures' }).check({ force: true });
  await expect(page.getByText('1 picture', { exact: true })).toBeVisible();
  await expect(page.locator('.thumbnail-drawn')).toHaveCount(1);
  await expectNoViolation(page, 'the pictures');
  await page.getByRole('button', { name: 'a picture.png' }).click();
  await expect(preview(page, 'a picture.png')).toBeVisible();
  await page.keyboard.press('Escape');

  // More than come at once: whoever has come to the last stays there, though others change something.
  await site.sql(
    `insert into attachments (id, owner_id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at)
     select gen_random_uuid(), id, display_name, email, 'many ' || number, 'image/png', 'picture', 30000000, '', 'ready',
       now() - interval '1 hour' - number * interval '1 second', now()
     from people, generate_series(1, 70) as number where email = $1`,
    [person.email],
  );
  await page.reload();
  const pictures = page.getByRole('region', { name: 'Pictures', exact: true }).getByRole('listitem');
  await expect(pictures).toHaveCount(60);
  await expect(page.getByText('71 pictures', { exact: true })).toBeVisible();
  await pictures.last().scrollIntoViewIfNeeded();
  const last = page.getByRole('button', { name: 'many 70' });
  await last.focus();
  const { id } = await fileCalled(site, person, 'many 1');
  await site.call(person, 'DELETE', `/api/attachments/${id}`);
  await expect(pictures).toHaveCount(70);
  await expect(page.getByText('70 pictures', { exact: true })).toBeVisible();
  await expect(last).toBeFocused();
  await page.getByLabel('Search the pictures').fill('many 70');
  await expect(pictures).toHaveCount(1);
  await expect(page).toHaveURL(/[?&]q=/);
  await page.reload();
  await expect(pictures).toHaveCount(1);
});

test('files are renamed, deleted and brought back (K7)', async ({ page, site, expectConsole }) => {
  expectConsole(/ERR_FAILED/, 'the first Undo does not reach the server');
  await openFiles(page, await site.member());
  await upload(page, [textFile('draft.txt', '1'), textFile('other.txt', '2')]);
  await chooseAction(page, 'draft.txt', 'Rename');
  const renaming = dialog(page, 'Rename');
  await renaming.getByLabel('Name').fill('a/b');
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await expect(renaming.getByText('A file name cannot contain')).toBeVisible();
  await expectNoViolation(page, 'renaming');
  await renaming.getByLabel('Name').fill('final.txt');
  await page.keyboard.press('Enter');
  await expect(row(page, 'final.txt')).toBeVisible();

  await chooseAction(page, 'final.txt', 'Delete');
  await expect(page.getByText('final.txt is deleted.')).toBeVisible();
  await expect(row(page, 'final.txt')).toHaveCount(0);
  // It is told beside the list and not over it.
  const told = (await page.locator('.toast').last().boundingBox())!;
  expect(told.x + told.width).toBeLessThanOrEqual((await page.getByRole('main').boundingBox())!.x);
  await page.route('**/undo', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('alert')).toContainText('Check your connection');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row(page, 'final.txt')).toBeVisible();

  for (const name of ['final.txt', 'other.txt'])
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
  await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('There are no files here yet')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row(page, 'final.txt')).toBeVisible();
  await expect(row(page, 'other.txt')).toBeVisible();

  // The second message that says the same leaves the first one its Undo.
  for (const name of ['final.txt', 'other.txt']) {
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
    await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, name)).toHaveCount(0);
  }
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.first().click();
  await expect(row(page, 'final.txt')).toBeVisible();
  await expect(undo).toHaveCount(1);
  await undo.click();
  await expect(row(page, 'other.txt')).toBeVisible();
});

test('several files come as one ZIP, and are shared at once (K7)', async ({ page, site, expectConsole }) => {
  expectConsole(/ERR_FAILED/, 'the second of the files is not reached at first');
  const friend = await site.member({ name: 'Fay Friend' });
  const person = await site.member();
  await openFiles(page, person);
  await upload(page, [textFile('one.txt', 'the first'), textFile('two.txt', 'the second')]);
  for (const name of ['one.txt', 'two.txt'])
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Download' }).click();
  const saved = await downloading;
  expect(saved.suggestedFilename()).toMatch(/\.zip$/);
  const bytes = await readFile(await saved.path());
  expect(namesInZip(bytes).toSorted()).toEqual(['one.txt', 'two.txt']);

  await page
    .getByRole('group', { name: 'Selected rows' })
    .getByRole('button', { name: 'Share', exact: true })
    .click();
  const sharing = dialog(page, 'Share 2 files');
  await expect(sharing).toContainText('takes the place of how each of these files is shared now');
  await sharing.getByLabel('E-mail address').fill(friend.email);
  await page.keyboard.press('Enter');
  await expect(sharing.getByRole('list', { name: 'Shared with' })).toContainText('Fay Friend');
  const { id } = await fileCalled(site, person, 'two.txt');
  await page.route(`**/api/attachments/${id}/sharing*`, (route) => route.abort(), { times: 1 });
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(sharing.getByRole('alert')).toContainText('Check your connection');
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('2 files: shared with 1 person.')).toBeVisible();
  for (const name of ['one.txt', 'two.txt']) await expect(row(page, name)).toContainText('1 person');
  await expect(page.getByRole('group', { name: 'Selected rows' })).toHaveCount(0);
});

test('nothing that is uploaded runs in the site: not as a preview, not by its address, not as its script (K7; security 33)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/MIME type/, 'files that are taken for scripts are refused');
  expectConsole(
    /Blocked script execution in '[^']+\/files\/|Applying inline style violates .+\/files\//,
    'what a browser wraps around a picture or a text is not to run either',
  );
  // Room for the rows of all eleven.
  await page.setViewportSize({ width: 1280, height: 1200 });
  const person = await site.member();
  await openFiles(page, person);
  const code = 'document.title = "ran"; localStorage.setItem("ran", "1")';
  const script = `<script>${code}</script>`;
  const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title>${script}</head></html>`;
  const file = (name: string, mimeType: string, contents: string) => ({
    name,
    mimeType,
    buffer: Buffer.from(contents, 'latin1'),
  });
  const files = [
    file('page.html', 'text/html', `<!doctype html>${script}<p>Hello</p>`),
    file('drawing.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`),
    file('feed.xml', 'text/xml', `<?xml version="1.0"?>${xhtml}`),
    file('page.xhtml', 'application/xhtml+xml', xhtml),
    file('library.js', 'text/javascript', code),
    file(
      'paper.pdf',
      'application/pdf',
      `%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(${code})>>>>endobj ${script}`,
    ),
    // Each of these is two things at once.
    file('html.png', 'image/png', `\x89PNG\r\n\x1a\n${script}`),
    file('script.gif', 'image/gif', `GIF89a/*\0\0*/=0;${code}`),
    file('picture.html', 'text/html', `GIF89a${script}`),
    textFile('html.txt', script),
    textFile('script.txt', code),
  ];
  await upload(page, files);

  const visit = async (address: string) => {
    const tab = await page.context().newPage();
    // A download ends the visit before there is a page.
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

  // A row that comes moves the others, perhaps under the pointer.
  for (const { name } of files) await expect(row(page, name)).toBeVisible();
  for (const { name } of files) {
    await row(page, name).getByRole('gridcell', { name, exact: true }).click();
    await expect(preview(page, name)).toBeVisible();
    await expect(preview(page, name).locator('iframe, object, embed, script')).toHaveCount(0);
    await page.keyboard.press('Escape');
    const { id } = await fileCalled(site, person, name);
    for (const purpose of ['preview', 'download']) {
      const { answer } = await site.call(person, 'POST', '/api/attachments/links', {
        attachmentIds: [id],
        purpose,
      });
      const address = String(answer['path']);
      expect(await visit(address), `${name} as ${purpose}`).not.toBe('ran');
      expect(await loadAsScript(address), `${name} as ${purpose}`).toBe('refused');
    }
  }
  expect(await page.evaluate(() => window.localStorage.getItem('ran'))).toBeNull();
  await expect(page).not.toHaveTitle(/ran/);

  // The same contents would have run if they were served as what they claim to be.
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

test('on a phone files are uploaded, looked at and shared, by thumb (K7, G4)', async ({
  otherBrowser,
  site,
}) => {
  const page = await otherBrowser({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
  await openFiles(page, await site.member());
  await upload(
    page,
    textFile('a name that is much longer than a phone is wide, and then some more.txt', 'hi'),
  );
  await expectNoViolation(page, 'the list on a phone');
  await dock(page).getByRole('button', { name: 'Close the uploads' }).tap();
  await row(page, 'a name that is').getByText('a name that is').tap();
  await expect(page.getByRole('dialog')).toContainText('hi');
  await page.getByRole('dialog').getByRole('button', { name: 'More' }).tap();
  await page.getByRole('menuitem', { name: 'Share' }).tap();
  await page.getByLabel('Everyone here').check();
  await page.getByRole('button', { name: 'Save' }).tap();
  await expect(page.getByText(/: shared with everyone\.$/)).toBeVisible();
});

/** The names of the entries of a ZIP, from its central directory. */
function namesInZip(zip: Buffer): string[] {
  const names: string[] = [];
  for (let at = zip.indexOf('PK\u0001\u0002'); at >= 0; at = zip.indexOf('PK\u0001\u0002', at + 46))
    names.push(zip.subarray(at + 46, at + 46 + zip.readUInt16LE(at + 28)).toString('utf8'));
  return names;
}
