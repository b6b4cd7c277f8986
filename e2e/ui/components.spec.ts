/** UI components in their gallery: keyboard, focus, top layer, themes and shell. */
import { contrast, deriveAccent } from '@vestibule/contract/rules/accent';
import { themes } from '../../apps/web/src/ui/themes/themes.ts';
import { expectContrastInOtherThemes, expectNoViolation, expectNoRuleViolation } from '../screens/axe.ts';
import { expect, test, type Page } from './gallery.ts';

test.beforeEach(({ page }) => {
  page.on('console', (message) => {
    if (message.type() === 'error') throw new Error(`The console says: ${message.text()}`);
  });
});

const open = (page: Page, address: string) => page.goto(`/${address}`);
const invite = (page: Page) => page.getByRole('button', { name: 'Invite someone' });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Invite someone' });

test('a dialog focuses its first field or its text, and restores the focus, also if a menu opened it', async ({
  page,
}) => {
  // A dialog with only text that does not fit has a tab stop for scrolling by keyboard.
  await page.setViewportSize({ width: 360, height: 400 });
  await open(page, '');
  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Read the rules' }).press('Enter');
  const text = page.getByRole('region', { name: 'The rules' });
  await expect(text).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(text).toBeFocused();
  await page.keyboard.press('End');
  await expect(text.getByText('12. Members').last()).toBeInViewport();
  await page.setViewportSize({ width: 1280, height: 3000 });
  await expect(text).toHaveCount(0);
  await expect(page.getByText('12. Members').last()).toBeVisible();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1280, height: 800 });

  await invite(page).press('Enter');
  await expect(page.getByLabel('Name (optional)')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect(invite(page)).toBeFocused();

  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  // A menu stays open when the window is resized, as by the keyboard of a phone.
  await page.setViewportSize({ width: 900, height: 700 });
  await expect.poll(() => page.evaluate('innerWidth')).toBe(900);
  await page.getByRole('menuitem', { name: 'Invite from menu' }).press('Enter');
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'More', exact: true })).toBeFocused();

  // A toast over the dialog can be used, and stays open after the dialog closes.
  await invite(page).click();
  await page.getByRole('button', { name: 'Keep' }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'could not be kept' });
  await expect(failed).toContainText('01J9ZK3-7Q');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect(failed).toBeVisible();
  await invite(page).click();
  await failed.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Kept this time')).toBeVisible();
  await expect(failed).toHaveCount(0);
});

test('a form describes an invalid field, keeps typed values across one page unload, and submits once (C8)', async ({
  page,
}) => {
  await open(page, '');
  await invite(page).click();
  const email = page.getByLabel('E-mail address');
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await expect(email).toBeFocused();
  await expect(email).toHaveAccessibleDescription(/Type an e-mail address/);
  await email.fill('taken@example.com');
  await expect(email).not.toHaveAccessibleDescription(/Type an e-mail/);
  await email.press('Enter');
  await expect(email).toHaveAccessibleDescription('This address has been invited already.');
  await email.fill('lost@example.com');
  await email.press('Enter');
  await expect(dialog(page).getByRole('alert')).toHaveText(
    'The invitation could not be sent. Try again in a minute.',
  );
  await expect(email).toHaveValue('lost@example.com');

  await email.fill('half@exam');
  await page.reload();
  await invite(page).click();
  await expect(email).toHaveValue('half@exam');
  await page.keyboard.press('Escape');
  await invite(page).click();
  await expect(email).toHaveValue('');

  // A form submits once however often its button is clicked.
  await page.keyboard.press('Escape');
  const save = page.getByRole('button', { name: 'Save' });
  await save.evaluate(
    (button: HTMLButtonElement) =>
      new Promise<void>((clicked) => {
        // Clicks again as soon as the button becomes busy, because it is busy only briefly.
        new MutationObserver((_, observer) => {
          if (button.ariaBusy !== 'true') return;
          observer.disconnect();
          button.click();
          clicked();
        }).observe(button, { attributes: true });
        // Two clicks before React can render.
        button.click();
        button.click();
      }),
  );
  await expect(page.getByText('Saved 1 times')).toBeVisible();
  await page.waitForTimeout(600);
  await expect(page.getByText('Saved 1 times')).toBeVisible();
});

