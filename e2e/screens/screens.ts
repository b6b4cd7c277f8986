/**
 * Every signed-in screen with its dialogs, panels and menus, for tests and screenshots. Add one entry per new
 * screen. Signed-out screens are tested separately.
 */
import { expect, type Page } from '@playwright/test';
import { chooseRowAction, getRow, searchFor } from '../lists/list-page.ts';
import { createPictureFile } from '../fixtures/sample-picture.ts';
import { createPerson, type Person, type Site } from '../../packages/testing/src/site.ts';

/** Data that the screens show. */
type Scene = {
  person: Person;
  personId: string;
  pending: string;
  expired: string;
  /** Id of a file of the administrator. */
  fileId: string;
};

/** A screen, or an overlay on it. */
export type ScreenView<Shown = Scene> = {
  name: string;
  /** URL to open. Default: the URL of the previous view. */
  url?: string | ((scene: Shown) => string);
  open?: (page: Page, scene: Shown) => Promise<unknown>;
  /** The view is positioned freely and closes when the window shrinks to the width of a phone. */
  isFloating?: true;
  /** The view does not exist on a phone, which uses other components. */
  isDesktopOnly?: true;
};

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const expectOpened = (page: Page) =>
  expect(page.getByRole('dialog').or(page.getByRole('menu')).last()).toBeVisible();
/** Clicks a button that opens a dialog, panel or menu. */
const press = (name: string | RegExp) => async (page: Page) => {
  await button(page, name).first().click();
  await expectOpened(page);
};
const key = (keys: string) => async (page: Page) => {
  await page.keyboard.press(keys);
  await expect(page.getByRole('dialog')).toBeVisible();
};
const inDialog = (name: string | RegExp) => (page: Page) =>
  page.getByRole('dialog').last().getByRole('button', { name }).click();
const chooseFor =
  (whom: (scene: Scene) => string, entry: string | RegExp) =>
  async (page: Page, scene: Scene): Promise<void> => {
    // Other tests may have files with the same name; the newest is first.
    await searchFor(page, whom(scene));
    await chooseRowAction(page, whom(scene), entry);
    await expectOpened(page);
  };
const openRowMenu = press('Actions');
const filter = (column: string): ScreenView => ({
  name: `the filter of ${column}`,
  url: '/layout/people',
  open: press(`Filter ${column}`),
  isFloating: true,
  isDesktopOnly: true,
});

