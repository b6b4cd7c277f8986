/** The dashboard: member view, administrators' figures and their links, and the tab title (K1). */
import { openAsAdministrator, expect, goBack, signIn, test, type Page } from '../fixtures/site-test.ts';
import { searchFor } from '../lists/list-page.ts';
import { createPerson, inviteUnreachable } from '../../packages/testing/src/site.ts';

test.use({ timezoneId: 'Europe/Berlin' });

const tile = (page: Page, name: string) =>
  page.getByRole('list', { name: 'At a glance' }).getByRole('link', { name });
const chart = (page: Page, name: string) => page.getByRole('region', { name });
const icon = (page: Page) => page.locator('link[rel="icon"]');

const shown = async (page: Page, name: string) =>
  Number((await tile(page, name).locator('.tile-value').textContent())?.replaceAll(/\D/g, ''));

/** Checks that the opened list has the same count and the given filters. */
async function expectListOf(page: Page, count: number, ...filters: (string | RegExp)[]): Promise<void> {
  await expect(page.getByText(new RegExp(`^${count} (invitations?|person|people)$`))).toBeVisible();
  for (const filter of filters)
    await expect(page.getByRole('list', { name: 'Filters' })).toContainText(filter);
}

test('a member sees their own details, sign-ins and five newest files, but no figures of the site (K1)', async ({
  page,
  site,
}) => {
  const [member, other] = [await site.createMember(), await site.createMember({ name: 'Grace Hopper' })];
  const upload = (owner: typeof member, name: string, length = 1) =>
    site.upload(owner, { name, type: 'text/plain', contents: Buffer.alloc(length, 'a') });
  for (const name of ['one.txt', 'two.txt', 'three.txt', 'four.txt']) await upload(member, name);
  const shared = await upload(other, 'for everyone.txt', 1_234_567);
  expect(
    await site.call(other, 'POST', `/api/attachments/${shared}/sharing`, { sharing: 'everyone' }),
  ).toMatchObject({ status: 200 });
  await upload(other, 'secret.txt');
  await upload(member, 'five.txt');
  // Sign-ins are distinguished by their second (`auth_time`), which may be that of the browser's sign-in.
  await site.sql(
    `update sign_ins set session = session || ' earlier' from people where people.id = person_id and email = $1`,
    [member.email],
  );
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await signIn(page, member);
  await expect(page.getByText('Member since')).toBeVisible();
  await expect(page.getByText(member.email)).toBeVisible();
  await expect(page.getByText(/^Chrome on .*, from /).first()).toBeVisible();
  await expect(page.getByRole('list', { name: 'At a glance' })).toHaveCount(0);
  expect(requested).toContain('/api/dashboard');
  // Live events of members are tested in events.test.ts.
  expect(requested.filter((path) => /^\/api\/(?:dashboard\/|activity)/.test(path))).toEqual([]);

  // A member who has just signed up.
  await page.route('**/api/dashboard', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), signIns: [] } });
  });
  await page.reload();
  await expect(page.getByText('None yet.')).toBeVisible();

  const files = page.locator('.card').filter({ hasText: 'Latest attachments' }).getByRole('listitem');
  await expect(files.getByRole('link')).toHaveText([
    'five.txt',
    'for everyone.txt',
    'four.txt',
    'three.txt',
    'two.txt',
  ]);
  await expect(files.nth(1)).toContainText('Grace Hopper · 1.18 MB');
  await expect(files.first().getByRole('link')).toHaveAttribute('href', /^\/attachment\?file=[\w%-]+$/);
  await files.first().getByRole('link').click();
  await expect(page.getByRole('dialog', { name: 'five.txt' })).toContainText('a');
});

