/** Lists on the real server: stored columns, named views, exports and live updates. */
import { readFile } from 'node:fs/promises';
import readWorkbook from 'read-excel-file/node';
import { openAsAdministrator, expect, signIn, test, type Page } from '../fixtures/site-test.ts';
import { createPerson, type Site } from '../fixtures/site.ts';

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

test('columns are stored per person, and a view restores its filters (J2)', async ({
  page,
  site,
  otherBrowser,
}) => {
  const revoked = await invited(site);
  await site.callAsAdmin('POST', `/api/invitations/${revoked.id}/revoke`);
  await openInvitations(page, site);
  await filterStatus(page, 'Revoked');
  await expect(row(page, revoked.email)).toBeVisible();
  const stateStored = page.waitForResponse((answer) => answer.url().endsWith('/api/grids/invitations/state'));
  await button(page, 'Columns').click();
  await page.getByRole('dialog').getByLabel('Role', { exact: true }).uncheck();
  await page.keyboard.press('Escape');
  expect((await stateStored).status()).toBe(200);
  await button(page, /^Views/).click();
  await page.getByRole('menuitem', { name: 'Save as view…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Taken back');
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  await expect(button(page, 'Views: Taken back')).toBeVisible();

  const elsewhere = await otherBrowser();
  await openInvitations(elsewhere, site);
  await expect(header(elsewhere, 'Status')).toBeVisible();
  await expect(header(elsewhere, 'Role')).toHaveCount(0);
  await expect(elsewhere.getByRole('list', { name: 'Filters' })).toHaveCount(0);
  await button(elsewhere, /^Views/).click();
  await elsewhere.getByRole('menuitem', { name: 'Taken back' }).click();
  await expect(elsewhere.getByRole('list', { name: 'Filters' })).toContainText('Status: Revoked');
  await expect(row(elsewhere, revoked.email)).toBeVisible();
  await button(elsewhere, /^Views/).click();
  await elsewhere.getByRole('menuitem', { name: 'Reset to default' }).click();
  await expect(header(elsewhere, 'Role')).toBeVisible();
});

test('a tab shows its part of the list with the count, and stays selected after a reload and Back (K2)', async ({
  page,
  site,
}) => {
  const tab = (name: string) =>
    page.getByRole('group', { name: 'Invitations: which ones' }).getByRole('button', { name });
  const [pending, revoked] = [await invited(site), await invited(site)];
  await site.callAsAdmin('POST', `/api/invitations/${revoked.id}/revoke`);
  // The window is wide enough for all columns.
  await page.setViewportSize({ width: 1800, height: 800 });
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

  await page.setViewportSize({ width: 320, height: 640 });
  await tab('Joined').click();
  await expect(tab('Joined')).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await page.goBack();
  await expect(tab('Waiting')).toHaveAttribute('aria-pressed', 'true');
  await page.goBack();
  await expect(tab('All')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('searchbox')).toHaveValue('');
  await expect(page.getByRole('list', { name: 'Filters' })).toHaveCount(0);

  // Invalid filters are ignored.
  const nonsense = '[{"column":"expiresAt","is":"between","from":"one day"}]';
  for (const wrong of ['filters=all', `filters=${encodeURIComponent(nonsense)}`, 'tab=x&sort=-&show=me&q=']) {
    await page.goto(`/layout/invitations?${wrong}`);
    await expect(tab('All')).toHaveAttribute('aria-pressed', 'true');
    await expect(row(page, revoked.email)).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
  }

  // The mouse wheel over rows scrolls the page when the list cannot scroll further.
  const scrolled = () => page.evaluate(() => scrollY);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await row(page, revoked.email).hover();
  expect(await scrolled()).toBeGreaterThan(0);
  const wheelUp = async () => {
    await page.mouse.wheel(0, -200);
    return scrolled();
  };
  await expect.poll(wheelUp).toBe(0);
});

test('on a phone rows show disabled people, failed mails and actions (K2, K3, K4)', async ({
  page,
  site,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const [active, disabled] = [await site.createMember(), createPerson()];
  disabled.email = `a-first-and-a-last-name-${process.pid}@department-of-long-names.example.com`;
  await site.signUp(disabled, (await site.invite(disabled.email)).link);
  await site.callAsAdmin('POST', `/api/people/${await site.getPersonId(disabled)}/disable`);
  await site.callAsAdmin('POST', `/api/people/${await site.getPersonId(active)}/role`, {
    role: 'admin',
  });
  const [fine, failed] = [await invited(site), await invited(site)];
  // When the mail has been sent, its state does not change any more.
  const mailState = async () =>
    (await site.sql('select mail_state from invitations where id = $1', [failed.id]))[0]?.['mail_state'];
  await expect.poll(mailState).toBe('sent');
  await site.sql(
    `update invitations set mail_state = 'failed', mail_failed_at = now(), mail_error = '550 No such mailbox' where id = $1`,
    [failed.id],
  );
  await openAsAdministrator(page, site, '/layout/people');
  await expect(row(page, disabled.email)).toContainText('Disabled');
  await expect(row(page, active.email)).toBeVisible();
  await expect(row(page, active.email)).not.toContainText('Active');
  // The confirmation shows the complete address, even if it is long.
  await row(page, disabled.email).getByRole('checkbox').click();
  await page
    .getByRole('group', { name: 'Selected rows' })
    .getByRole('button', { name: 'Make administrator' })
    .click();
  const address = page.getByRole('dialog').locator('.address-parts');
  await expect(address).toHaveText(disabled.email);
  const cut = await address.evaluate(
    (whole) =>
      [whole, ...whole.children].filter(
        ({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth,
      ).length,
  );
  expect(cut).toBe(0);
  await page.goto('/layout/invitations');
  await expect(row(page, failed.email)).toContainText(/Pending.*Failed/);
  await expect(row(page, fine.email)).toContainText('Pending');
  await expect(row(page, fine.email)).not.toContainText(/Sent|Queued/);
  await page.goto('/layout/activity');
  await expect(row(page, active.email).first()).toContainText('Changed the role: Member → Administrator');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});

test("a member's file columns are stored, and their view is private (J2)", async ({ page, site }) => {
  const person = await site.createMember();
  await signIn(page, person, '/attachment');
  const stateStored = page.waitForResponse((answer) => answer.url().endsWith('/api/grids/attachments/state'));
  await button(page, 'Columns').click();
  await page.getByRole('dialog').getByLabel('Type', { exact: true }).uncheck();
  await page.keyboard.press('Escape');
  expect((await stateStored).status()).toBe(200);
  await button(page, /^Views/).click();
  await page.getByRole('menuitem', { name: 'Save as view…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Without types');
  await expect(dialog.getByRole('checkbox')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expect(button(page, 'Views: Without types')).toBeVisible();
  await page.reload();
  await expect(header(page, 'Name')).toBeVisible();
  await expect(header(page, 'Type')).toHaveCount(0);
  await button(page, /^Views/).click();
  await expect(page.getByRole('menuitem', { name: 'Without types' })).toBeVisible();
});

test('an export contains the filtered rows, as CSV and as XLSX (J2)', async ({ page, site }) => {
  const [pending, revoked] = [await invited(site), await invited(site)];
  await site.callAsAdmin('POST', `/api/invitations/${revoked.id}/revoke`);
  await openInvitations(page, site);
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

test('a row deselected after selecting all matches is excluded from actions and exports (J2)', async ({
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
  await openInvitations(page, site);
  await page.getByRole('searchbox').fill(group);
  await expect(page.getByText('3 invitations', { exact: true })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
  await row(page, second).getByRole('checkbox').click();
  const selected = page.getByRole('group', { name: 'Selected rows' });
  await expect(selected).toContainText('2 invitations selected');

  const download = page.waitForEvent('download');
  await button(page, 'Export invitations').click();
  await page.getByRole('menuitem', { name: '2 selected: CSV' }).click();
  const text = await readFile(await (await download).path(), 'utf8');
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
});

test('an action on very many rows shows its progress and can be stopped (J2)', async ({ page, site }) => {
  const selections: unknown[] = [];
  const rest = { all: { after: '0192f0c1-2345-7abc-8def-0123456789ab', total: 1 } };
  let answer = () => {};
  await page.route('**/api/invitations/actions', async (route) => {
    selections.push((route.request().postDataJSON() as { selection: unknown }).selection);
    if (selections.length > 1) await new Promise<void>((resolve) => (answer = resolve));
    await route.fulfill({ json: { done: 1, skipped: [], skippedCount: 0, rest } });
  });
  for (let time = 0; time < 2; time += 1) await invited(site);
  await openInvitations(page, site);
  await page.getByRole('checkbox', { name: 'Select all matching rows' }).click();
  await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Revoke' }).click();
  const confirmation = page.getByRole('dialog', { name: /^Revoke/ });
  await confirmation.getByRole('button', { name: /^Revoke/ }).click();
  await expect(confirmation).toContainText(
    /^.*1 of [\d,]+ invitations\. If you stop, changes already made are kept\./,
  );
  await expect(confirmation.getByRole('progressbar')).toHaveAttribute('value', '1');
  await confirmation.getByRole('button', { name: 'Stop' }).click();
  await expect(confirmation.getByRole('button', { name: 'Stopping…' })).toBeVisible();
  answer();
  await expect(confirmation).toHaveCount(0);
  await expect(page.getByText('2 invitations revoked. The links no longer work.')).toBeVisible();
  expect(selections).toEqual([{ all: { total: expect.any(Number) } }, rest]);
});
