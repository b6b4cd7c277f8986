/**
 * `npm run screenshots`: every screen and every page of the embedded provider, in a light and a dark theme, wide and
 * on a phone, into the ignored folder `screenshots/`. For looking at; it asserts nothing.
 */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { chromiumArguments, findBrowser } from '../tools/browser.ts';
import { somebody, startSite, type Site } from './running-site.ts';

const folder = path.join(import.meta.dirname, '..', 'screenshots');
const looks = [
  { name: 'light', theme: 'daylight', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'dark', theme: 'nightfall', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'phone-light', theme: 'daylight', colorScheme: 'light', viewport: { width: 360, height: 780 } },
  { name: 'phone-dark', theme: 'nightfall', colorScheme: 'dark', viewport: { width: 360, height: 780 } },
] as const;

const site = await startSite();
const browser = await chromium.launch({ executablePath: await findBrowser(), args: chromiumArguments });
try {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of ['Grace Hopper', 'Alan Kay', 'Barbara Liskov']) await site.member({ name });
  for (let invited = 0; invited < 8; invited += 1) await site.invite(somebody().email);
  const { id } = await site.invite(somebody().email);
  await site.order('POST', `/api/invitations/${id}/revoke`);
  for (const look of looks) await takeAll(look);
  console.log(`Screenshots are in ${path.relative(process.cwd(), folder)}/`);
} finally {
  await browser.close();
  await site.stop();
}

async function takeAll({ name: look, theme, colorScheme, viewport }: (typeof looks)[number]): Promise<void> {
  const context = await browser.newContext({
    baseURL: site.url,
    viewport,
    colorScheme,
    reducedMotion: 'reduce',
  });
  await context.addCookies([{ name: 'theme', value: theme, url: site.url }]);
  const page = await context.newPage();
  const take = async (screen: string) => {
    await page.screenshot({ path: path.join(folder, `${screen}.${look}.png`) });
    console.log(`${screen} (${look})`);
  };

  await beforeTheDoor(page, take);
  await behindTheDoor(page, take, site);
  await context.close();

  const mailbox = await browser.newPage({ viewport, colorScheme });
  await mailbox.goto(site.mailboxUrl);
  await mailbox.waitForLoadState('networkidle');
  await mailbox.screenshot({ path: path.join(folder, `mailbox.${look}.png`) });
  await mailbox.close();
}

type Take = (screen: string) => Promise<void>;

async function beforeTheDoor(page: Page, take: Take): Promise<void> {
  // Held still on the login screen: the configuration never comes.
  await page.route('**/api/config', () => {});
  await page.goto('/');
  await take('login');
  // Away first: a request that is let go would send this page to the provider.
  await page.goto('about:blank');
  await page.unroute('**/api/config');
  await page.route('**/api/config', (route) => route.abort());
  await page.goto('/');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await take('login-failed');
  await page.unroute('**/api/config');

  await page.goto('/signup?i=unknown');
  await page.getByText('Invite link is invalid').waitFor();
  await take('sign-up-invalid');
  await page.evaluate(() =>
    sessionStorage.setItem(
      'errorMessage',
      JSON.stringify({ message: 'Nobody has invited this address yet.', reference: '5f0c2b7a9e4d1c38' }),
    ),
  );
  await page.goto('/error');
  await page.getByRole('dialog').waitFor();
  await take('error');
  await page.evaluate(() => sessionStorage.clear());
  await page.goto('/no-such-page');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await take('not-found');

  const { link } = await site.invite(somebody().email);
  await page.goto(link);
  await page.locator('#continue').waitFor();
  await take('provider-sign-up');
  await page.goto('/');
  await page.locator('#next').waitFor();
  await take('provider-sign-in');
  await page.locator('#forgotPassword').click();
  await page.locator('#sendCode').waitFor();
  await take('provider-new-password');
}

