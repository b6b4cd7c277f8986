/**
 * Every signed-in screen with its dialogs, panels and menus, for tests and screenshots. Add one entry per new
 * screen. Signed-out screens are tested separately.
 */
import { expect, type Page } from '@playwright/test';
import { chooseRowAction, getRow, searchFor } from '../lists/list-page.ts';
import { createPerson } from '../../packages/testing/src/site.ts';
import { personName, type Scene } from './seed-scene.ts';

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
  (row: string | ((scene: Scene) => string), entry: string) =>
  async (page: Page, scene: Scene): Promise<void> => {
    const text = typeof row === 'string' ? row : row(scene);
    // Other tests may have files with the same name; the newest is first.
    await searchFor(page, text);
    await chooseRowAction(page, text, entry);
    await expectOpened(page);
  };
const addressOfPerson = ({ person }: Scene) => person.email;
const pendingAddress = ({ pending }: Scene) => pending;
const expiredAddress = ({ expired }: Scene) => expired;

type Options = Pick<ScreenView, 'isFloating' | 'isDesktopOnly'>;
/** A screen at `url`, or what `open` opens on it. */
const view = (name: string, url: ScreenView['url'], open?: ScreenView['open'], options?: Options) =>
  ({ name, url, open, ...options }) as ScreenView;
/** A view that `open` opens on the previous view. */
const overlay = (name: string, open: ScreenView['open'], options?: Options) =>
  view(name, undefined, open, options);
const filter = (column: string) =>
  view(`the filter of ${column}`, '/layout/people', press(`Filter ${column}`), {
    isFloating: true,
    isDesktopOnly: true,
  });

