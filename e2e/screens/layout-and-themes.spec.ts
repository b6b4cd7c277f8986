/** Frames, themes, animations and widths (B1, G1 to G4). */
import { productNameMaximum } from '@vestibule/contract/rules/limits';
import { themes } from '../../apps/web/src/ui/themes/themes.ts';
import { themeNames } from './theme-names.ts';
import {
  openAsAdministrator,
  getErrorDialog,
  expect,
  expectDashboard,
  expectSignInPage,
  signIn,
  signOut,
  openBlankPage,
  test,
  type Page,
} from '../fixtures/site-test.ts';

const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset['theme']);
const menu = (page: Page, entry: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: entry });

test('in a frame only the empty component starts: no router, UI components or user data (B1)', async ({
  page,
  site,
}) => {
  const member = await site.createMember();
  await signIn(page, member);
  await openBlankPage(page);
  for (const address of ['/', '/layout/dashboard', '/signup?i=AAAA', '/error']) {
    const requested: string[] = [];
    page.on('request', (request) => {
      if (request.frame().parentFrame()) requested.push(new URL(request.url()).pathname);
    });
    await page.evaluate(async (src) => {
      const frame = document.createElement('iframe');
      frame.src = src;
      document.body.replaceChildren(frame);
      await new Promise((resolve) => frame.addEventListener('load', resolve));
    }, address);
    const [, frame] = page.frames();
    await expect(frame!.locator('body')).toBeEmpty();
    expect(requested.filter((path) => path.startsWith('/api/'))).toEqual([]);
    expect(
      requested.filter((path) => /^\/assets\/(?:application|layout|react|routes|signed-in)/.test(path)),
    ).toEqual([]);
    page.removeAllListeners('request');
  }
});

test('Ctrl+Alt and a digit select a theme, which survives reload and sign-out (G1)', async ({
  page,
  site,
}) => {
  const member = await site.createMember();
  await signIn(page, member);
  for (const { index, id } of themes) {
    await page.keyboard.press(`Control+Alt+Digit${index}`);
    expect(await themeOf(page)).toBe(id);
    await expect(page.getByRole('status').filter({ hasText: `Theme: ${themeNames[index]}` })).toBeVisible();
  }
  const [, , , , , chosen] = themes;
  await page.keyboard.press('Control+Alt+Digit5');
  await page.reload();
  expect(await themeOf(page)).toBe(chosen.id);
  await signOut(page);
  await expectSignInPage(page);
  await page.goto('/nothing-here');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  expect(await themeOf(page)).toBe(chosen.id);
});

for (const [colorScheme, id] of [
  ['light', 'daylight'],
  ['dark', 'nightfall'],
] as const)
  test(`a system in ${colorScheme} mode gets the default theme ${id}`, async ({ otherBrowser }) => {
    const page = await otherBrowser({ colorScheme });
    await page.goto('/nothing-here');
    expect(await themeOf(page)).toBe(id);
  });

