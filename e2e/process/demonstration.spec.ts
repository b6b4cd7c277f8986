/** The notice on public sites that use development components (O7, L5). */
import { expectNoViolation } from '../screens/axe.ts';
import {
  openAsAdministrator,
  getErrorDialog,
  expect,
  expectSignInPage,
  test,
} from '../fixtures/site-test.ts';
import type { Page } from '../fixtures/site-test.ts';

const english = 'For demonstration only. Do not enter real data.';
const german = 'Nur zur Vorführung. Keine echten Daten eingeben.';
const phone = { width: 320, height: 640 };

const notice = (page: Page) => page.getByRole('complementary', { name: /^(?:Demonstration|Vorführung)$/ });

/** Checks, on a wide screen and on a phone, that the notice is visible without scrolling and covers no content permanently. */
async function expectNotice(page: Page, text = english): Promise<void> {
  const wide = page.viewportSize() ?? { width: 1280, height: 720 };
  for (const size of [phone, wide]) {
    await page.setViewportSize(size);
    await expect(notice(page)).toHaveText(text);
    await expect(notice(page)).toBeInViewport({ ratio: 1 });
    const [height, room] = await notice(page).evaluate((one): [number, number] => [
      one.getBoundingClientRect().height,
      Number.parseFloat(getComputedStyle(document.body).paddingBottom),
    ]);
    expect(room).toBeGreaterThanOrEqual(height - 1);
  }
}

async function look(page: Page, name: string): Promise<void> {
  await expectNotice(page);
  await expectNoViolation(page, name);
}

test.use({ serverEnv: { HOST: '0.0.0.0', ALLOW_DEVELOPMENT_PARTS: 'yes' } });

test('the demonstration notice is on the signed-out pages: sign-up, error and login (O7)', async ({
  page,
  site,
  context,
}) => {
  await page.goto('/signup?i=DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD');
  await expect(page.getByRole('dialog')).toContainText('Invite link is invalid.');
  await look(page, 'sign-up');
  await page.evaluate(() => window.sessionStorage.setItem('errorMessage', '{"message":"It did not work."}'));
  await page.goto('/error');
  await expect(getErrorDialog(page)).toBeVisible();
  await look(page, 'error');
  expect(await (await fetch(`${site.url}/api/docs`)).text()).toContain('for demonstration only');
  // The provider never responds, so the login screen stays.
  await context.route(`${site.providerUrl}/**`, () => {});
  await page.goto('/');
  await look(page, 'login');
  await context.unrouteAll({ behavior: 'ignoreErrors' });
});

test('the pages of the provider and of the mailbox show a development notice (L5)', async ({
  page,
  site,
}) => {
  await page.goto('/');
  await expectSignInPage(page);
  await expect(page.getByText('Development sign-in. Not for production.')).toBeInViewport();
  await page.goto(site.mailboxUrl);
  await expect(page.getByText('For development: mails land here')).toBeInViewport();
});

test('the demonstration notice is on signed-in screens, in the selected language (O7)', async ({
  page,
  site,
}) => {
  await openAsAdministrator(page, site);
  await expectNotice(page);
  await page.goto('/layout/settings/safety');
  const findings = page.getByRole('list', { name: 'What was found' });
  await expect(findings.getByText('remove ALLOW_DEVELOPMENT_PARTS')).toBeVisible();
  await look(page, 'what weakens the site');
  await page.goto('/layout/profile');
  await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
  await expectNotice(page, german);
});