/** Views by area. */
export const screens: Record<string, readonly ScreenView[]> = {
  dashboard: [
    view('dashboard', '/layout/dashboard'),
    overlay(
      "the person's menu",
      async (page) => {
        await page.getByRole('banner').locator('button[aria-haspopup="menu"]').last().click();
        await expectOpened(page);
      },
      { isFloating: true },
    ),
    view('search and commands', '/layout/dashboard', key('Control+k')),
    view('the shortcuts', '/layout/dashboard', key('?')),
  ],
  attachments: [
    view('attachments', '/attachment', (page) =>
      expect(page.locator('.grid-mark img').first()).toBeVisible(),
    ),
    overlay('sharing a file', chooseFor('Welcome.txt', 'Share')),
    overlay('sharing without a person', async (page) => {
      await page.getByLabel('Specific people').check();
      await inDialog('Save')(page);
      await expect(page.getByText('Add at least one person')).toBeVisible();
    }),
    view('renaming a file', '/attachment', chooseFor('Welcome.txt', 'Rename')),
    view('a file', ({ fileId }) => `/attachment?file=${fileId}`),
  ],
  profile: [
    view('profile', '/layout/profile'),
    overlay('signing out everywhere', press('Sign out everywhere')),
  ],
  people: [
    view('people', '/layout/people'),
    overlay('the menu of a row', press('Actions'), { isFloating: true }),
    view(
      'a person beside the list',
      ({ personId }) => `/layout/people?show=${personId}`,
      (page) => expect(page.locator('.side-panel').getByRole('listitem').first()).toBeVisible(),
    ),
    view('making a person administrator', '/layout/people', chooseFor(addressOfPerson, 'Make administrator')),
    view('selected people', '/layout/people', async (page, { person }) => {
      await searchFor(page, person.email);
      await getRow(page, person.email).getByRole('checkbox').click();
      await expect(page.getByRole('group', { name: 'Selected rows' })).toBeVisible();
    }),
    overlay('making several people administrators', press('Make administrator')),
    view('a person', ({ personId }) => `/layout/people/${personId}`),
    overlay('the actions of a person', press('Actions'), { isFloating: true }),
    view(
      'removing a person, and options for their files',
      '/layout/people',
      chooseFor(addressOfPerson, 'Remove'),
    ),
    view('removed people', '/layout/people', press('Removed people')),
    view('a removed person', '/layout/people/0192f0c1-2345-7abc-8def-0123456789ab'),
  ],
  organizations: [
    view('organizations', '/layout/organizations'),
    overlay('a new organization', press('New organization')),
    view('organizations from a file', '/layout/organizations', async (page) => {
      await press('From a file')(page);
      const dialog = page.getByRole('dialog');
      await dialog.locator('input[type="file"]').setInputFiles({
        name: 'customers.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Name;Seats\r\nDover Freight;25\r\nEaston;many\r\n', 'latin1'),
      });
      await expect(dialog.getByRole('heading', { name: 'To be created' })).toBeVisible();
    }),
    view('the members of an organization', '/layout/organization/acme/members'),
    overlay('adding a person to an organization', press('Add a person')),
    view(
      'requests to join an organization',
      '/layout/organization/acme/members',
      press(/requests? to join$/),
    ),
    view('the invitations of an organization', '/layout/organization/acme/invitations'),
    overlay('inviting to an organization', press('Invite someone')),
    view('the domains of an organization', '/layout/organization/acme/domains'),
    overlay('adding a domain', press('Add a domain')),
    view('the integrations of an organization', '/layout/organization/acme/integrations'),
    overlay('a webhook of an organization', press('New webhook')),
    view('the activity of an organization', '/layout/organization/acme/activity'),
    view('about an organization', '/layout/organization/acme/about'),
    view('an organization that does not exist', '/layout/organization/none/about'),
    view('an invitation that cannot be accepted', '/layout/join/0192f0c1-2345-7abc-8def-0123456789ab'),
    view('deleting an organization', '/layout/organizations', chooseFor('Acme', 'Delete')),
  ],
  applications: [
    view('applications', '/layout/applications'),
    overlay('a new application', press('New application')),
    view('users of an application', '/layout/applications', async (page, scene) => {
      await chooseFor('Calendar', 'Change')(page, scene);
      await page.getByLabel('Add users').selectOption('An organization');
      await page.getByLabel('Add users').selectOption('A person');
      await page.getByLabel('Name or e-mail').fill('Paula');
      await button(page, `Add ${personName}`).first().click();
      await expect(button(page, `Remove ${personName}`)).toBeVisible();
    }),
    view('the set-up of an application', '/layout/applications', async (page, scene) => {
      await chooseFor('Calendar', 'Check the set-up')(page, scene);
      await inDialog('Check the set-up')(page);
      await expect(page.getByText('The address answers')).toBeVisible();
    }),
    view('removing an application', '/layout/applications', chooseFor('Calendar', 'Remove')),
  ],
  'the tools of a list': [
    filter('Name'),
    filter('Joined'),
    view('a search without results', '/layout/people', async (page) => {
      await page.getByRole('searchbox').fill('no such person');
      await expect(page.getByText('No results for')).toBeVisible();
    }),
    view('the columns', '/layout/people', press('Columns'), { isDesktopOnly: true }),
    view('the views', '/layout/people', press(/^Views/), { isFloating: true }),
    overlay('saving a view', async (page) => {
      await page.getByRole('menuitem', { name: 'Save as view…' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    }),
    view('the export', '/layout/people', press('Export people'), { isFloating: true }),
  ],
  'the invite dialog': [
    view('recipients', '/layout/invitations', press('Invite someone')),
    overlay('an empty form', async (page) => {
      await inDialog('Send invitation')(page);
      await expect(page.locator('[aria-invalid="true"]')).toBeVisible();
    }),
    overlay('review', async (page, { person, pending }) => {
      const newAddresses = [createPerson(), createPerson()].map(({ email }) => email);
      await page
        .getByLabel('E-mail addresses')
        .fill([...newAddresses, newAddresses[0], person.email, pending, 'not.an.address'].join('\n'));
      await inDialog(/^Check \d addresses/)(page);
      await expect(page.getByRole('dialog').getByRole('status')).toContainText('will be invited');
    }),
    overlay('a row being corrected', async (page) => {
      await inDialog('Correct not.an.address')(page);
      await expect(page.getByRole('textbox', { name: 'Address' })).toBeVisible();
    }),
    overlay('a sent list', async (page) => {
      await inDialog('Cancel')(page);
      await inDialog(/^Send \d invitations/)(page);
      await expect(page.getByRole('dialog', { name: 'Invitations sent' })).toContainText('mails');
    }),
    view('past imports', '/layout/invitations', press('Past imports')),
  ],
  invitations: [
    view('invitations', '/layout/invitations'),
    overlay('an invitation', async (page, scene) => {
      await searchFor(page, scene.pending);
      await chooseRowAction(page, scene.pending, 'Details');
      await expect(page.locator('.side-panel').getByRole('listitem').first()).toBeVisible();
    }),
    ...['QR code', 'Change address', 'Revoke'].map((entry) =>
      view(entry, '/layout/invitations', chooseFor(pendingAddress, entry)),
    ),
    view('Renew', '/layout/invitations', chooseFor(expiredAddress, 'Renew')),
  ],
  activity: [
    view('activity', '/layout/activity'),
    overlay('an entry', async (page) => {
      await page.locator('.ag-row .ag-cell').first().click();
      await expect(page.getByRole('dialog')).toBeVisible();
    }),
    view('the verification of the log', '/layout/activity', async (page) => {
      await press('Verify the log')(page);
      await expect(button(page, 'Close').last()).toBeVisible();
    }),
  ],
  settings: [
    view('settings', '/layout/settings/site'),
    overlay('invalid fields and unsaved changes', async (page) => {
      await page.getByLabel('Support address').fill('support');
      await button(page, 'Save').click();
      await expect(page.locator('[aria-invalid="true"]')).toBeVisible();
    }),
    view('e-mail settings and a test e-mail', '/layout/settings/e-mail', async (page) => {
      await button(page, 'Send me a test e-mail').click();
      await expect(page.getByText('Accepted', { exact: true })).toBeVisible();
    }),
    view('the check of the provider', '/layout/settings/provider', async (page) => {
      await button(page, 'Check the provider').click();
      await expect(page.getByText('Checked now:')).toBeVisible();
    }),
    view('invitation settings', '/layout/settings/invitations'),
    view('retention settings', '/layout/settings/retention'),
    view('security warnings', '/layout/settings/safety'),
    view('the directory sync', '/layout/settings/directory', (page) =>
      expect(page.getByText('Company administrators')).toBeVisible(),
    ),
    // The first token needs no confirmation; later tokens do.
    overlay('the token of the directory', press(/^(?:Create a token|New token)$/)),
    view(
      'making a group administrators',
      '/layout/settings/directory',
      press('Make administrators: Company administrators'),
    ),
    view('the preview of e-mails', '/layout/settings/e-mail', async (page) => {
      await press('Preview e-mails')(page);
      await expect(page.frameLocator('dialog iframe').getByText('Hello')).toBeVisible();
    }),
    view('a new token', '/layout/settings/tokens', async (page) => {
      await press('New token')(page);
      await inDialog('Create token')(page);
      await expect(page.getByText('Enter what the token is for')).toBeVisible();
    }),
    overlay('a created token', async (page) => {
      await page.getByLabel('Purpose').fill('Nightly import');
      await page.getByLabel('Invite').check();
      await inDialog('Create token')(page);
      await expect(page.getByRole('dialog', { name: 'Your access token' })).toBeVisible();
    }),
    view('access tokens', '/layout/settings/tokens'),
    overlay('revoking a token', press('Revoke Nightly import')),
    view('a new webhook', '/layout/settings/webhooks', async (page) => {
      await press('New webhook')(page);
      await inDialog('Add webhook')(page);
      await expect(page.getByText('Choose at least one event.')).toBeVisible();
    }),
    overlay('the secret of a webhook', async (page) => {
      const form = page.getByRole('dialog', { name: 'New webhook' });
      // No server listens there, so the delivery fails immediately.
      await form.getByLabel('Address').fill('http://127.0.0.1:9/hook');
      await form.getByLabel('Description').fill('Payroll');
      await form.getByLabel('Someone joins').check();
      await inDialog('Add webhook')(page);
      await expect(page.getByRole('dialog', { name: 'Webhook secret' })).toBeVisible();
    }),
    view('webhooks', '/layout/settings/webhooks'),
    overlay('the deliveries of a webhook', async (page) => {
      await press('Deliveries to 127.0.0.1:9')(page);
      await inDialog('Send a test event')(page);
      await expect(page.getByText('Given up').first()).toBeVisible();
    }),
  ],
};

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
