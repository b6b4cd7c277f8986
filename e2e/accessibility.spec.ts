/**
 * No screen, no dialog and no page of the provider breaks a rule that axe can check, in any theme (G4). A new screen is an
 * entry in `screens`.
 */
import { expectContrastInEveryTheme, expectNoViolation, expectRulesKept } from './axe.ts';
import {
  errorDialog,
  expect,
  expectSignInPage,
  fillSignUp,
  openPersonMenu,
  signIn,
  test,
  type Page,
} from './journey.ts';
import { somebody, type Person, type Site } from './running-site.ts';

// Still pictures: colours in the middle of a movement are nobody's fault.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

/** Who and what the screens show. */
type Scene = { person: Person; personId: string; pending: string; expired: string };

type Look = {
  name: string;
  /** The address to open first; without one it goes on from the look before. */
  at?: string | ((scene: Scene) => string);
  open?: (page: Page, scene: Scene) => Promise<unknown>;
  /** What floats at a place of its own: it closes when the window becomes a phone's. */
  floats?: true;
};

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
/** Presses a button that opens a dialog, a panel or a menu. */
const press = (name: string | RegExp) => async (page: Page) => {
  await button(page, name).first().click();
  await expectOpened(page);
};
const expectOpened = (page: Page) =>
  expect(page.getByRole('dialog').or(page.getByRole('menu')).last()).toBeVisible();
const inDialog = (name: string | RegExp) => (page: Page) =>
  page.getByRole('dialog').last().getByRole('button', { name }).click();
const chooseFor =
  (whom: (scene: Scene) => string, entry: string | RegExp) =>
  async (page: Page, scene: Scene): Promise<void> => {
    await page
      .getByRole('row', { name: whom(scene) })
      .getByRole('button', { name: 'Actions' })
      .click();
    await page.getByRole('menuitem', { name: entry }).click();
    await expectOpened(page);
  };
const openRowMenu = press('Actions');
const filter = (column: string): Look => ({
  name: `the filter of ${column}`,
  at: '/layout/people',
  open: press(`Filter ${column}`),
  floats: true,
});

const screens: Record<string, Look[]> = {
  dashboard: [
    { name: 'dashboard', at: '/layout/dashboard' },
    {
      name: "the person's menu",
      open: async (page) => {
        await openPersonMenu(page);
        await expectOpened(page);
      },
      floats: true,
    },
    { name: 'attachments', at: '/attachment' },
  ],
  people: [
    { name: 'people', at: '/layout/people' },
    { name: 'the menu of a row', open: openRowMenu, floats: true },
    {
      name: 'a change of a person',
      at: '/layout/people',
      open: chooseFor(({ person }) => person.email, 'Disable'),
    },
    {
      name: 'selected people',
      at: '/layout/people',
      open: async (page) => {
        await page.getByRole('checkbox', { name: 'Select Ada Admin', exact: true }).click();
        await expect(page.getByRole('group', { name: 'Selected rows' })).toBeVisible();
      },
    },
    { name: 'a change of many', open: press('Disable') },
    {
      name: 'a person',
      at: ({ personId }) => `/layout/people/${personId}`,
    },
    { name: 'the changes of a person', open: press('Actions'), floats: true },
    { name: 'a person who is gone', at: '/layout/people/0192f0c1-2345-7abc-8def-0123456789ab' },
  ],
  'the tools of a list': [
    filter('Name'),
    filter('Role'),
    filter('Joined'),
    {
      name: 'filtered to nothing',
      at: '/layout/people',
      open: async (page) => {
        await page.getByRole('searchbox').fill('nobody is called that');
        await expect(page.getByText('Nothing found for')).toBeVisible();
      },
    },
    { name: 'the columns', at: '/layout/people', open: press('Columns') },
    { name: 'the views', at: '/layout/people', open: press(/^Views/), floats: true },
    {
      name: 'a view to be saved',
      open: async (page) => {
        await page.getByRole('menuitem', { name: 'Save as a view …' }).click();
        await expect(page.getByRole('dialog')).toBeVisible();
      },
    },
    { name: 'the export', at: '/layout/people', open: press('Export people'), floats: true },
  ],
  'the invite dialog': [
    { name: 'its first step', at: '/layout/invitations', open: press('Invite somebody') },
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
        const fresh = [somebody(), somebody()].map(({ email }) => email);
        await page
          .getByLabel('E-mail addresses')
          .fill([...fresh, fresh[0], person.email, pending, 'not.an.address'].join('\n'));
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
    { name: 'earlier lists', at: '/layout/invitations', open: press('Earlier lists') },
  ],
  invitations: [
    { name: 'invitations', at: '/layout/invitations' },
    {
      name: 'an invitation',
      open: async (page, scene) => {
        await chooseFor(({ pending }) => pending, 'Details')(page, scene);
        await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
      },
    },
    ...['QR code', 'Change address', 'Revoke'].map((entry) => ({
      name: entry,
      at: '/layout/invitations',
      open: chooseFor(({ pending }) => pending, entry),
    })),
    { name: 'Renew', at: '/layout/invitations', open: chooseFor(({ expired }) => expired, 'Renew') },
  ],
  activity: [
    { name: 'activity', at: '/layout/activity' },
    {
      name: 'an entry',
      open: async (page) => {
        await page.locator('.ag-row .ag-cell').first().click();
        await expect(page.getByRole('dialog')).toBeVisible();
      },
    },
    {
      name: 'the verdict',
      at: '/layout/activity',
      open: async (page) => {
        await press('Verify the log')(page);
        await expect(button(page, 'Close').last()).toBeVisible();
      },
    },
  ],
  settings: [
    { name: 'settings', at: '/layout/settings' },
    {
      name: 'wrong fields and a test mail',
      open: async (page) => {
        await page.getByLabel('Support address').fill('nobody');
        await button(page, 'Save').first().click();
        await expect(page.locator('[aria-invalid="true"]')).toBeVisible();
        await button(page, 'Send me a test mail').click();
        await expect(page.getByText('Accepted', { exact: true })).toBeVisible();
      },
    },
    {
      name: 'the check of the provider',
      at: '/layout/settings',
      open: async (page) => {
        await button(page, 'Check the provider').click();
        await expect(page.getByText(/^Checked at /)).toBeVisible();
      },
    },
    { name: 'how mails look', at: '/layout/settings', open: press('See how mails look') },
    {
      name: 'a new token',
      at: '/layout/settings',
      open: async (page) => {
        await press('New token')(page);
        await inDialog('Make token')(page);
        await expect(page.getByText('Say what the token is for')).toBeVisible();
      },
    },
    {
      name: 'a token that was made',
      open: async (page) => {
        await page.getByLabel('What it is for').fill('Nightly import');
        await page.getByLabel('Invite').check();
        await inDialog('Make token')(page);
        await expect(page.getByRole('dialog', { name: 'Your access token' })).toBeVisible();
      },
    },
    { name: 'a token to be revoked', at: '/layout/settings', open: press('Revoke Nightly import') },
  ],
};

