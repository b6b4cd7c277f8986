/** A site for demonstration (O7) without mail (SMTP_URL=off), on which administrators hand over the invitation links (N). */
import { expectNoViolation } from '../screens/axe.ts';
import { createPerson } from '../../packages/testing/src/site.ts';
import { findOpenPorts, otherAddresses } from './process-test.ts';
import {
  openAsAdministrator,
  expect,
  expectSignInPage,
  goBack,
  test,
  type Page,
} from '../fixtures/site-test.ts';

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

test.use({ serverEnv: { HOST: '0.0.0.0', ALLOW_DEVELOPMENT_PARTS: 'yes', SMTP_URL: 'off' } });

test('the demonstration notice is on signed-out pages and the API documentation, and the provider stays local (L5, O7)', async ({
  page,
  site,
}) => {
  await page.goto('/signup?i=DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD');
  await expect(page.getByRole('dialog')).toContainText('Invite link is invalid.');
  await expectNotice(page);
  await expectNoViolation(page, 'sign-up');
  expect(await (await fetch(`${site.url}/api/docs`)).text()).toContain('for demonstration only');
  // The provider stays local.
  for (const host of otherAddresses())
    expect(['', 'web'], host).toContain((await findOpenPorts(site.server, host)).join());
});

test('without mail an invitation is accepted by its link, and screens show that mail is off (K2, K5, N)', async ({
  page,
  site,
}) => {
  const person = createPerson();
  const { link } = await site.invite(person.email);
  const { body } = await site.call(site.administrator, 'GET', `/api/invitations?search=${person.email}`);
  expect(body['rows']).toMatchObject([{ email: person.email, mailState: 'none' }]);
  await site.signUp(person, link);
  await openAsAdministrator(page, site, '/layout/settings/e-mail');
  await expect(page.getByText(/E-mail is turned off\. Copy the link/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send me a test e-mail' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Preview e-mails' })).toBeVisible();
  const { email } = createPerson();
  await page.goto('/layout/invitations');
  await expect(page.getByText('This site does not send e-mail. Copy each link')).toBeVisible();
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  const form = page.getByRole('dialog', { name: 'Invite someone' });
  await form.getByLabel('E-mail addresses').fill(email);
  await form.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByText(`The link for ${email} is ready.`)).toBeVisible();
  await expect(page.getByRole('row', { name: email })).toContainText('No e-mail');
});

test('links to the pages of the operator are below screens before sign-in, and in the navigation (K5)', async ({
  page,
  site,
}) => {
  await site.call(site.administrator, 'PATCH', '/api/settings', {
    privacyUrl: 'https://example.com/privacy',
    imprintUrl: 'https://example.com/imprint',
    versions: { privacyUrl: 0, imprintUrl: 0 },
  });
  const links = page.getByRole('link', { name: /^(?:Privacy|Legal) notice$/ });
  await page.setViewportSize(phone);
  // A dialog would make the links inert, so they are hidden.
  await page.goto('/signup?i=DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD');
  await expect(page.getByRole('dialog')).toContainText('Invite link is invalid.');
  await expect(links).toHaveCount(0);
  await page.goto('/');
  await expectSignInPage(page);
  await goBack(page);
  await expect(page.getByText('You have not signed in yet.')).toBeVisible();
  await expect(links).toHaveCount(2);
  for (const link of await links.all()) await link.click({ trial: true });
  await expect(notice(page)).toBeInViewport({ ratio: 1 });
  await expectNoViolation(page, 'links before sign-in');
  await page.getByRole('button', { name: 'Continue', exact: true }).focus();
  await page.keyboard.press('Tab');
  await expect(links.first()).toBeFocused();
  await openAsAdministrator(page, site, '/layout/profile');
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await expect(links).toHaveCount(2);
  await expect(links.first()).toHaveAttribute('href', 'https://example.com/privacy');
});

// Last, because it changes the administrator's language.
test('the demonstration notice is on signed-in screens, in the selected language (O7)', async ({
  page,
  site,
}) => {
  await openAsAdministrator(page, site, '/layout/settings/safety');
  const findings = page.getByRole('list', { name: 'What was found' });
  await expect(findings.getByText('remove ALLOW_DEVELOPMENT_PARTS')).toBeVisible();
  await expectNotice(page);
  await page.goto('/layout/profile');
  await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
  await expectNotice(page, german);
});