test('Ctrl+Alt and a digit show each theme immediately, also over a dialog (G1)', async ({ page }) => {
  await open(page, '?theme=ink');
  await invite(page).click();
  for (const { index, id } of themes) {
    const [before, after] = await page.evaluate((digit) => {
      const surface = () => getComputedStyle(document.documentElement).backgroundColor;
      const old = surface();
      const init = { code: `Digit${digit}`, ctrlKey: true, altKey: true, bubbles: true };
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', init));
      return [old, surface()];
    }, index);
    expect(after, id).not.toBe(before);
    await expect(page.locator('html')).toHaveAttribute('data-theme', id);
  }
  await expect(dialog(page).getByText('Theme: Ink')).toBeVisible();
});

test('themes tint selections with a custom accent colour and outline states in high contrast (G1)', async ({
  page,
}) => {
  await open(page, '');
  const all = await page.evaluate(() => window.galleryThemes.allBackgrounds());
  expect(all).toHaveLength(10);
  const cases = ['#ffd400', '#0b6653', '#b02a21', '#808080', '#000000'].flatMap((colour) =>
    all.map(({ theme, on }) => ({ theme, on, colour, shades: deriveAccent(colour, on) })),
  );
  const painted = await page.evaluate(
    (list) =>
      list.map(({ id, shades }) => {
        window.galleryThemes.applyTheme(id);
        window.galleryThemes.paintAccent(shades);
        const probe = document.body.appendChild(document.createElement('div'));
        probe.style.backgroundColor = 'var(--accent-soft)';
        probe.style.color = 'var(--text)';
        const { backgroundColor, color } = getComputedStyle(probe);
        probe.remove();
        return { tint: backgroundColor, text: color };
      }),
    cases.map(({ theme, shades }) => ({ id: theme.id, shades })),
  );
  const hex = (rgb: string) =>
    `#${rgb
      .match(/\d+/g)!
      .map((channel) => Number(channel).toString(16).padStart(2, '0'))
      .join('')}`;
  for (const [index, { theme, on, colour, shades }] of cases.entries()) {
    const { tint, text } = painted[index]!;
    const name = `${colour} in ${theme.id}`;
    // Browsers serialize transparent colours as rgba().
    expect(tint, name).toMatch(/^rgb\(\d+, \d+, \d+\)$/);
    expect(hex(tint), name).toBe(shades.soft);
    expect(on.surfaces.slice(0, 2), name).not.toContain(shades.soft);
    const needed = on.highContrast ? 7 : 4.5;
    expect(contrast(hex(text), shades.soft), name).toBeGreaterThanOrEqual(needed);
    expect(contrast(shades.accent, shades.soft), name).toBeGreaterThanOrEqual(needed);
  }

  for (const theme of ['contrast-light', 'contrast-dark']) {
    await page.evaluate((id) => window.galleryThemes.applyTheme(id), theme);
    for (const badge of await page.locator('.badge').all()) {
      const colour = await badge.evaluate((element) => getComputedStyle(element).color);
      await expect(badge).toHaveCSS('border-top-color', colour);
      await expect(badge).toHaveCSS('border-top-style', 'solid');
      await expect(badge).not.toHaveCSS('border-top-width', '0px');
    }
  }
});

test('the gallery passes axe, in other themes and on a phone (G4)', async ({ page }) => {
  await open(page, '');
  await invite(page).click();
  await expectNoViolation(page, 'parts');
  await expectContrastInOtherThemes(page, 'parts');
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoRuleViolation(page, 'parts on a phone');
});

test('a new screen sets tab title and focus, and does not animate with reduced motion (G2)', async ({
  page,
}) => {
  await open(page, '');
  const people = page.getByRole('link', { name: 'People' });
  await people.click();
  const running = await page.evaluate(() => document.querySelector('.shell-panel')!.getAnimations().length);
  expect(running).toBe(0);
  await expect(page).toHaveTitle('People · Vestibule');
  await expect(page.getByRole('main', { name: 'People' })).toBeFocused();

  // A narrow screen folds the navigation and closes it after use.
  await page.setViewportSize({ width: 320, height: 640 });
  await expect(people).toBeHidden();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Parts' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Parts' })).toBeVisible();
  await expect(people).toBeHidden();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});