for (const [screen, looks] of Object.entries(screens))
  test(`${screen}: nothing breaks a rule, in any theme, wide and on a phone (G4)`, async ({
    page,
    site,
    expectConsole,
  }) => {
    test.setTimeout(120_000);
    expectConsole(/status of 404/, 'one address is of a person who is gone');
    const scene = await furnish(site);
    await signIn(page, site.administrator);
    for (const { name, at, open, floats } of looks) {
      if (at !== undefined) await page.goto(typeof at === 'string' ? at : at(scene));
      await settle(page);
      await open?.(page, scene);
      await settle(page);
      await (floats ? expectRulesKept : expectNoViolation)(page, name);
      await expectContrastInEveryTheme(page, name);
    }
  });

async function furnish(site: Site): Promise<Scene> {
  const person = await site.member({ name: 'Paula Page' });
  const [pending, expired] = [somebody().email, somebody().email];
  await site.invite(pending);
  const { id } = await site.invite(expired);
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [id]);
  return { person, personId: await site.idOf(person), pending, expired };
}

/** All that was asked for is there: nothing waits, and a list has its rows. */
async function settle(page: Page): Promise<void> {
  await expect(page.locator('.shell')).toBeVisible();
  await expect(page.locator('.skeleton, [aria-busy="true"]')).toHaveCount(0);
  await expect(page.locator('.grid-cell-waiting')).toHaveCount(0);
  if ((await page.locator('.grid').count()) > 0) await expect(page.locator('.grid-count')).not.toBeEmpty();
}

for (const colorScheme of ['light', 'dark'] as const)
  test(`the provider's pages break no rule in ${colorScheme}`, async ({ page, site }) => {
    await page.emulateMedia({ colorScheme });
    const member = await site.member();
    await page.goto('/');
    await expectSignInPage(page);
    await expectNoViolation(page, 'sign-in page');
    await page.locator('#forgotPassword').click();
    await expect(page.locator('#sendCode')).toBeVisible();
    await expectNoViolation(page, 'reset page');
    await page.locator('#email').fill(member.email);
    await page.locator('#sendCode').click();
    await expect(page.locator('#verificationCode')).toBeVisible();
    await expectNoViolation(page, 'code page');
    await page.goto((await site.invite(somebody().email)).link);
    await expect(page.locator('#newPassword')).toBeVisible();
    await expectNoViolation(page, 'sign-up page');
  });

test('the screens before the door break no rule, in any theme, wide and on a phone (G4)', async ({
  page,
  site,
}) => {
  const look = async (name: string) => {
    await expectNoViolation(page, name);
    await expectContrastInEveryTheme(page, name);
  };
  await page.goto('/nothing-here');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await look('page not found');
  await page.goto('/signup?i=DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD');
  await expect(page.getByRole('dialog')).toContainText('Invite link is invalid.');
  await look('an unknown link');

  const { id, link } = await site.invite(somebody().email);
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [id]);
  await page.goto(link);
  await expect(page.getByRole('dialog')).toContainText('Invite link is expired.');
  await look('an expired link');
  await button(page, 'Send me a new link').click();
  await expect(page.getByRole('dialog', { name: 'Check your mailbox' })).toBeVisible();
  await look('a new link asked for');

  const person = somebody();
  await page.goto((await site.invite(person.email)).link);
  await fillSignUp(page, person);
  await expect(page.getByText('Sign up successfully.')).toBeVisible();
  await look('a completed sign-up');
  await page.evaluate(() => window.sessionStorage.setItem('errorMessage', '{"message":"It did not work."}'));
  await page.goto('/error');
  await expect(errorDialog(page)).toBeVisible();
  await look('error');
});

test('the login screen breaks no rule, in any theme, wide and on a phone (G4)', async ({ page, context }) => {
  // The configuration never comes, so the screen stays.
  await context.route('**/api/config', () => {});
  await page.goto('/');
  await expect(page.getByRole('status')).toHaveText('Opening the door…');
  await expectNoViolation(page, 'login');
  await expectContrastInEveryTheme(page, 'login');
  await context.unrouteAll({ behavior: 'ignoreErrors' });
});