test('tiles, funnel and charts open the lists that they count, with the same filters, by pointer and keyboard (K1)', async ({
  page,
  site,
}) => {
  await site.createMember();
  const bounced = await inviteUnreachable(site);
  const { id } = await site.invite(createPerson().email);
  await site.sql("update invitations set expires_at = now() + interval '1 day' where id = $1", [id]);
  await openAsAdministrator(page, site);
  for (const [name, ...filters] of [
    ['Active people', 'Status: Active'],
    ['Open invitations', 'Status: Pending, Opened'],
    ['Expiring soon', 'Status: Pending, Opened', /Expires: up to/],
    ['Failed e-mails', 'Status: Pending, Opened', 'Delivery: Failed'],
  ] as const) {
    const count = await shown(page, name);
    expect(count, name).toBeGreaterThan(0);
    await tile(page, name).click();
    await expectListOf(page, count, ...filters);
    if (name === 'Failed e-mails') await searchFor(page, bounced);
    await goBack(page);
    await expect(tile(page, name)).toBeVisible();
  }

  const funnel = chart(page, 'From invitation to member');
  const redeemed = Number(
    /^(\d+)/.exec((await funnel.locator('.funnel-value').last().textContent()) ?? '')?.[1],
  );
  expect(redeemed).toBeGreaterThan(0);
  await funnel.getByRole('link', { name: 'Redeemed' }).click();
  await expectListOf(page, redeemed, 'Status: Redeemed', /Invited: from/);
  await goBack(page);

  await page.getByText('A year', { exact: true }).click();
  await expect(page).toHaveURL(/days=364/);
  const signIns = chart(page, 'Sign-ins per week');
  await expect(signIns.locator('.bar-chart-bar')).toHaveCount(52);
  await site.sql("insert into counts (what, at, count) values ('sign_in', now() - interval '3 days', 5)");
  await page.getByText('7 days', { exact: true }).click();
  const daily = chart(page, 'Sign-ins per day');
  await expect(daily.locator('.bar-chart-bar')).toHaveCount(7);
  await daily.locator('.bar-chart-link').last().click();
  await expect(page).toHaveURL(/\/layout\/people\?filters=/);
  await searchFor(page, site.administrator.email);
  await goBack(page);

  // The bars are one tab stop. Tab focuses the latest bar at first, and later the bar that was focused last.
  const bars = daily.getByRole('group', { name: 'Sign-ins per day' }).getByRole('link');
  await daily.getByRole('button', { name: 'Copy' }).focus();
  await page.keyboard.press('Tab');
  await expect(bars.last()).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  const before = bars.nth((await bars.count()) - 2);
  await expect(before).toBeFocused();
  await expect(before).toHaveAccessibleName(/: \d+ sign-ins?$/);
  await page.keyboard.press('Tab');
  await expect(daily.locator('a:focus')).toHaveCount(0);
  await page.keyboard.press('Shift+Tab');
  await expect(before).toBeFocused();
  await page.keyboard.press('Home');
  await expect(bars.first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/layout\/people\?filters=/);
});

test('a part whose script cannot be loaded fails alone, and is loaded by "Try again"', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/dynamically imported module|ERR_FAILED/, 'the script is missing');
  await site.invite(createPerson().email);
  await context.route('**/assets/entry-dialog-*.js', (route) => route.abort());
  await openAsAdministrator(page, site);
  const entry = page.locator('.activity-timeline').getByRole('button').first();
  await entry.click();
  const failed = page.getByRole('dialog', { name: 'This part failed' });
  await expect(failed).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome, ${site.administrator.name}`);
  await expect(tile(page, 'Active people')).toBeVisible();
  await context.unroute('**/assets/entry-dialog-*.js');
  const isReloaded = page.waitForEvent('load');
  await failed.getByRole('button', { name: 'Try again' }).click();
  await isReloaded;
  await entry.click();
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('figures are reloaded after an error, copied, and show changes within seconds; the tab title reports a failed mail (K1)', async ({
  page,
  context,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 503/, 'the figures are refused');
  await page.route('**/api/dashboard/figures?*', (route) =>
    route.fulfill({
      status: 503,
      json: { code: 'server.unavailable', message: 'Try again in a minute.', requestId: 'abc123' },
    }),
  );
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openAsAdministrator(page, site);
  await expect(page.getByText('The figures could not be loaded')).toBeVisible();
  await expect(page.getByText('Try again in a minute.')).toBeVisible();
  await expect(page.getByText('Member since')).toBeVisible();
  await page.unroute('**/api/dashboard/figures?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(tile(page, 'Active people')).toBeVisible();

  const funnel = chart(page, 'From invitation to member');
  await funnel.getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByText('You can paste the figures into a spreadsheet.')).toBeVisible();
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
  expect(copied[0]).toBe('Stage\tInvitations\tPercent');
  expect(copied).toHaveLength(5);
  expect(copied[1]).toMatch(/^Created\t\d+\t100\s?%$/);

  const open = await shown(page, 'Open invitations');
  const { email } = createPerson();
  await site.invite(email);
  await expect(page.getByRole('button', { name: `Invited ${email}` })).toBeVisible();
  await expect.poll(() => shown(page, 'Open invitations')).toBe(open + 1);

  // The tab title reports a failed mail until the administrator opens the dashboard.
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await expect(page).toHaveTitle(/^People · /);
  await inviteUnreachable(site);
  await page.reload();
  await expect(page).toHaveTitle(/^\(1\) People · /);
  await expect(icon(page)).toHaveAttribute('href', '/favicon-waiting.svg');
  await page.getByRole('link', { name: 'Attachments', exact: true }).click();
  await expect(page).toHaveTitle(/^\(1\) Attachments · /);

  await page.getByRole('link', { name: 'Dashboard' }).click();
  await expect(tile(page, 'Failed e-mails').locator('.tile-danger')).toBeVisible();
  await expect(page).toHaveTitle(/^Welcome/);
  await expect(icon(page)).toHaveAttribute('href', '/favicon.svg');
});
