/**
 * Sharing files with people and with everyone, multi-selection, and the area on a phone (K7). See also
 * attachments.spec.ts.
 */
import { readFile } from 'node:fs/promises';
import {
  chooseAction,
  getDialog,
  getUploadPanel,
  findFile,
  openFiles,
  openOwnFiles,
  getPreview,
  getRow,
  createTextFile,
  upload,
} from './attachment-page.ts';
import { expectNoViolation } from '../screens/axe.ts';
import { expect, fillSignIn, test } from '../fixtures/site-test.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

test('a shared file opens by its link after a sign-in, until sharing ends (K7)', async ({
  page,
  site,
  otherBrowser,
  expectConsole,
}) => {
  expectConsole(/status of 404/, 'a file that is not shared is reported as not found');
  const [owner, friend] = [
    await site.createMember({ name: 'Olga Owner' }),
    await site.createMember({ name: 'Fred Friend' }),
  ];
  await openFiles(page, owner);
  await upload(page, createTextFile('plan.txt', 'the plan'));
  const { id } = await findFile(site, owner, 'plan.txt');

  // The link survives the sign-in and shows a message if the file is not shared.
  const other = await otherBrowser();
  await other.goto(`/attachment?file=${id}`);
  await fillSignIn(other, friend);
  await expect(getDialog(other, 'You cannot open this file')).toContainText('Ask the person who sent you');
  await expectNoViolation(other, 'a file of others');

  await chooseAction(page, 'plan.txt', 'Share');
  const sharing = getDialog(page, 'Share plan.txt');
  await sharing.getByLabel('Specific people').check();
  await sharing.getByLabel('E-mail address').fill('absent@example.com');
  // An unresolved name blocks saving with a message.
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(sharing.getByText('Add the person you typed')).toBeVisible();
  await sharing.getByRole('button', { name: 'Add' }).click();
  await expect(sharing.getByText('No member has this address.')).toBeVisible();
  await sharing.getByLabel('E-mail address').fill(friend.email);
  await page.keyboard.press('Enter');
  const shared = sharing.getByRole('list', { name: 'Shared with' });
  await expect(shared).toContainText('Fred Friend');
  const list = Promise.withResolvers<void>();
  await page.route('**/api/attachments?*', (route) => list.promise.then(() => route.continue()));
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('plan.txt: shared with 1 person.')).toBeVisible();
  // The row still has the version from before saving.
  await chooseAction(page, 'plan.txt', 'Share');
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(sharing).toHaveCount(0);
  list.resolve();
  await expect(getRow(page, 'plan.txt')).toContainText('1 person');

  await other.reload();
  await expect(getPreview(other, 'plan.txt')).toContainText('the plan');
  await other.keyboard.press('Escape');
  await other.getByRole('radio', { name: 'Shared with me' }).check({ force: true });
  await expect(getRow(other, 'plan.txt')).toContainText('Olga Owner');
  await getRow(other, 'plan.txt').getByRole('button', { name: 'Actions' }).click();
  await expect(other.getByRole('menuitem', { name: 'Download' })).toBeVisible();
  for (const name of ['Rename', 'Share', 'Delete'])
    await expect(other.getByRole('menuitem', { name, exact: true })).toHaveCount(0);
  await other.keyboard.press('Escape');
  await other.getByRole('radio', { name: 'Mine' }).check({ force: true });
  await expect(other.getByText('No matches for these filters')).toBeVisible();

  await chooseAction(page, 'plan.txt', 'Share');
  await getDialog(page, 'Share plan.txt')
    .getByRole('radio', { name: /^No one/ })
    .check();
  await getDialog(page, 'Share plan.txt').getByRole('button', { name: 'Save' }).click();
  await expect(getRow(page, 'plan.txt')).toContainText('No one');
  expect((await site.call(friend, 'GET', `/api/attachments/${id}`)).status).toBe(404);
});

test('an administrator shares with partial names, chooses between matches, and shares with an invitee (K7)', async ({
  page,
  site,
}) => {
  const mark = `q${process.pid}`;
  for (const name of [`Grace Hopper${mark}`, `Ann${mark} One`, `Ann${mark} Two`])
    await site.createMember({ name });
  const invited = createPerson('Ida Invited');
  await site.invite(invited.email);
  await openOwnFiles(page, site);
  await upload(page, createTextFile(`names-${mark}.txt`, 'for some'));
  await chooseAction(page, `names-${mark}.txt`, 'Share');
  const sharing = getDialog(page, `Share names-${mark}.txt`);
  await sharing.getByLabel('Specific people').check();
  const field = sharing.getByLabel('Name or e-mail address');
  const shared = sharing.getByRole('list', { name: 'Shared with' });
  await field.fill(`hopper${mark}`);
  await page.keyboard.press('Enter');
  await expect(shared).toContainText(`Hopper${mark}`);
  await field.fill(`ann${mark}`);
  await page.keyboard.press('Enter');
  await expect(sharing.getByText('Choose one from the list.')).toBeVisible();
  const found = sharing.getByRole('list', { name: 'Found' }).getByRole('button');
  await expect(found).toHaveCount(2);
  await found.filter({ hasText: 'Two' }).click();
  await expect(shared).toContainText(`Ann${mark} Two`);
  await expect(field).toHaveValue('');
  await page.keyboard.type(invited.email);
  await page.keyboard.press('Enter');
  await expect(shared).toContainText('Invited: will see it after joining.');
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`waiting for ${invited.email}`)).toBeVisible();

  await site.signUp(invited, await site.linkTo(invited.email));
  expect((await findFile(site, invited, `names-${mark}.txt`)).size).toBe('for some'.length);
});

