/** Administration of people (K3, F5, F6). */
import { openAsAdministrator, expect, test } from '../fixtures/site-test.ts';
import { getDialog, getSidePanel, getRow, searchFor } from './list-page.ts';

test('many people or all matches are disabled and enabled by Undo; skipped people are shown with the reason (K3)', async ({
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

  const confirmation = page.getByRole('dialog', { name: /^Disable/ });
  const all = page.getByRole('checkbox', { name: 'Select all matching rows' });
  const openConfirmation = async (search: string) => {
    // The checkbox must apply to the search text that was typed directly before.
    await page.getByRole('searchbox').fill(search);
    await all.click();
    await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Disable' }).click();
  };
  await openConfirmation('Many ');
  await expect(confirmation.getByRole('button', { name: 'Disable: 2 people' })).toBeVisible();
  await expect(confirmation.getByText('You are not included.')).toBeVisible();
  // Another administrator disables one of the two people first. The result reports this person by name.
  await site.callAsAdmin('POST', `/api/people/${await site.getPersonId(people[0]!)}/disable`);
  await confirmation.getByRole('button', { name: 'Disable: 2 people' }).click();
  const skipped = getDialog(page, '1 person skipped');
  await expect(skipped.locator('.person')).toContainText('Many One');
  await expect(skipped.locator('.person')).toContainText(people[0]!.email);
  await skipped.getByRole('button', { name: 'Close' }).last().click();
  await openConfirmation(site.administrator.email);
  await confirmation.getByRole('button', { name: 'Disable: 1 person' }).click();
  await expect(getDialog(page, '1 person skipped').getByText('This is you.')).toBeVisible();
});

test("a person's page shows their details, events and sign-ins (K3)", async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'the address belongs to another person');
  const person = await site.createMember({ name: 'Paula Page' });
  // Creates the first sign-in, because a sign-up does not count as a sign-in.
  await site.call(person, 'GET', '/api/users/me');
  await openAsAdministrator(page, site, '/layout/people');
  await searchFor(page, person.email);
  await getRow(page, person.email)
    .getByRole('gridcell', { name: `Paula Page ${person.email}` })
    .click();
  const sidePanel = getSidePanel(page, 'Paula Page');
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
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Change details' }).click();
  const details = getDialog(page, 'Change details: Paula Page');
  await details.getByLabel('Name').fill('Paula Married');
  await details.getByLabel('E-mail address').fill(site.administrator.email);
  await details.getByRole('button', { name: 'Save' }).click();
  await expect(details.getByText('Another person has this address. Enter another one.')).toBeVisible();
  await details.getByLabel('E-mail address').fill(`married.${person.email}`);
  await details.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Paula Married');
  await expect(
    page.getByRole('button', { name: /^Changed details: .*Paula Page → Paula Married/ }),
  ).toBeVisible();
});
