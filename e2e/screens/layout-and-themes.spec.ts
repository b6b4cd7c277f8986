/** Frames, themes, animations and widths (B1, G1 to G4). */
import { openAsAdministrator, expect, openBlankPage, test, type Page } from '../fixtures/site-test.ts';

const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset['theme']);
const menu = (page: Page, entry: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: entry });

test('in a frame only the empty component starts: no router, UI components or user data (B1)', async ({
  page,
  site,
}) => {
  await openAsAdministrator(page, site);
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

test('the system selects the default theme: daylight in light mode, nightfall in dark mode (G1)', async ({
  page,
}) => {
  for (const [colorScheme, id] of [
    ['light', 'daylight'],
    ['dark', 'nightfall'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto('/nothing-here');
    expect(await themeOf(page)).toBe(id);
  }
  // An open page follows the system, until the user chooses a theme.
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(() => themeOf(page)).toBe('daylight');
  await page.keyboard.press('Control+Alt+7');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  expect(await themeOf(page)).toBe('dusk');
});

test('a new screen slides in within 0.8 seconds and accepts clicks, and the shell does not move (A3, A5, G2)', async ({
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

  await page.locator('.shell-top, .shell-nav, .shell-main').evaluateAll((parts) => {
    for (const part of parts) part.setAttribute('data-seen', '');
  });
  for (const screen of ['Attachments', 'Dashboard']) {
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

test('a dialog shrinks on a narrow screen, also with an address that is wider than the screen (D14, G3, G4)', async ({
  page,
  site,
}) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await openAsAdministrator(page, site);
  const { link } = await site.invite(
    `attendee-with-a-long-name@${'a-long-department.'.repeat(4)}example.com`,
  );
  await page.goto(link);
  const button = page.getByRole('button', { name: /^Continue as attendee-with/ });
  await expect(button).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  const box = (await button.boundingBox())!;
  const frame = (await page.getByRole('dialog').boundingBox())!;
  expect(frame.x).toBeGreaterThanOrEqual(0);
  expect(frame.x + frame.width).toBeLessThanOrEqual(360);
  expect(box.x + box.width).toBeLessThanOrEqual(frame.x + frame.width);
  expect(
    await button.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
  ).toBeLessThanOrEqual(0);
});

test('with twice the text size of the browser, the navigation and lists use the layout of phones (G4)', async ({
  page,
  site,
}) => {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  await openAsAdministrator(page, site, '/layout/people');
  await expect(page.getByRole('button', { name: 'Menu', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sort and filter' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Role' })).toHaveCount(0);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/layout/invitations');
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  await expect(page.getByLabel('E-mail addresses')).toBeVisible();
  const overflow = await page
    .locator('.dialog-body')
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(overflow).toBe(0);
});

test('on small screens, as at 400 % zoom, a dialog shows whole fields, and neither buttons nor the bar at the top cover the focused field (G4)', async ({
  page,
  site,
}) => {
  // 1280 × 1024 pixels at 400 % zoom.
  await page.setViewportSize({ width: 320, height: 256 });
  await openAsAdministrator(page, site, '/layout/invitations');
  await page.getByRole('button', { name: 'Invite someone' }).first().click();
  const message = page.getByLabel('Personal message (optional)');
  await message.focus();
  await expect(message).toBeInViewport({ ratio: 1 });

  await page.goto('/layout/settings/site');
  const field = page.getByLabel('Product name', { exact: true });
  await field.fill('Another name');
  await expect(page.getByRole('button', { name: 'Save' })).toBeAttached();
  const isOnTop = await field.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === element;
  });
  expect(isOnTop).toBe(true);

  // Shift+Tab scrolls the focused field out from below the bar at the top.
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.goto('/layout/settings/invitations');
  const [first, second] = ['Valid for (days)', 'Reminder before expiry (days)'].map((label) =>
    page.getByLabel(label, { exact: true }),
  );
  await second!.focus();
  await first!.evaluate((element) => window.scrollBy(0, element.getBoundingClientRect().top - 10));
  await page.keyboard.press('Shift+Tab');
  await expect(first!).toBeFocused();
  const bar = (await page.getByRole('banner').boundingBox())!;
  expect((await first!.boundingBox())!.y).toBeGreaterThanOrEqual(bar.y + bar.height);
});
