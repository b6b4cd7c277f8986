/** Files of removed people, and erasure by administrators (P2, P3). */
import { expectNoViolation } from '../screens/axe.ts';
import { openAsAdministrator, expect, test } from '../fixtures/site-test.ts';
import { getDialog, getRow, searchFor } from './list-page.ts';

test("a removed person's remaining files are deleted, and the person is erased by address (P2, P3)", async ({
  page,
  site,
}) => {
  const person = await site.createMember({ name: 'Erika Erasable' });
  await openAsAdministrator(page, site, '/layout/people');
  await searchFor(page, person.email);
  await getRow(page, person.email).getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const confirmation = getDialog(page, 'Remove: Erika Erasable');
  await expect(confirmation.getByLabel('Hand over to')).toBeVisible();
  await confirmation.getByText('Delete them after 30 days').click();
  await expect(confirmation.getByLabel('Hand over to')).toBeHidden();
  await confirmation.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Erika Erasable was removed.')).toBeVisible();

  await page.getByRole('button', { name: 'Removed people' }).click();
  const removed = getDialog(page, 'Removed people');
  // The field limits the length.
  await removed.getByLabel('Search').fill('z'.repeat(300));
  await expect(removed.getByText('Try fewer or different words.')).toBeVisible();
  await removed.getByLabel('Search').fill(person.email);
  const entry = removed.getByRole('listitem').filter({ hasText: person.email });
  await expect(entry.locator('.person')).toContainText('Erika Erasable');
  await expect(entry).toContainText(`Removed by ${site.administrator.name}`);
  await expectNoViolation(page, 'removed people');
  await removed.getByRole('button', { name: `Erase… ${person.email}` }).click();
  const erasing = getDialog(page, 'Erase someone');
  await erasing.getByLabel('Their e-mail address').fill('another@example.com');
  await erasing.getByRole('button', { name: 'Erase' }).click();
  await expect(erasing.getByText('Enter the address exactly as shown above.')).toBeVisible();
  await erasing.getByLabel('Their e-mail address').fill(person.email);
  await erasing.getByRole('button', { name: 'Erase' }).click();
  await expect(page.getByText(/Erased\. Erased person [0-9a-f]{8} now takes their place\./)).toBeVisible();
  await expect(removed.getByText('Try fewer or different words.')).toBeVisible();
  expect(JSON.stringify(await site.call(site.administrator, 'GET', '/api/activity?limit=500'))).not.toContain(
    person.email,
  );
});
