/** Lists on the real server: stored columns, named views, exports and live updates. */
import { readFile } from 'node:fs/promises';
import readWorkbook from 'read-excel-file/node';
import { openAsAdministrator, expect, test, type Page } from '../fixtures/site-test.ts';
import { createPerson, type Site } from '../../packages/testing/src/site.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const header = (page: Page, name: string) => page.getByRole('columnheader', { name });
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

async function openInvitations(page: Page, site: Site): Promise<void> {
  await openAsAdministrator(page, site, '/layout/invitations');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
}

async function filterStatus(page: Page, label: string): Promise<void> {
  await button(page, 'Filter Status').click();
  await page.getByRole('dialog').getByLabel(label).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
}

async function invited(site: Site): Promise<{ id: string; email: string }> {
  const { email } = createPerson();
  return { id: (await site.invite(email)).id, email };
}

test('a tab shows its part of the list and survives a reload; columns are stored per person, and a view restores its filters (J2, K2)', async ({
  page,
  site,
}) => {
  const tab = (name: string) =>
    page.getByRole('group', { name: 'Invitations: which ones' }).getByRole('button', { name });
  const [pending, revoked] = [await invited(site), await invited(site)];
  await site.callAsAdmin('POST', `/api/invitations/${revoked.id}/revoke`);
  await openInvitations(page, site);
  await expect(tab('All')).toHaveAttribute('aria-pressed', 'true');
  await tab('Waiting').click();
  await expect(row(page, revoked.email)).toHaveCount(0);
  await button(page, 'Filter Expires').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Next 7 days' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await page.getByRole('searchbox').fill(pending.email);
  await expect(page.getByText('1 invitation', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/tab=waiting.*q=|q=.*tab=waiting/);

  await page.reload();
  await expect(page.getByText('1 invitation', { exact: true })).toBeVisible();
  await expect(tab('Waiting')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('searchbox')).toHaveValue(pending.email);
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Expires: Next 7 days');

  await expect(tab('Waiting')).toHaveText(/^Waiting\d/);
  const before = Number((await tab('Waiting').textContent())?.replace('Waiting', ''));
  await invited(site);
  await expect(tab('Waiting')).toHaveText(`Waiting${before + 1}`);

  await tab('Joined').click();
  await page.goBack();
  await expect(tab('Waiting')).toHaveAttribute('aria-pressed', 'true');
  await page.goBack();
  await expect(tab('All')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('searchbox')).toHaveValue('');
  await expect(page.getByRole('list', { name: 'Filters' })).toHaveCount(0);

  await filterStatus(page, 'Revoked');
  await expect(row(page, revoked.email)).toBeVisible();
  const stateStored = page.waitForResponse((response) =>
    response.url().endsWith('/api/grids/invitations/state'),
  );
  await button(page, 'Columns').click();
  await page.getByRole('dialog').getByLabel('Role', { exact: true }).uncheck();
  await page.keyboard.press('Escape');
  expect((await stateStored).status()).toBe(200);
  await button(page, /^Views/).click();
  await page.getByRole('menuitem', { name: 'Save as view…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Taken back');
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  await expect(button(page, 'Views: Taken back')).toBeVisible();

  await page.goto('/layout/invitations');
  await expect(header(page, 'Status')).toBeVisible();
  await expect(header(page, 'Role')).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Filters' })).toHaveCount(0);
  await button(page, /^Views/).click();
  await page.getByRole('menuitem', { name: 'Taken back' }).click();
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Status: Revoked');
  await expect(row(page, revoked.email)).toBeVisible();
  await button(page, /^Views/).click();
  await page.getByRole('menuitem', { name: 'Reset to default' }).click();
  await expect(header(page, 'Role')).toBeVisible();
});

test('Back returns to the position in the list, and a link to the list opens its start (J2)', async ({
  page,
  site,
}) => {
  const group = `position-${process.pid}`;
  const rows = Array.from({ length: 60 }, (_, number) => ({ email: `${group}-${number}@example.com` }));
  await site.callAsAdmin('POST', '/api/invitations/batches', { rows }, { 'idempotency-key': group });
  await openInvitations(page, site);
  const firstRow = page.locator('.ag-row-first');
  const opened = page.locator('.ag-row[row-index="45"]');
  await expect(firstRow).toContainText('@example.com');
  await firstRow.hover();
  await page.mouse.wheel(0, 2_300);
  await opened.getByRole('gridcell').nth(1).click();
  await expect(page).toHaveURL(/show=/);
  const { search } = new URL(page.url());
  await page.locator('.ag-row[row-index="46"]').getByRole('gridcell').nth(1).click();
  await expect(page).not.toHaveURL((url) => url.search === search);
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Activity');

  await page.goBack();
  await expect(opened).toBeInViewport();
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Activity');
  await page.getByRole('link', { name: 'Invitations', exact: true }).click();
  await expect(firstRow).toContainText('@example.com');
  await expect(firstRow).toBeInViewport();
});

test('exports and actions exclude a deselected row, and an action on very many rows can be stopped (J2)', async ({
  page,
  site,
}) => {
  const group = `all-but-${process.pid}`;
  const [first, second, third] = [1, 2, 3].map((number) => `${group}-${number}@example.com`) as [
    string,
    string,
    string,
  ];
  for (const email of [first, second, third]) await site.invite(email);
  const other = await invited(site);
  await openInvitations(page, site);
  const save = async (kind: string) => {
    const download = page.waitForEvent('download');
    await button(page, 'Export invitations').click();
    await page.getByRole('menuitem', { name: kind }).click();
    const file = await download;
    return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
  };
  await page.getByRole('searchbox').fill(group);
  await expect(page.getByText('3 invitations', { exact: true })).toBeVisible();
  const workbook = await save('XLSX');
  expect(workbook.name).toBe('invitations.xlsx');
  const cells = (await readWorkbook(workbook.content)).flatMap(({ data }) => data.flat());
  for (const email of [first, second, third]) expect(cells).toContain(email);
  expect(cells).not.toContain(other.email);
  await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
  await row(page, second).getByRole('checkbox').click();
  const selected = page.getByRole('group', { name: 'Selected rows' });
  await expect(selected).toContainText('2 invitations selected');

  const csv = await save('2 selected: CSV');
  expect(csv.name).toBe('invitations.csv');
  const text = csv.content.toString('utf8');
  for (const email of [first, third]) expect(text).toContain(email);
  expect(text).not.toContain(second);

  await selected.getByRole('button', { name: 'Revoke' }).click();
  const confirmation = page.getByRole('dialog', { name: /^Revoke/ });
  await expect(confirmation).toContainText(
    'All that match the search and filters, except the 1 you deselected.',
  );
  await confirmation.getByRole('button', { name: /^Revoke/ }).click();
  await expect(row(page, first)).toContainText('Revoked');
  await expect(row(page, second)).toContainText('Pending');

  // An action on very many rows shows its progress and can be stopped.
  const selections: unknown[] = [];
  const rest = { all: { after: '0192f0c1-2345-7abc-8def-0123456789ab', total: 1 } };
  let response = () => {};
  await page.route('**/api/invitations/actions', async (route) => {
    selections.push((route.request().postDataJSON() as { selection: unknown }).selection);
    if (selections.length > 1) await new Promise<void>((resolve) => (response = resolve));
    await route.fulfill({ json: { done: 1, skipped: [], skippedCount: 0, rest } });
  });
  await page.getByRole('searchbox').fill('');
  await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
  await selected.getByRole('button', { name: 'Revoke' }).click();
  await confirmation.getByRole('button', { name: /^Revoke/ }).click();
  await expect(confirmation).toContainText(
    /^.*1 of [\d,]+ invitations\. If you stop, changes already made are kept\./,
  );
  await expect(confirmation.getByRole('progressbar')).toHaveAttribute('value', '1');
  await confirmation.getByRole('button', { name: 'Stop' }).click();
  await expect(confirmation.getByRole('button', { name: 'Stopping…' })).toBeVisible();
  response();
  await expect(confirmation).toHaveCount(0);
  await expect(page.getByText('2 invitations revoked. The links no longer work.')).toBeVisible();
  expect(selections).toEqual([{ all: { total: expect.any(Number) } }, rest]);
});
