/** No screen and no page of the provider breaks a rule that axe can check (G4): light, dark and high contrast. */
import { AxeBuilder } from '@axe-core/playwright';
import { themes } from '../apps/web/src/ui/themes.ts';
import {
  errorDialog,
  expect,
  expectDashboard,
  expectSignInPage,
  openPersonMenu,
  signIn,
  test,
  type Page,
} from './journey.ts';
import { somebody } from './running-site.ts';

// Still pictures: colours in the middle of a movement are nobody's fault.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

async function expectNoViolation(page: Page, where: string, rules?: string[]): Promise<void> {
  // Legacy: without a second page to collect the answers of frames; there are none.
  const builder = new AxeBuilder({ page }).setLegacyMode(true);
  // A menu stands above the page, beside its landmarks, and has the focus.
  const whole = builder.disableRules((await page.getByRole('menu').isVisible()) ? ['region'] : []);
  const { violations } = await (rules ? builder.withRules(rules) : whole).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n  ')}`);
  expect(found, where).toEqual([]);
}

/** Looks at a screen with every rule, and then at its contrast in other themes, which change without a new page. */
async function expectNoViolationIn(
  looks: readonly { id: string }[],
  page: Page,
  where: string,
): Promise<void> {
  const [first, ...others] = looks;
  for (const theme of [first, ...others]) {
    await page.evaluate((id) => (document.documentElement.dataset['theme'] = id), theme?.id ?? '');
    await expectNoViolation(page, `${where}, ${theme?.id}`, theme === first ? undefined : ['color-contrast']);
  }
}

// Every part is looked at in every theme on the kit's gallery; here a screen with each kind of part is.
const lightAndDark = themes.slice(0, 2);

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

test('the screens before the door break no rule', async ({ page }) => {
  await page.goto('/nothing-here');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expectNoViolationIn(lightAndDark, page, 'page not found');
  await page.goto('/signup?i=DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD');
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectNoViolationIn(lightAndDark, page, 'invalid link');
  await page.evaluate(() => window.sessionStorage.setItem('errorMessage', '{"message":"It did not work."}'));
  await page.goto('/error');
  await expect(errorDialog(page)).toBeVisible();
  await expectNoViolationIn(themes, page, 'error');
});

test('the login screen breaks no rule in any theme', async ({ page, context }) => {
  // The configuration never comes, so the screen stays.
  await context.route('**/api/config', () => {});
  await page.goto('/');
  await expect(page.getByRole('status')).toHaveText('Opening the door…');
  await expectNoViolationIn(themes, page, 'login');
  await context.unrouteAll({ behavior: 'ignoreErrors' });
});

for (const screen of ['dashboard', 'people', 'invitations', 'activity', 'settings'])
  test(`the screen ${screen} breaks no rule`, async ({ page, site }) => {
    await site.invite(somebody().email);
    await signIn(page, site.administrator);
    await page.goto(`/layout/${screen}`);
    await expect(page.locator('.shell')).toBeVisible();
    if (['people', 'invitations', 'activity'].includes(screen))
      await expect(page.getByRole('gridcell').nth(1)).not.toBeEmpty();
    else await expect(page.locator('.skeleton')).toHaveCount(0);
    await expectNoViolationIn(screen === 'people' ? themes : lightAndDark, page, screen);
  });

test('an open dialog, an open menu and the attachment area break no rule', async ({ page, site }) => {
  await signIn(page, site.administrator);
  await expectDashboard(page, site.administrator);
  await openPersonMenu(page);
  await expect(page.getByRole('menu')).toBeVisible();
  await expectNoViolation(page, 'person menu');
  await page.goto('/layout/invitations');
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expectNoViolationIn(themes, page, 'invite dialog with an error');
  await page.goto('/attachment');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectNoViolation(page, 'attachments');
});
