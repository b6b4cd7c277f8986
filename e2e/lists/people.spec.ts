/** Administration of people (K3, F5, F6). */
import { openAsAdministrator, expect, test } from '../fixtures/site-test.ts';
import { getDialog, getSidePanel, getRow, searchFor } from './list-page.ts';

test('many people are disabled together and enabled by Undo; the acting administrator is skipped with the reason (K3)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/ERR_FAILED/, 'the first Undo does not reach the server');
  const people = [
    await site.createMember({ name: 'Many One' }),
    await site.createMember({ name: 'Many Two' }),
  ];
  await openAsAdministrator(page, site, '/layout/people');
  for (const name of ['Many One', 'Many Two', site.administrator.name]) {
    await searchFor(page, name);
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
  }
  const selected = page.getByRole('group', { name: 'Selected rows' });
  const disable = selected.getByRole('button', { name: 'Disable 2 of 3' });
  await expect(disable).toHaveAccessibleDescription('Unchanged: you.');
  await disable.dblclick();
  await expect(page.getByText('2 people disabled.')).toBeVisible();
  await expect(selected).toHaveCount(0);
  for (const person of people) expect((await site.call(person, 'GET', '/api/users/me')).status).toBe(403);
  await page.route('**/api/people/actions', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('alert')).toContainText('Check your connection');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Control+z');
  await expect(page.getByText('2 people enabled again.')).toBeVisible();
  for (const person of people) expect((await site.call(person, 'GET', '/api/users/me')).status).toBe(200);
});

test('a bulk action for all matches skips the administrator and reports skipped people by name (K3)', async ({
  page,
  site,
}) => {
  const mark = `among${process.pid}`;
  const one = await site.createMember({ name: `${mark} One` });
  await site.createMember({ name: `${mark} Two` });
  await openAsAdministrator(page, site, '/layout/people');
  const confirmation = page.getByRole('dialog', { name: /^Disable/ });
  const all = page.getByRole('checkbox', { name: 'Select all matching rows' });
  const openConfirmation = async (search: string) => {
    // The checkbox must apply to the search text that was typed directly before.
    await page.getByRole('searchbox').fill(search);
    await all.click();
    await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Disable' }).click();
  };
  await openConfirmation(mark);
  await expect(confirmation.getByRole('button', { name: 'Disable: 2 people' })).toBeVisible();
  await expect(confirmation.getByText('You are not included.')).toBeVisible();
  // Another administrator disables one of the two people first. The result reports this person by name.
  await site.callAsAdmin('POST', `/api/people/${await site.getPersonId(one)}/disable`);
  await confirmation.getByRole('button', { name: 'Disable: 2 people' }).click();
  const skipped = getDialog(page, '1 person skipped');
  await expect(skipped.locator('.person')).toContainText(`${mark} One`);
  await expect(skipped.locator('.person')).toContainText(one.email);
  await skipped.getByRole('button', { name: 'Close' }).last().click();
  await openConfirmation(site.administrator.email);
  await confirmation.getByRole('button', { name: 'Disable: 1 person' }).click();
  await expect(getDialog(page, '1 person skipped').getByText('This is you.')).toBeVisible();
});

test('the second of two administrators acting on one person sees the new state and the updated row (K3)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'the other one was quicker');
  const person = await site.createMember({ name: 'Twice Changed' });
  await openAsAdministrator(page, site, '/layout/people');
  await searchFor(page, person.email);
  await getRow(page, person.email).getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Make administrator' }).click();
  await site.callAsAdmin('POST', `/api/people/${await site.getPersonId(person)}/disable`);
  await getDialog(page, /Make administrator/)
    .getByRole('button', { name: 'Make administrator' })
    .click();
  await expect(
    page.getByText(`has changed ${person.email} in the meantime (role: member, status: disabled)`),
  ).toBeVisible();
  await expect(getRow(page, person.email)).toContainText('Disabled');
});

test("a person's page shows their details, events and sign-ins (K3)", async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 404/, 'the last id is unknown');
  const person = await site.createMember({ name: 'Paula Page' });
  // Creates the first sign-in, because a sign-up does not count as a sign-in.
  await site.call(person, 'GET', '/api/users/me');
  const mayRemove = Promise.withResolvers<void>();
  await page.route('**/api/people/*', async (route) => {
    if (route.request().method() === 'DELETE') await mayRemove.promise;
    await route.continue();
  });
  await openAsAdministrator(page, site, '/layout/people');
  await searchFor(page, person.email);
  await getRow(page, person.email)
    .getByRole('gridcell', { name: `Paula Page ${person.email}` })
    .click();
  const sidePanel = getSidePanel(page, 'Paula Page');
  // The side panel and the list show the same picture.
  const inList = getRow(page, person.email).locator('.avatar').first();
  const picture = sidePanel.locator('.side-panel-title .avatar');
  await expect(picture).toHaveAttribute('data-initials', 'PP');
  await expect(picture).toHaveAttribute('style', (await inList.getAttribute('style')) ?? '');
  expect((await picture.boundingBox())?.width).toBe((await inList.boundingBox())?.width);
  await expect(sidePanel.getByRole('region', { name: 'What happened' })).toContainText(
    'Accepted the invitation',
  );
  await sidePanel.getByRole('link', { name: 'Open the whole page' }).click();
  await page.waitForURL('**/layout/people/*');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Paula Page');
  await expect(page.getByRole('region', { name: 'Sign-ins' }).getByRole('listitem').first()).toContainText(
    'from ',
  );
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Make administrator' }).click();
  await getDialog(page, /Make administrator/)
    .getByRole('button', { name: 'Make administrator' })
    .click();
  const change = page.getByRole('button', { name: 'Changed the role: Member → Administrator' });
  await expect(change).toBeVisible();
  await change.click();
  const entry = getDialog(page, 'Changed the role');
  await expect(entry).toContainText(site.administrator.email);
  for (const name of [site.administrator.name, 'Paula Page'])
    await expect(entry.locator('.person-called').getByText(name, { exact: true })).toBeVisible();
  await expect(page.getByRole('row', { name: 'Role Member Administrator' })).toBeVisible();
  await page.keyboard.press('Escape');
  // If the user opens another screen during the removal, that screen stays when the removal is completed.
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const removal = page.waitForRequest((request) => request.method() === 'DELETE');
  await getDialog(page, 'Remove: Paula Page').getByRole('button', { name: 'Remove' }).click();
  await removal;
  await page.goBack();
  await expect(page).toHaveURL(/\/layout\/people\?.*show=/);
  mayRemove.resolve();
  await expect(page.getByText('Paula Page was removed.')).toBeVisible();
  await expect(page).toHaveURL(/show=/);
  await page.goto('/layout/people/0192f0c1-2345-7abc-8def-0123456789ab');
  await expect(page.getByText('No such person')).toBeVisible();
});
