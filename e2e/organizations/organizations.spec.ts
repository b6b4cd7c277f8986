/** Organizations of site administrators: creating, members, roles, suspending and deleting (R1 to R4). */
import { setTimeout as delay } from 'node:timers/promises';
import { createOrganization, test } from '../fixtures/organizations-test.ts';
import { expect, openAsAdministrator } from '../fixtures/site-test.ts';
import { chooseRowAction, getRow } from '../lists/list-page.ts';
import { expectNoViolation } from '../screens/axe.ts';

// The last day of an organization is a day of the browser's time zone.
test.use({ timezoneId: 'America/New_York' });

test('an administrator creates an organization, adds people, gives a role, suspends and deletes it (R1)', async ({
  page,
  site,
}) => {
  const [manager, member] = [
    await site.createMember({ name: 'Mara Manager' }),
    await site.createMember({ name: 'Otto Other' }),
  ];
  await openAsAdministrator(page, site, '/layout/settings/organizations');
  await expect(page.getByText('There are none yet.')).toBeVisible();
  await page.getByRole('link', { name: 'Open organizations' }).click();
  await expect(page.getByText('No organizations yet')).toBeVisible();

  await page.getByRole('button', { name: 'New organization' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Müller & Söhne');
  await expect(page.getByRole('textbox', { name: 'Short name' })).toHaveValue('mueller-soehne');
  await page.getByRole('spinbutton', { name: 'Seats' }).fill('2');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await expect(page.getByText('Müller & Söhne has been created.')).toBeVisible();
  const name = 'Müller & Söhne';
  const row = getRow(page, name);
  await expect(row).toContainText('mueller-soehne');
  // All columns fit in a window of 1280 pixels.
  await expect(page.getByRole('columnheader', { name: 'Created' })).toBeInViewport({ ratio: 1 });

  await row.getByRole('gridcell').first().click();
  await expect(page.getByText('No members yet')).toBeVisible();
  await expectNoViolation(page, 'an organization without members');
  for (const person of [manager, member]) {
    await page.getByRole('button', { name: 'Add a person' }).click();
    await page.getByLabel('Name or e-mail').fill(person.email);
    await page.getByRole('button', { name: `Add ${person.name}` }).click();
    await expect(getRow(page, person.email)).toContainText('Member');
  }
  await chooseRowAction(page, manager.email, 'Give the role Manager');
  await expect(getRow(page, manager.email)).toContainText('Manager');
  // The menu has the entry without a reload, which removes the message of the changed role.
  const entry = page.getByRole('navigation').getByRole('link', { name: 'Organizations' });
  await expect(entry).toBeVisible();
  await page.reload();
  await entry.click();

  await chooseRowAction(page, name, 'Suspend');
  await expect(row).toContainText('Suspended');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row).toContainText('Active');
  await chooseRowAction(page, name, 'Change');
  await page.getByLabel('Last day').fill('2030-12-31');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`${name} has been changed.`)).toBeVisible();
  // Midnight in New York.
  expect(await site.sql('select expires_at from organizations')).toEqual([
    { expires_at: new Date('2031-01-01T05:00:00Z') },
  ]);
  // A time within a day, set by a program, survives a change of other fields.
  const end = '2030-06-01T12:00:00.000Z';
  await site.sql('update organizations set expires_at = $1', [end]);
  await page.reload();
  await chooseRowAction(page, name, 'Change');
  await expect(page.getByLabel('Last day')).toHaveValue('2030-06-01');
  await page.getByRole('spinbutton', { name: 'Seats' }).fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await site.sql('select seat_limit, expires_at from organizations')).toEqual([
    { seat_limit: 3, expires_at: new Date(end) },
  ]);
  // Until the row is refreshed, other changes of it are refused.
  await expect(row.locator('[col-id="seatLimit"]')).toHaveText('3');
  await chooseRowAction(page, name, 'Suspend');
  await expect(row).toContainText('Suspended');
  await row.getByRole('gridcell').first().click();
  await expect(page.getByText('people cannot be invited to it')).toBeVisible();
  const tabs = page.getByRole('navigation', { name: 'Organization', exact: true });
  await tabs.getByRole('link', { name: 'Invitations' }).click();
  await expect(page.getByText('No invitations yet')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Invite someone' })).toHaveCount(0);
  await entry.click();
  await chooseRowAction(page, name, 'Delete');
  await expect(page.getByText('The memberships of 2 people end.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete organization' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await page.getByLabel('Enter the short name').fill('mueller-soehne');
  await page.getByRole('button', { name: 'Delete organization' }).click();
  await expect(page.getByText('No organizations yet')).toBeVisible();
});

test('an administrator creates a role, changes its permissions and deletes it (R3)', async ({
  page,
  site,
}) => {
  await site.callAsAdmin('POST', '/api/organizations', { name: 'Roles', slug: 'roles' });
  const address = '/layout/settings/organizations';
  // A slow connection: a dialog opened before the roles are loaded would offer no permissions.
  await page.route('**/api/organization-roles', async (route) => {
    await delay(500);
    await route.continue();
  });
  await openAsAdministrator(page, site, address);
  await expect(async () => {
    // Until the configuration has the organizations, the address shows the dashboard.
    await page.goto(address);
    await expect(page.getByRole('button', { name: 'New role' })).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await page.getByRole('button', { name: 'New role' }).click();
  await page.unroute('**/api/organization-roles');
  await page.getByRole('button', { name: 'Create role' }).click();
  await expect(page.getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Name', { exact: true }).fill('Recruiter');
  await page.getByLabel('Invite, resend, renew and revoke').check();
  await expectNoViolation(page, 'a new role');
  await page.getByRole('button', { name: 'Create role' }).click();
  await expect(page.getByText('The role Recruiter has been created.')).toBeVisible();
  await page.getByRole('button', { name: 'Actions for Recruiter' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await expect(page.getByLabel('Invite, resend, renew and revoke')).toBeChecked();
  await page.getByLabel('See all members').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('0 members · ')).toContainText('See all members');
  await page.getByRole('button', { name: 'Actions for Recruiter' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete role' }).click();
  await expect(page.getByText('Recruiter', { exact: true })).toHaveCount(0);
});

test('the search for a person to add waits for a pause in typing (R1)', async ({ page, site }) => {
  const member = await site.createMember({ name: 'Otto Other' });
  const { address } = await createOrganization(site, {});
  await openAsAdministrator(page, site, `${address}/members`);
  const searches: (string | null)[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/people') searches.push(searchParams.get('search'));
  });
  await page.getByRole('button', { name: 'Add a person' }).click();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByLabel('Name or e-mail').pressSequentially(member.email);
  await page.clock.runFor(149);
  expect(searches).toEqual([]);
  await page.clock.resume();
  await expect(page.getByRole('button', { name: `Add ${member.name}` })).toBeVisible();
  expect(searches).toEqual([member.email]);
});
