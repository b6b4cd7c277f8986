/** The activity log: filtering, entries and verification (K4). */
import { openAsAdministrator, expect, test } from '../fixtures/site-test.ts';
import { getDialog, getRow, searchFor } from './list-page.ts';

test('the log is filtered, an entry shows its changes, and verification reports the result (K4)', async ({
  page,
  site,
}) => {
  const person = await site.createMember();
  await site.callAsAdmin('POST', `/api/people/${await site.getPersonId(person)}/disable`);
  await openAsAdministrator(page, site, '/layout/activity');
  await searchFor(page, person.email);
  await getRow(page, person.email).filter({ hasText: 'Disabled' }).getByRole('gridcell').first().click();
  await expect(page.getByRole('row', { name: 'Status Active Disabled' })).toBeVisible();
  await page.keyboard.press('Escape');

  // Entries are sealed every few seconds; sealed entries can be verified.
  const verify = async () => {
    await page.getByRole('button', { name: 'Verify the log' }).click();
    return getDialog(page, 'Verify the log');
  };
  await expect
    .poll(async () => (await site.sql('select count(*)::int as n from audit_chain'))[0]?.['n'])
    .toBeGreaterThan(0);
  const response = await verify();
  await expect(response).toContainText('Nothing was altered.');
  await expect(response).toContainText(/All \d+ entries since .* are unaltered/);
  await response.getByRole('button', { name: 'Close', exact: true }).last().click();

  const [{ id }] = (await site.sql('select min(id)::int as id from audit_log')) as [{ id: number }];
  await site.sql('alter table audit_log disable trigger user');
  await site.sql("update audit_log set target_label = target_label || 'x' where id = $1", [id]);
  const wrong = await verify();
  await expect(wrong).toContainText(
    `The log was altered. Entry ${id} of the log was altered after it was sealed.`,
  );
  await site.sql('update audit_log set target_label = left(target_label, -1) where id = $1', [id]);
  await site.sql('alter table audit_log enable trigger user');
});