/** Views by area. */
export const screens: Record<string, readonly ScreenView[]> = {
  dashboard: [
    { name: 'dashboard', url: '/layout/dashboard' },
    {
      name: "the person's menu",
      open: async (page) => {
        await page.getByRole('banner').locator('button[aria-haspopup="menu"]').last().click();
        await expectOpened(page);
      },
      isFloating: true,
    },
    { name: 'search and commands', url: '/layout/dashboard', open: key('Control+k') },
    { name: 'the shortcuts', url: '/layout/dashboard', open: key('?') },
  ],
  attachments: [
    {
      name: 'attachments',
      url: '/attachment',
      open: (page) => expect(page.locator('.grid-mark img').first()).toBeVisible(),
    },
    { name: 'sharing a file', open: chooseFor(() => 'Welcome.txt', 'Share') },
    {
      name: 'people to share with',
      open: async (page) => {
        await page.getByLabel('Specific people').check();
        await inDialog('Save')(page);
        await expect(page.getByText('Add at least one person')).toBeVisible();
      },
    },
    { name: 'renaming a file', url: '/attachment', open: chooseFor(() => 'Welcome.txt', 'Rename') },
    { name: 'a file', url: ({ fileId }) => `/attachment?file=${fileId}` },
  ],
  profile: [
    { name: 'profile', url: '/layout/profile' },
    { name: 'signing out everywhere', open: press('Sign out everywhere') },
  ],
  people: [
    { name: 'people', url: '/layout/people' },
    { name: 'the menu of a row', open: openRowMenu, isFloating: true },
    {
      name: 'a person beside the list',
      url: ({ personId }) => `/layout/people?show=${personId}`,
      open: (page) => expect(page.locator('.side-panel').getByRole('listitem').first()).toBeVisible(),
    },
    {
      name: 'a change of a person',
      url: '/layout/people',
      open: chooseFor(({ person }) => person.email, 'Make administrator'),
    },
    {
      name: 'selected people',
      url: '/layout/people',
      open: async (page, { person }) => {
        await searchFor(page, person.email);
        await getRow(page, person.email).getByRole('checkbox').click();
        await expect(page.getByRole('group', { name: 'Selected rows' })).toBeVisible();
      },
    },
    { name: 'a change of many', open: press('Make administrator') },
    {
      name: 'a person',
      url: ({ personId }) => `/layout/people/${personId}`,
    },
    { name: 'the changes of a person', open: press('Actions'), isFloating: true },
    {
      name: 'removing a person, and options for their files',
      url: '/layout/people',
      open: chooseFor(({ person }) => person.email, 'Remove'),
    },
    { name: 'removed people', url: '/layout/people', open: press('Removed people') },
    { name: 'a person who is gone', url: '/layout/people/0192f0c1-2345-7abc-8def-0123456789ab' },
  ],
  organizations: [
    { name: 'organizations', url: '/layout/organizations' },
    { name: 'a new organization', open: press('New organization') },
    {
      name: 'organizations of a file',
      url: '/layout/organizations',
      open: async (page) => {
        await press('From a file')(page);
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('File with organizations').setInputFiles({
          name: 'customers.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from('Name;Seats\r\nDover Freight;25\r\nEaston;many\r\n', 'latin1'),
        });
        await expect(dialog.getByRole('heading', { name: 'To be created' })).toBeVisible();
      },
    },
    { name: 'the members of an organization', url: '/layout/organization/acme/members' },
    { name: 'a person to add to an organization', open: press('Add a person') },
    {
      name: 'requests to join an organization',
      url: '/layout/organization/acme/members',
      open: press(/requests? to join$/),
    },
    { name: 'the invitations of an organization', url: '/layout/organization/acme/invitations' },
    { name: 'inviting to an organization', open: press('Invite someone') },
    { name: 'the domains of an organization', url: '/layout/organization/acme/domains' },
    { name: 'a domain to add', open: press('Add a domain') },
    { name: 'the integrations of an organization', url: '/layout/organization/acme/integrations' },
    { name: 'a webhook of an organization', open: press('New webhook') },
    { name: 'the activity of an organization', url: '/layout/organization/acme/activity' },
    { name: 'about an organization', url: '/layout/organization/acme/about' },
    { name: 'an organization that does not exist', url: '/layout/organization/none/about' },
    {
      name: 'an invitation that cannot be accepted',
      url: '/layout/join/0192f0c1-2345-7abc-8def-0123456789ab',
    },
    {
      name: 'deleting an organization',
      url: '/layout/organizations',
      open: chooseFor(() => 'Acme', 'Delete'),
    },
  ],
  applications: [
    { name: 'applications', url: '/layout/applications' },
    { name: 'a new application', open: press('New application') },
    {
      name: 'users of an application',
      url: '/layout/applications',
      open: async (page, scene) => {
        await chooseFor(() => 'Calendar', 'Change')(page, scene);
        await page.getByLabel('Add users').selectOption('An organization');
        await page.getByLabel('Add users').selectOption('A person');
        await page.getByLabel('Name or e-mail').fill('Paula');
        await button(page, 'Add Paula Page').first().click();
        await expect(button(page, 'Remove Paula Page')).toBeVisible();
      },
    },
    {
      name: 'the set-up of an application',
      url: '/layout/applications',
      open: async (page, scene) => {
        await chooseFor(() => 'Calendar', 'Check the set-up')(page, scene);
        await inDialog('Check the set-up')(page);
        await expect(page.getByText('The address answers')).toBeVisible();
      },
    },
    {
      name: 'removing an application',
      url: '/layout/applications',
      open: chooseFor(() => 'Calendar', 'Remove'),
    },
  ],
  'the tools of a list': [
    filter('Name'),
    filter('Joined'),
    {
      name: 'filtered to nothing',
      url: '/layout/people',
      open: async (page) => {
        await page.getByRole('searchbox').fill('no such person');
        await expect(page.getByText('No results for')).toBeVisible();
      },
    },
    { name: 'the columns', url: '/layout/people', open: press('Columns'), isDesktopOnly: true },
    { name: 'the views', url: '/layout/people', open: press(/^Views/), isFloating: true },
    {
      name: 'a view to be saved',
      open: async (page) => {
        await page.getByRole('menuitem', { name: 'Save as view…' }).click();
        await expect(page.getByRole('dialog')).toBeVisible();
      },
    },
    { name: 'the export', url: '/layout/people', open: press('Export people'), isFloating: true },
  ],
  'the invite dialog': [
    { name: 'its first step', url: '/layout/invitations', open: press('Invite someone') },
    {
      name: 'an empty form',
      open: async (page) => {
        await inDialog('Send invitation')(page);
        await expect(page.locator('[aria-invalid="true"]')).toBeVisible();
      },
    },
    {
      name: 'its check',
      open: async (page, { person, pending }) => {
        const newAddresses = [createPerson(), createPerson()].map(({ email }) => email);
        await page
          .getByLabel('E-mail addresses')
          .fill([...newAddresses, newAddresses[0], person.email, pending, 'not.an.address'].join('\n'));
        await inDialog(/^Check \d addresses/)(page);
        await expect(page.getByRole('dialog').getByRole('status')).toContainText('will be invited');
      },
    },
    {
      name: 'a row being corrected',
      open: async (page) => {
        await inDialog('Correct not.an.address')(page);
        await expect(page.getByRole('textbox', { name: 'Address' })).toBeVisible();
      },
    },
    {
      name: 'a list that was sent',
      open: async (page) => {
        await inDialog('Cancel')(page);
        await inDialog(/^Send \d invitations/)(page);
        await expect(page.getByRole('dialog', { name: 'Invitations sent' })).toContainText('mails');
      },
    },
    { name: 'earlier lists', url: '/layout/invitations', open: press('Past imports') },
  ],
  invitations: [
    { name: 'invitations', url: '/layout/invitations' },
    {
      name: 'an invitation',
      open: async (page, scene) => {
        await searchFor(page, scene.pending);
        await chooseRowAction(page, scene.pending, 'Details');
        await expect(page.locator('.side-panel').getByRole('listitem').first()).toBeVisible();
      },
    },
    ...['QR code', 'Change address', 'Revoke'].map((entry) => ({
      name: entry,
      url: '/layout/invitations',
      open: chooseFor(({ pending }) => pending, entry),
    })),
    { name: 'Renew', url: '/layout/invitations', open: chooseFor(({ expired }) => expired, 'Renew') },
  ],
  activity: [
    { name: 'activity', url: '/layout/activity' },
    {
      name: 'an entry',
      open: async (page) => {
        await page.locator('.ag-row .ag-cell').first().click();
        await expect(page.getByRole('dialog')).toBeVisible();
      },
    },
    {
      name: 'the verdict',
      url: '/layout/activity',
      open: async (page) => {
        await press('Verify the log')(page);
        await expect(button(page, 'Close').last()).toBeVisible();
      },
    },
  ],
  settings: [
    { name: 'settings', url: '/layout/settings/site' },
    {
      name: 'wrong fields, and what is not saved',
      open: async (page) => {
        await page.getByLabel('Support address').fill('support');
        await button(page, 'Save').click();
        await expect(page.locator('[aria-invalid="true"]')).toBeVisible();
      },
    },
    {
      name: 'mails and a test of them',
      url: '/layout/settings/e-mail',
      open: async (page) => {
        await button(page, 'Send me a test e-mail').click();
        await expect(page.getByText('Accepted', { exact: true })).toBeVisible();
      },
    },
    {
      name: 'the check of the provider',
      url: '/layout/settings/provider',
      open: async (page) => {
        await button(page, 'Check the provider').click();
        await expect(page.getByText('Checked now:')).toBeVisible();
      },
    },
    { name: 'what holds for invitations', url: '/layout/settings/invitations' },
    { name: 'how long things are kept', url: '/layout/settings/retention' },
    { name: 'what weakens the site', url: '/layout/settings/safety' },
    {
      name: 'the directory sync',
      url: '/layout/settings/directory',
      open: (page) => expect(page.getByText('Company administrators')).toBeVisible(),
    },
    // The first token needs no confirmation; later tokens do.
    { name: 'the token of the directory', open: press(/^(?:Create a token|New token)$/) },
    {
      name: 'a group of the directory that is to make administrators',
      url: '/layout/settings/directory',
      open: press('Make administrators: Company administrators'),
    },
    {
      name: 'how mails look',
      url: '/layout/settings/e-mail',
      open: async (page) => {
        await press('Preview e-mails')(page);
        await expect(page.frameLocator('dialog iframe').getByText('Hello')).toBeVisible();
      },
    },
    {
      name: 'a new token',
      url: '/layout/settings/tokens',
      open: async (page) => {
        await press('New token')(page);
        await inDialog('Create token')(page);
        await expect(page.getByText('Enter what the token is for')).toBeVisible();
      },
    },
    {
      name: 'a token that was made',
      open: async (page) => {
        await page.getByLabel('Purpose').fill('Nightly import');
        await page.getByLabel('Invite').check();
        await inDialog('Create token')(page);
        await expect(page.getByRole('dialog', { name: 'Your access token' })).toBeVisible();
      },
    },
    { name: 'access tokens', url: '/layout/settings/tokens' },
    { name: 'a token to be revoked', open: press('Revoke Nightly import') },
    {
      name: 'a new webhook',
      url: '/layout/settings/webhooks',
      open: async (page) => {
        await press('New webhook')(page);
        await inDialog('Add webhook')(page);
        await expect(page.getByText('Choose at least one event.')).toBeVisible();
      },
    },
    {
      name: 'the secret of a webhook',
      open: async (page) => {
        const form = page.getByRole('dialog', { name: 'New webhook' });
        // No server listens there, so the delivery fails immediately.
        await form.getByLabel('Address').fill('http://127.0.0.1:9/hook');
        await form.getByLabel('Description').fill('Payroll');
        await form.getByLabel('Someone joins').check();
        await inDialog('Add webhook')(page);
        await expect(page.getByRole('dialog', { name: 'Webhook secret' })).toBeVisible();
      },
    },
    { name: 'webhooks', url: '/layout/settings/webhooks' },
    {
      name: 'the deliveries of a webhook',
      open: async (page) => {
        await press('Deliveries to 127.0.0.1:9')(page);
        await inDialog('Send a test event')(page);
        await expect(page.getByText('Given up').first()).toBeVisible();
      },
    },
  ],
};

