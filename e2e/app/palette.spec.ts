/** The command palette and the list of keyboard shortcuts (G1, G4). */
import { openAsAdministrator, expect, signIn, test, type Page } from '../fixtures/site-test.ts';
import { getSidePanel } from '../lists/list-page.ts';
import { createPerson } from '../../packages/testing/src/site.ts';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' });
const field = (page: Page) => palette(page).getByRole('combobox');
const options = (page: Page) => palette(page).getByRole('option');
const chosen = (page: Page) => palette(page).getByRole('option', { selected: true });

async function openPalette(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Search' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
}

test('an administrator finds screens, people, invitations and settings by keyboard, and starts an invitation (G4)', async ({
  page,
  site,
}) => {
  const person = await site.createMember({ name: 'Perpetua Zanzibar' });
  const later = await site.createMember({ name: 'Alzanzibara Smith' });
  const invited = createPerson();
  await site.invite(invited.email);
  await openAsAdministrator(page, site);

  await openPalette(page);
  await expect(palette(page).getByRole('group', { name: 'Screens' })).toBeVisible();
  await page.keyboard.type('activ');
  await expect(chosen(page)).toHaveText(/Activity/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Activity');
  await expect(palette(page)).toHaveCount(0);

  await openPalette(page);
  await page.keyboard.type('zanzibar');
  const found = palette(page).getByRole('group', { name: 'People' }).getByRole('option');
  // Names that start with the text rank before newer names that contain it.
  await expect(found).toHaveText([
    new RegExp(`Perpetua Zanzibar${person.email}`),
    new RegExp(`Alzanzibara Smith${later.email}`),
  ]);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Perpetua Zanzibar');

  await openPalette(page);
  await page.keyboard.type(invited.email);
  await expect(chosen(page)).toHaveText(new RegExp(invited.email));
  await page.keyboard.press('Enter');
  await expect(getSidePanel(page, `Invitation of ${invited.email}`)).toBeVisible();

  // A setting can be found by its field label.
  await openPalette(page);
  await page.keyboard.type("sender's na");
  await expect(chosen(page)).toHaveText(/Sender's name/);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel("Sender's name", { exact: true })).toBeFocused();
  await expect(page).toHaveURL(/\/layout\/settings\/e-mail$/);

  await openPalette(page);
  await page.keyboard.type('invite some');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Invite someone' })).toBeVisible();
  // An open dialog has priority: the palette does not open over it.
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toHaveCount(0);
});

test('text typed directly after Ctrl+K is entered, only results for the latest text are shown, and ? shows the shortcuts (G4)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/500|ERR_FAILED/, 'a search fails');
  await openAsAdministrator(page, site);
  await openPalette(page);
  await page.keyboard.press('Escape');
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('zeppelin');
  await expect(field(page)).toHaveValue('zeppelin');
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await expect(palette(page).getByText('Nothing matches “zeppelin”')).toBeVisible();
  await expect(palette(page).getByRole('status')).toHaveText('Nothing found');
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);

  await openPalette(page);
  const count = await options(page).count();
  await expect(palette(page).getByRole('status')).toHaveText(`${count} entries`);
  const first = await chosen(page).textContent();
  await page.keyboard.press('ArrowUp');
  await expect(chosen(page)).toHaveText(/Keyboard shortcuts/);
  await expect(chosen(page)).toBeInViewport();
  await page.keyboard.press('ArrowDown');
  await expect(chosen(page)).toHaveText(first ?? '');
  const id = await chosen(page).getAttribute('id');
  await expect(field(page)).toHaveAttribute('aria-activedescendant', id ?? '');
  // A question mark is typed into a field; elsewhere it opens the list of shortcuts.
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await page.keyboard.type('?');
  await expect(field(page)).toHaveValue('?');
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await page.keyboard.press('?');
  await expect(shortcuts).toBeVisible();
  // Single-key shortcuts can be turned off (WCAG 2.2, 2.1.4).
  await shortcuts.getByRole('checkbox', { name: 'Open this list with ?' }).uncheck();
  await page.keyboard.press('Escape');
  await expect(shortcuts).toHaveCount(0);
  await page.keyboard.press('?');
  await openPalette(page);
  await expect(shortcuts).toHaveCount(0);
  await field(page).fill('shortcuts');
  await page.keyboard.press('Enter');
  await expect(shortcuts).toBeVisible();

  await site.createMember({ name: 'Aurelia Quick' });
  await site.createMember({ name: 'Aurelian Slow' });
  await page.keyboard.press('Escape');
  await openPalette(page);
  const delay = Promise.withResolvers<void>();
  await page.route('**/api/people?*search=aurelia&*', async (route) => {
    await delay.promise;
    await route.continue().catch(() => {});
  });
  const delayedRequest = page.waitForRequest(/search=aurelia&/);
  await page.keyboard.type('aurelia');
  await delayedRequest;
  await page.keyboard.type('n');
  await expect(options(page).filter({ hasText: 'Aurelian Slow' })).toBeVisible();
  delay.resolve();
  await expect(palette(page).getByRole('status')).toHaveText('1 entry');
  await expect(options(page).filter({ hasText: 'Aurelia Quick' })).toHaveCount(0);

  await page.route('**/api/people?*', (route) => route.abort());
  await field(page).fill('quick');
  await expect(palette(page).getByRole('alert')).toContainText('Could not be searched: People');
  await page.unroute('**/api/people?*');
  await palette(page).getByRole('button', { name: 'Try again' }).click();
  await expect(options(page).filter({ hasText: 'Aurelia Quick' })).toBeVisible();
});

test('a member finds only screens that members may open, and uploads and finds files, on a phone (F3, G4, K7)', async ({
  otherBrowser,
  site,
}) => {
  const member = await site.createMember({ name: 'Mia Member' });
  const page = await otherBrowser({ viewport: { width: 360, height: 740 }, hasTouch: true });
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await signIn(page, member);
  await page.getByRole('button', { name: 'Search' }).tap();
  await expect(field(page)).toBeFocused();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  for (const hidden of ['People', 'Invitations', 'Activity', 'Settings'])
    await expect(options(page).filter({ hasText: new RegExp(`^${hidden}`) })).toHaveCount(0);
  await field(page).fill('upload');
  const chooser = page.waitForEvent('filechooser');
  await options(page).first().tap();
  const name = 'Minutes of March.txt';
  await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('It was decided.') });
  await expect(page.getByRole('row', { name })).toBeVisible();
  await expect(page).toHaveURL(/\/attachment$/);

  await page.getByRole('button', { name: 'Search' }).tap();
  await field(page).fill('of march');
  await palette(page).getByRole('group', { name: 'Files' }).getByRole('option', { name }).tap();
  await expect(page.getByRole('dialog', { name })).toContainText('It was decided.');
  expect(requested.filter((path) => /^\/api\/(?:people|invitations)/.test(path))).toEqual([]);
});
