/** The lists on the real server: kept columns, named views, files of all that match, and what changes elsewhere. */
import { readFile } from 'node:fs/promises';
import readWorkbook from 'read-excel-file/node';
import { expect, signIn, test, type Page } from './journey.ts';
import { somebody, type Site } from './running-site.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const header = (page: Page, name: string) => page.getByRole('columnheader', { name });
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

async function openInvitations(page: Page): Promise<void> {
  await page.goto('/layout/invitations');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
}

async function filterStatus(page: Page, label: string): Promise<void> {
  await button(page, 'Filter Status').click();
  await page.getByRole('dialog').getByLabel(label).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
}

async function invited(site: Site): Promise<{ id: string; email: string }> {
  const { email } = somebody();
  return { id: (await site.invite(email)).id, email };
}

test('columns follow a person into another browser, and a view brings back its filters (J2)', async ({
  page,
  site,
  otherBrowser,
}) => {
  const revoked = await invited(site);
  await site.order('POST', `/api/invitations/${revoked.id}/revoke`);
  await signIn(page, site.administrator);
  await openInvitations(page);
  await filterStatus(page, 'Revoked');
  await expect(row(page, revoked.email)).toBeVisible();
  const kept = page.waitForResponse((answer) => answer.url().endsWith('/api/grids/invitations/state'));
  await button(page, 'Columns').click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).uncheck();
  await page.keyboard.press('Escape');
  expect((await kept).status()).toBe(200);
  await button(page, /^Views/).click();
  await page.getByRole('menuitem', { name: 'Save as a view …' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Taken back');
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  await expect(button(page, 'Views: Taken back')).toBeVisible();

  const elsewhere = await otherBrowser();
  await signIn(elsewhere, site.administrator);
  await openInvitations(elsewhere);
  await expect(header(elsewhere, 'Status')).toBeVisible();
  await expect(header(elsewhere, 'Name')).toHaveCount(0);
  await expect(elsewhere.getByRole('list', { name: 'Filters' })).toHaveCount(0);
  await button(elsewhere, /^Views/).click();
  await elsewhere.getByRole('menuitem', { name: 'Taken back' }).click();
  await expect(elsewhere.getByRole('list', { name: 'Filters' })).toContainText('Status: Revoked');
  await expect(row(elsewhere, revoked.email)).toBeVisible();
  await button(elsewhere, /^Views/).click();
  await elsewhere.getByRole('menuitem', { name: 'Everything as at the beginning' }).click();
  await expect(header(elsewhere, 'Name')).toBeVisible();
});

test('an export holds what the filters show, as CSV and as a workbook (J2)', async ({ page, site }) => {
  const [pending, revoked] = [await invited(site), await invited(site)];
  await site.order('POST', `/api/invitations/${revoked.id}/revoke`);
  await signIn(page, site.administrator);
  await openInvitations(page);
  await filterStatus(page, 'Revoked');
  await expect(row(page, revoked.email)).toBeVisible();
  await expect(row(page, pending.email)).toHaveCount(0);
  const save = async (kind: string) => {
    const download = page.waitForEvent('download');
    await button(page, 'Export invitations').click();
    await page.getByRole('menuitem', { name: kind }).click();
    const file = await download;
    return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
  };
  const csv = await save('CSV');
  expect(csv.name).toBe('invitations.csv');
  const text = csv.content.toString('utf8');
  expect(text).toContain(revoked.email);
  expect(text).not.toContain(pending.email);
  const workbook = await save('XLSX');
  expect(workbook.name).toBe('invitations.xlsx');
  const cells = (await readWorkbook(workbook.content)).flatMap(({ data }) => data.flat());
  expect(cells).toContain(revoked.email);
  expect(cells).not.toContain(pending.email);
});

test('an export holds the selected rows only, where one chooses that (J2)', async ({ page, site }) => {
  const [chosen, other] = [await invited(site), await invited(site)];
  await signIn(page, site.administrator);
  await openInvitations(page);
  await row(page, chosen.email).getByRole('checkbox').check();
  const download = page.waitForEvent('download');
  await button(page, 'Export invitations').click();
  await page.getByRole('menuitem', { name: '1 selected: CSV' }).click();
  const text = await readFile(await (await download).path(), 'utf8');
  expect(text).toContain(chosen.email);
  expect(text).not.toContain(other.email);
});

test('an invitation made elsewhere appears by itself (J2)', async ({ page, site }) => {
  await signIn(page, site.administrator);
  const connected = page.waitForResponse((answer) => answer.url().endsWith('/api/events'));
  await openInvitations(page);
  await connected;
  const { email } = await invited(site);
  await expect(row(page, email)).toBeVisible();
});