/** Creates people, invitations and files for the screens. */
export async function seedScene(site: Site): Promise<Scene> {
  const person = await site.createMember({ name: 'Paula Page' });
  const [pending, expired] = [createPerson().email, createPerson().email];
  await site.invite(pending);
  const { id } = await site.invite(expired);
  await site.sql(
    `insert into directory_groups (id, display_name, created_at, modified_at) values ($1, 'Company administrators', now(), now()) on conflict do nothing`,
    [id],
  );
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [id]);
  const [fileId] = await Promise.all([
    site.upload(site.administrator, {
      name: 'Welcome.txt',
      type: 'text/plain',
      contents: Buffer.from('Welcome to Vestibule.\n\nThe first day begins at nine, at the front desk.\n'),
    }),
    site.upload(site.administrator, createPictureFile('Map of the house.png')),
    site.upload(person, { name: 'From Paula.txt', type: 'text/plain', contents: Buffer.from('Hello') }),
  ]);
  const personId = await site.getPersonId(person);
  await joinOrganization(site, personId);
  await addApplication(site);
  return { person, personId, pending, expired, fileId };
}

/** Tests of a worker share the site, and so the organization. */
async function joinOrganization(site: Site, personId: string): Promise<void> {
  const found = (await site.callAsAdmin('GET', '/api/organizations?search=acme')) as {
    rows: { id: string }[];
  };
  const body = { name: 'Acme', slug: 'acme', seatLimit: 50 };
  const { id } =
    found.rows[0] ?? ((await site.callAsAdmin('POST', '/api/organizations', body)) as { id: string });
  await site.callAsAdmin('POST', `/api/organizations/${id}/members`, { personId, roleId: 'manager' });
  await site.sql(
    `insert into membership_requests (id, organization_id, email, email_canonical, display_name, requested_at)
     values (gen_random_uuid(), $1, 'rita@elsewhere.invalid', 'rita@elsewhere.invalid', 'Rita Request', now()) on conflict do nothing`,
    [id],
  );
  const invited = { email: createPerson().email, role: 'manager' };
  await site.callAsAdmin('POST', `/api/organizations/${id}/invitations`, invited);
}