test('a new screen slides in vertically within 0.8 seconds and accepts clicks meanwhile (G2)', async ({
  page,
  site,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await openAsAdministrator(page, site);
  // Observes the animation from its start: on a busy machine it may end before a query.
  const started = page.evaluate(
    () =>
      new Promise<{ duration: unknown; from: string }>((resolve) => {
        document.addEventListener('animationstart', ({ target }) => {
          const panel = (target as Element).closest('.shell-panel');
          const [animation] = panel?.getAnimations() ?? [];
          const [from] = (animation?.effect as KeyframeEffect | undefined)?.getKeyframes() ?? [];
          if (animation)
            resolve({
              duration: animation.effect?.getTiming().duration,
              from: String(from?.['transform']),
            });
        });
      }),
  );
  await menu(page, 'People').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('People');
  const slide = await started;
  expect(slide.duration).toBe(800);
  expect(slide.from).toMatch(/^translateY\(/);
  const { animationTimingFunction } = await page
    .locator('.shell-panel')
    .evaluate((panel) => ({ animationTimingFunction: getComputedStyle(panel).animationTimingFunction }));
  expect(animationTimingFunction).toBe('ease-in-out');

  // Two more navigations start during the animation; the last one determines the screen.
  await menu(page, 'Activity').click({ force: true });
  await menu(page, 'Invitations').click({ force: true });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Invitations');
  expect(new URL(page.url()).pathname).toBe('/layout/invitations');
});

test('the shell does not move between screens, including /layout and /attachment (A3, A5)', async ({
  page,
  site,
}) => {
  await openAsAdministrator(page, site);
  await page.locator('.shell-top, .shell-nav, .shell-main').evaluateAll((parts) => {
    for (const part of parts) part.setAttribute('data-seen', '');
  });
  for (const screen of ['Attachments', 'People', 'Attachments', 'Dashboard']) {
    await menu(page, screen).click();
    await expect(menu(page, screen)).toHaveAttribute('aria-current', 'page');
    await expect(page.locator('[data-seen]')).toHaveCount(3);
  }

  // A list takes the full width.
  await page.setViewportSize({ width: 1920, height: 900 });
  await menu(page, 'People').click();
  const list = (await page.locator('.ag-root-wrapper').boundingBox())!;
  const main = (await page.getByRole('main').boundingBox())!;
  expect(list.width).toBeGreaterThan(main.width - 100);
});

test('a scroll bar does not shift the header (A3)', async ({ page, site }) => {
  await openAsAdministrator(page, site);
  const button = page.getByRole('banner').locator('button[aria-haspopup="menu"]').last();
  const before = await button.boundingBox();
  // Headless browsers hide scroll bars, so the page is narrowed like a scroll bar would.
  await page.addStyleTag({ content: 'html { width: calc(100vw - 15px) }' });
  await expect(page.locator('.shell-top')).toHaveCSS('width', '1265px');
  expect(await button.boundingBox()).toEqual(before);
});

test('dialogs shrink on a narrow screen and nothing overflows (G3, G4)', async ({ otherBrowser, site }) => {
  const page = await otherBrowser({ viewport: { width: 360, height: 780 } });
  const expectFits = async () => {
    const box = await page.getByRole('dialog').boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(360);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  };
  await page.goto('/signup?i=CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC');
  await expect(page.getByRole('dialog')).toContainText('Invite link is invalid.');
  await expectFits();

  await page.evaluate(() =>
    window.sessionStorage.setItem('errorMessage', JSON.stringify({ message: 'A sentence. '.repeat(20) })),
  );
  await page.goto('/error');
  await expect(getErrorDialog(page)).toBeVisible();
  await expectFits();
  await getErrorDialog(page).getByRole('button', { name: 'Ok' }).click();

  await expectSignInPage(page);
  await openAsAdministrator(page, site, '/layout/invitations');
  await page.getByRole('button', { name: 'Invite someone' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectFits();

  // The button contains an address that is longer than the screen (D14).
  const { link } = await site.invite(
    `attendee-with-a-long-name@${'a-long-department.'.repeat(4)}example.com`,
  );
  await page.goto(link);
  const goOn = page.getByRole('button', { name: /^Continue as attendee-with/ });
  await expect(goOn).toBeVisible();
  await expectFits();
  const box = (await goOn.boundingBox())!;
  const frame = (await page.getByRole('dialog').boundingBox())!;
  expect(box.x + box.width).toBeLessThanOrEqual(frame.x + frame.width);
  expect(
    await goOn.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
  ).toBeLessThanOrEqual(0);
});

test('every screen fits a width of 320 px (G4)', async ({ otherBrowser, site }) => {
  const page = await otherBrowser({ viewport: { width: 320, height: 640 } });
  await openAsAdministrator(page, site);
  for (const screen of ['dashboard', 'people', 'invitations', 'activity', 'settings/e-mail']) {
    await page.goto(`/layout/${screen}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  }
  await page.getByRole('button', { name: 'Menu' }).click();
  await menu(page, 'Dashboard').click();
  await expectDashboard(page, site.administrator);

  // A short site name is shown completely. The longest allowed name is truncated and has its full text as title.
  const name = page.locator('.shell-brand span');
  const cut = () =>
    name.evaluate(({ scrollWidth, scrollHeight, clientWidth, clientHeight }) =>
      Math.max(scrollWidth - clientWidth, scrollHeight - clientHeight),
    );
  expect(await cut()).toBeLessThanOrEqual(0);
  const long = 'Northern Lights Telecommunications Cooperative Members Portal'.slice(0, productNameMaximum);
  await page.route('**/api/config', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ProductName: long } });
  });
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 640 });
    await page.reload();
    await expect(page.getByRole('link', { name: long })).toBeVisible();
    await expect(name).toHaveAttribute('title', long);
    expect(await cut()).toBeGreaterThan(0);
    const top = (await page.locator('.shell-top').boundingBox())!;
    const brand = (await page.locator('.shell-brand').boundingBox())!;
    expect(brand.height).toBeLessThanOrEqual(top.height);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const buttons = page.getByRole('banner').getByRole('button');
    await expect(buttons.last()).toBeInViewport({ ratio: 1 });
    for (const button of await buttons.all())
      expect((await button.boundingBox())!.width).toBeGreaterThanOrEqual(40);
  }
});