test('files are renamed, deleted, restored, downloaded as one ZIP and shared together (K7)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/ERR_FAILED/, 'the first Undo and one of the shared files do not reach the server');
  expectConsole(/status of 400/, 'the server refuses a name with a slash');
  await openOwnFiles(page, site);
  await upload(page, [createTextFile('draft.txt', '1'), createTextFile('other.txt', '2')]);
  await chooseAction(page, 'draft.txt', 'Rename');
  const renaming = getDialog(page, 'Rename');
  await renaming.getByLabel('Name').fill('a/b');
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await expect(renaming.getByText('A file name cannot contain')).toBeVisible();
  await renaming.getByLabel('Name').fill('final.txt');
  await page.keyboard.press('Enter');
  await expect(getRow(page, 'final.txt')).toBeVisible();

  await chooseAction(page, 'final.txt', 'Delete');
  await expect(page.getByText('final.txt is deleted.')).toBeVisible();
  await expect(getRow(page, 'final.txt')).toHaveCount(0);
  await page.route('**/undo', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('alert')).toContainText('Check your connection');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(getRow(page, 'final.txt')).toBeVisible();

  for (const name of ['final.txt', 'other.txt'])
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
  await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
  await expect(getRow(page, 'final.txt')).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(getRow(page, 'final.txt')).toBeVisible();
  await expect(getRow(page, 'other.txt')).toBeVisible();

  const friend = await site.createMember({ name: 'Fay Friend' });
  for (const name of ['final.txt', 'other.txt'])
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Download' }).click();
  const saved = await downloading;
  expect(saved.suggestedFilename()).toMatch(/\.zip$/);
  const bytes = await readFile(await saved.path());
  expect(namesInZip(bytes).toSorted()).toEqual(['final.txt', 'other.txt']);

  await page
    .getByRole('group', { name: 'Selected rows' })
    .getByRole('button', { name: 'Share', exact: true })
    .click();
  const sharing = getDialog(page, 'Share 2 files');
  await expect(sharing).toContainText('This replaces how each of these files is shared now');
  await expect(sharing.getByLabel('Name or e-mail address')).toBeFocused();
  await page.keyboard.type(`${friend.email}\n`);
  await expect(sharing.getByRole('list', { name: 'Shared with' })).toContainText('Fay Friend');
  const { id } = await findFile(site, site.administrator, 'other.txt');
  await page.route(`**/api/attachments/${id}/sharing*`, (route) => route.abort(), { times: 1 });
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(sharing.locator('form').getByRole('alert')).toContainText('Check your connection');
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('2 files: shared with 1 person.')).toBeVisible();
  for (const name of ['final.txt', 'other.txt']) await expect(getRow(page, name)).toContainText('1 person');
  await expect(page.getByRole('group', { name: 'Selected rows' })).toHaveCount(0);
});

test('files can be uploaded, viewed and shared on a phone (K7, G4)', async ({ otherBrowser, site }) => {
  const page = await otherBrowser({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
  await openOwnFiles(page, site);
  await upload(
    page,
    createTextFile('a name that is much longer than a phone is wide, and then some more.txt', 'hi'),
  );
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await getUploadPanel(page).getByRole('button', { name: 'Close the uploads' }).tap();
  await getRow(page, 'a name that is').getByText('a name that is').tap();
  await expect(page.getByRole('dialog')).toContainText('hi');
  await page.getByRole('dialog').getByRole('button', { name: 'More' }).tap();
  await page.getByRole('menuitem', { name: 'Share' }).tap();
  await page.getByLabel('Everyone here').check();
  await page.getByRole('button', { name: 'Save' }).tap();
  await expect(page.getByText(/: shared with everyone\.$/)).toBeVisible();
});

/** Reads the entry names from the central directory of a ZIP. */
function namesInZip(zip: Buffer): string[] {
  const names: string[] = [];
  for (let at = zip.indexOf('PK\u0001\u0002'); at >= 0; at = zip.indexOf('PK\u0001\u0002', at + 46))
    names.push(zip.subarray(at + 46, at + 46 + zip.readUInt16LE(at + 28)).toString('utf8'));
  return names;
}