async function addApplication(site: Site): Promise<void> {
  const { rows } = (await site.callAsAdmin('GET', '/api/applications')) as { rows: unknown[] };
  const body = { name: 'Calendar', address: 'https://calendar.invalid', access: [{ kind: 'everyone' }] };
  if (rows.length === 0) await site.callAsAdmin('POST', '/api/applications', body);
}

/** Opens a view and waits until it has loaded. */
export async function openView<Shown>(
  page: Page,
  { url: at, open }: ScreenView<Shown>,
  scene: Shown,
): Promise<void> {
  if (at !== undefined) await goTo(page, typeof at === 'string' ? at : at(scene));
  await waitUntilLoaded(page);
  await open?.(page, scene);
  await waitUntilLoaded(page);
}

/**
 * Opens an address within the loaded application, which takes a fraction of the time of a page load. Goes through an address without a
 * screen, so that the previous screen and its dialogs are closed.
 */
async function goTo(page: Page, address: string): Promise<void> {
  if (!(await page.locator('.shell').isVisible())) return void (await page.goto(address));
  const push = (to: string) => page.evaluate((url) => window.history.pushState({}, '', url), to);
  const nowhere = page
    .getByText('There is no page at this address. Choose')
    .or(page.getByText('Unter dieser Adresse gibt es keine Seite. Wählen'));
  await push('/layout/nowhere');
  await nowhere.waitFor();
  // Dialogs of the frame are still open.
  if ((await page.getByRole('dialog').count()) > 0) return void (await page.goto(address));
  await push(address);
  await nowhere.waitFor({ state: 'hidden' });
}

/** Waits until nothing is loading and lists have rows. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await expect(page.locator('.shell')).toBeVisible();
  await expect(page.locator('.skeleton, [aria-busy="true"]')).toHaveCount(0);
  await expect(page.locator('.grid-cell-waiting')).toHaveCount(0);
  if ((await page.locator('.grid').count()) > 0) await expect(page.locator('.grid-count')).not.toBeEmpty();
}
