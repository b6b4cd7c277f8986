/** Applications: registering them, and opening them from the dashboard and the palette (S3, S5). */
import { test } from '../fixtures/organizations-test.ts';
import { expect, fillSignIn, openAsAdministrator, signIn, type Page } from '../fixtures/site-test.ts';
import { createPictureFile } from '../fixtures/sample-picture.ts';
import { chooseRowAction, getRow } from '../lists/list-page.ts';
import { expectNoViolation } from '../screens/axe.ts';

const tiles = (page: Page) => page.getByRole('main').getByRole('link', { name: /\.example\.com/ });
const dialog = (page: Page) => page.getByRole('dialog');

async function create(page: Page, name: string, access: () => Promise<unknown>): Promise<void> {
  await page.getByRole('button', { name: 'New application' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('textbox', { name: 'Address' }).fill(`https://${name.toLowerCase()}.example.com/`);
  await access();
  await page.getByRole('button', { name: 'Add application' }).click();
  await expect(dialog(page)).toHaveAccessibleName(`Set-up of ${name}`);
}

test('an administrator adds an application, and members with access open it (S3, S5)', async ({
  page,
  otherBrowser,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 40[09]/, 'the address is invalid, and the host name is taken');
  const member = await site.createMember({ name: 'Mia Member' });
  await openAsAdministrator(page, site, '/layout/dashboard');
  await expect(page.getByRole('heading', { name: 'Applications' })).toHaveCount(0);
  await page.getByRole('navigation').getByRole('link', { name: 'Applications' }).click();
  await expect(page.getByText('No applications yet')).toBeVisible();

  await page.getByRole('button', { name: 'New application' }).click();
  await page.getByRole('textbox', { name: 'Address' }).fill('https://wiki.example.com/page');
  await page.getByRole('button', { name: 'Add application' }).click();
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused();
  await expect(page.getByText('without a path or a user name')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Wiki');
  await page.getByLabel('Add users').selectOption('A person');
  await page.getByRole('button', { name: 'Add application' }).click();
  await expect(page.getByText('Add who may use it: choose, and press Add.')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();

  await create(page, 'Wiki', async () => {
    await page.locator('input[type="file"]').setInputFiles({
      ...createPictureFile('icon.png'),
      mimeType: 'image/png',
      buffer: createPictureFile('icon.png').contents,
    });
    await expect(page.getByAltText('Current icon')).toBeVisible();
    await page.getByLabel('Add users').selectOption('A person');
    await page.getByLabel('Name or e-mail').fill('Mia');
    await page.getByRole('button', { name: 'Add Mia Member' }).click();
  });
  await page.getByRole('button', { name: 'Close' }).last().click();
  await create(page, 'Calendar', async () => {
    await page.getByLabel('Add users').selectOption('A role of this site');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByLabel('Role', { exact: true }).selectOption('Administrators of this site');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Remove Members of this site' }).click();
    await expect(page.getByLabel('Add users')).toBeFocused();
  });
  await page.getByRole('button', { name: 'Check the set-up' }).click();
  await expect(dialog(page).getByText('The address answers')).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).last().click();
  await expect(getRow(page, 'Wiki')).toContainText('Mia Member');
  await expect(getRow(page, 'Calendar')).toContainText('Administrators of this site');
  await page.getByRole('searchbox').fill('cal');
  await expect(getRow(page, 'Wiki')).toHaveCount(0);

  await chooseRowAction(page, 'Calendar', 'Change');
  await page.getByRole('textbox', { name: 'Address' }).fill('https://wiki.example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page).getByText('Another application has this host name.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Address' }).fill('https://dates.example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(getRow(page, 'Calendar')).toContainText('https://dates.example.com');
  await page.goto('/layout/settings/tokens');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Purpose').fill('Nightly backup');
  await page.getByLabel('For', { exact: true }).selectOption('Only the application Calendar');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Nightly backup' })).toContainText(
    'Open one application',
  );
  await page.goto('/layout/dashboard');
  await expect(tiles(page)).toHaveText([/Calendar/]);
  const figure = page.getByRole('link', { name: 'Active people' });
  const label = (await figure.getByText('Active people').boundingBox())!;
  const number = (await figure.getByText(/^\d+$/).boundingBox())!;
  expect(number.y).toBeGreaterThanOrEqual(label.y + label.height);
  await page.getByRole('navigation').getByRole('link', { name: 'Applications' }).click();
  await chooseRowAction(page, 'Calendar', 'Remove');
  await page.getByRole('button', { name: 'Remove application' }).click();
  await expect(getRow(page, 'Calendar')).toHaveCount(0);

  const members = await otherBrowser();
  // The application does not exist.
  await members
    .context()
    .route('https://wiki.example.com/', (route) => route.fulfill({ contentType: 'text/html', body: 'Wiki' }));
  await signIn(members, member);
  await expect(tiles(members)).toHaveText([/Wiki/]);
  await members.keyboard.press('Control+k');
  await expect(dialog(members).getByRole('combobox')).toBeFocused();
  await members.keyboard.type('wik');
  const found = dialog(members).getByRole('group', { name: 'Applications' }).getByRole('option');
  await expect(found).toHaveText([/Wiki/]);
  await members.keyboard.press('Escape');
  await tiles(members).click();
  await expect(members).toHaveURL('https://wiki.example.com/');
});

test('a member without access to an application signs in with another account and continues to it; a member searches many (S3, S5)', async ({
  page,
  site,
}) => {
  const [outsider, member] = [
    await site.createMember({ name: 'Otto Outside' }),
    await site.createMember({ name: 'Mia Member' }),
  ];
  await signIn(page, outsider);
  await page.route('**/applications/start?*', (route) =>
    route.fulfill({ contentType: 'text/html', body: 'The application' }),
  );
  await page.goto('/layout/open-application?address=https%3A%2F%2Fwiki.example.com&to=%2Fpage&another=1');
  await expect(page.getByText(`You are signed in as ${outsider.email}`)).toBeVisible();
  await expectNoViolation(page, 'changing the account for an application');
  await page.getByRole('button', { name: 'Sign out and continue' }).click();
  await fillSignIn(page, member);
  await expect(page.getByText('The application')).toBeVisible();
  await expect(page).toHaveURL(
    '/applications/start?address=https%3A%2F%2Fwiki.example.com&to=%2Fpage&signedIn=1',
  );

  for (let number = 1; number <= 7; number += 1)
    await site.callAsAdmin('POST', '/api/applications', {
      name: `Tool ${number}`,
      address: `https://tool${number}.example.com`,
      access: [{ kind: 'everyone' }],
    });
  await page.goto('/layout/dashboard');
  await expect(tiles(page)).toHaveCount(7);
  await page.getByLabel('Search applications').fill('tool 3');
  await expect(tiles(page)).toHaveText([/Tool 3/]);
  await page.getByLabel('Search applications').fill('nothing');
  await expect(page.getByText('No application matches.')).toBeVisible();
});
