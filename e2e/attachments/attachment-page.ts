/** Locators and actions of the attachment area. */
import { expect, openAsAdministrator, signIn, type Page } from '../fixtures/site-test.ts';
import type { Person, Site } from '../../packages/testing/src/site.ts';

export const createTextFile = (name: string, text: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(text),
});

export const getFileInput = (page: Page) => page.locator('input[type="file"]');
export const getRow = (page: Page, name: string) => page.getByRole('row', { name });
export const getUploadPanel = (page: Page) => page.getByRole('region', { name: 'Uploads', exact: true });
export const getDialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
export const getPreview = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

export async function openFiles(page: Page, person: Person): Promise<void> {
  await signIn(page, person, '/attachment');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Attachments');
}

/** Opens the administrator's files without a sign-in. Other tests may have added files. */
export async function openOwnFiles(page: Page, site: Site): Promise<void> {
  await openAsAdministrator(page, site, '/attachment');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Attachments');
}

export async function upload(page: Page, files: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) {
  await getFileInput(page).setInputFiles(files);
  await expect(getUploadPanel(page).getByRole('heading')).toHaveText(/uploaded$/);
}

export async function chooseAction(page: Page, name: string, action: string): Promise<void> {
  await getRow(page, name).getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** Returns the newest file with a name, through the API. */
export async function findFile(site: Site, person: Person, name: string) {
  const { body } = await site.call(person, 'GET', `/api/attachments?search=${encodeURIComponent(name)}`);
  const [file] = body['rows'] as { id: string; sha256: string; size: number }[];
  if (!file) throw new Error(`${person.email} has no file ${name}`);
  return file;
}
