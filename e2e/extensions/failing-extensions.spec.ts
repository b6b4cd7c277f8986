/** Extensions whose screens, cards and columns fail. */
import { readFile } from 'node:fs/promises';
import { expect, openAsAdministrator } from '../fixtures/site-test.ts';
import { test } from '../fixtures/portal-test.ts';
import { expectNoViolation } from '../screens/axe.ts';

test('a screen, a card and search results that fail show an error in their place, and the rest works', async ({
  page,
  context,
  site,
  members,
  expectConsole,
}) => {
  expectConsole(/The faulty finder is not loaded/, 'the palette opens');
  expectConsole(/dynamically imported module|late-card/, 'the code of a card cannot be loaded');
  await context.route('**/assets/late-card-*.js', (route) => route.abort());
  await openAsAdministrator(page, site);
  const failed = page.locator('.card', { hasText: 'This card failed' });
  await expect(failed).toHaveCount(2);
  await expect(page.getByRole('heading', { name: 'My details' })).toBeVisible();
  await context.unroute('**/assets/late-card-*.js');
  await failed.last().getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'The late card' })).toBeVisible();
  await expect(failed).toHaveCount(1);
  await page.getByRole('navigation').getByRole('link', { name: 'Faulty' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page failed');
  await expectNoViolation(page, 'a screen that failed');
  await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
  await expect(page.getByRole('heading', { name: 'Activity' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(members.manager.email);
  await expect(page.getByRole('option', { name: /Mia Manager/ })).toBeVisible();
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Could not be loaded.');
  await expectNoViolation(page, 'a palette with a failed search');
  await page.getByRole('combobox').fill('tickets');
  await page.getByRole('option', { name: 'My tickets' }).click();
  await expect(page).toHaveURL('/layout/tickets');
});

test('a column of an extension is shown in the list of organizations but not exported; a failing column is empty', async ({
  page,
  site,
  members,
  expectConsole,
}) => {
  expectConsole(/No plans\./, 'the column in the list of people fails');
  const [organization] = await site.sql('select id from organizations where slug = $1', ['acme']);
  await site.sql(
    `insert into tickets (id, organization_id, subject, description, status, opened_at)
     select gen_random_uuid(), $1, 'Ticket ' || n, '', case n when 1 then 'closed' else 'open' end, now()
     from generate_series(1, 1235) n`,
    [organization?.['id']],
  );
  // Wide enough for all columns: the grid renders only visible ones.
  await page.setViewportSize({ width: 1600, height: 720 });
  await openAsAdministrator(page, site, '/layout/organizations');
  await expect(page.getByRole('columnheader', { name: 'Open tickets' })).toBeVisible();
  await expect(page.getByRole('gridcell', { name: /^1,23\d$/ })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Plan' })).toBeVisible();
  await expect(page.getByRole('gridcell', { name: `Plan of ${String(organization?.['id'])}` })).toBeVisible();
  await page.getByRole('button', { name: 'Export' }).click();
  const exported = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /CSV/ }).click();
  const file = await readFile(await (await exported).path(), 'utf8');
  expect(file).toContain('Acme');
  expect(file).not.toContain('Plan');
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  await expect(page.getByRole('columnheader', { name: 'Broken' })).toBeVisible();
  await expect(page.getByRole('gridcell', { name: members.manager.email })).toBeVisible();
});