async function behindTheDoor(page: Page, take: Take, { administrator }: Site): Promise<void> {
  await page.goto('/');
  await page.locator('#email').fill(administrator.email);
  await page.locator('#password').fill(administrator.password);
  await page.locator('#next').click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  for (const screen of ['dashboard', 'invitations', 'people', 'activity', 'settings']) {
    await page.goto(`/layout/${screen}`);
    await loaded(page);
    if (['invitations', 'people', 'activity'].includes(screen))
      await page.locator('.ag-row .ag-cell:not(.grid-cell-waiting)').first().waitFor();
    await take(screen);
  }
  await page.goto('/attachment');
  await loaded(page);
  await take('attachment');
  await invitationScreens(page, take);
  await peopleScreens(page, take);
  await settingsScreens(page, take);
  await page.getByRole('button', { name: administrator.name }).click();
  await page.getByRole('menu').waitFor();
  await take('person-menu');
}

/** Screens follow changes elsewhere, so their network is never idle; nothing waits when no skeleton is left. */
async function loaded(page: Page): Promise<void> {
  await page.locator('.shell').waitFor();
  await page.waitForFunction(() => document.querySelector('.skeleton') === null);
}

async function invitationScreens(page: Page, take: Take): Promise<void> {
  const dialog = page.getByRole('dialog').last();
  await page.goto('/layout/invitations');
  await page.locator('.ag-row .ag-cell:not(.grid-cell-waiting)').first().waitFor();
  await page.getByRole('button', { name: 'Invite somebody' }).first().click();
  await dialog.getByLabel('E-mail addresses').fill('not an address');
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await dialog.getByText('This is not an e-mail address').first().waitFor();
  await take('invite');
  const people = [somebody(), somebody()].map(({ email, name }) => `${name} <${email}>`);
  await dialog
    .getByLabel('E-mail addresses')
    .fill([...people, people[0], 'not.an.address', (await site.member({})).email].join('\n'));
  await dialog.getByRole('button', { name: /^Check \d+ addresses/ }).click();
  await dialog.getByRole('status').waitFor();
  await take('invite-check');
  await dialog.getByRole('button', { name: /^Send \d+ invitations/ }).click();
  await page.getByRole('dialog', { name: 'Invitations sent' }).waitFor();
  await take('invite-sent');
  await page.getByRole('button', { name: 'Done' }).click();
  for (const [entry, screen] of [
    ['QR code', 'invitation-qr-code'],
    ['Change address', 'invitation-change-address'],
    ['Revoke', 'invitation-revoke'],
  ] as const) {
    await page.getByRole('button', { name: 'Actions' }).first().click();
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
    await dialog.waitFor();
    await take(screen);
    await page.keyboard.press('Escape');
  }
  await page.locator('.ag-row .ag-cell').nth(1).click();
  await dialog.getByRole('listitem').first().waitFor();
  await take('invitation');
  await page.keyboard.press('Escape');
}

async function peopleScreens(page: Page, take: Take): Promise<void> {
  await page.goto('/layout/people');
  await page.locator('.ag-row .ag-cell:not(.grid-cell-waiting)').first().waitFor();
  for (const box of (await page.locator('.ag-row').getByRole('checkbox').all()).slice(0, 2))
    await box.click();
  await take('people-selected');
  await page.goto('/layout/people');
  await page
    .getByRole('row', { name: 'Grace Hopper' })
    .first()
    .getByRole('button', { name: 'Actions' })
    .click();
  await page.getByRole('menuitem').first().click();
  await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor();
  await loaded(page);
  await take('person');
  await page.goto('/layout/activity');
  await page.locator('.ag-row .ag-cell:not(.grid-cell-waiting)').first().click();
  await page.getByRole('dialog').waitFor();
  await take('activity-entry');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Verify the log' }).click();
  await page.getByRole('dialog').waitFor();
  await take('activity-verify');
}

async function settingsScreens(page: Page, take: Take): Promise<void> {
  await page.goto('/layout/settings');
  await page.getByRole('button', { name: 'Check the provider' }).click();
  await page.getByRole('list', { name: 'What was found' }).waitFor();
  for (const title of ['Invitations', 'Mail', 'Access tokens']) {
    await page.getByRole('heading', { name: title, exact: true }).scrollIntoViewIfNeeded();
    await take(`settings-${title.toLowerCase().replace(' ', '-')}`);
  }
  await page.getByRole('list', { name: 'What was found' }).scrollIntoViewIfNeeded();
  await take('settings-check');
  await page.getByRole('button', { name: 'See how mails look' }).click();
  await page.getByRole('dialog', { name: 'How mails look' }).waitFor();
  await loaded(page);
  await take('settings-mails');
  await page.keyboard.press('Escape');
}
