/** UI components in their gallery: keyboard, focus, top layer, themes and shell. */
import { contrast, deriveAccent } from '@vestibule/contract/rules/accent';
import { themes } from '../../apps/web/src/ui/themes/themes.ts';
import { themeNames } from '../screens/theme-names.ts';
import { expectContrastInEveryTheme, expectNoViolation, expectNoRuleViolation } from '../screens/axe.ts';
import { expect, test, type Page } from './gallery.ts';

test.beforeEach(({ page }) => {
  page.on('console', (message) => {
    if (message.type() === 'error') throw new Error(`The console says: ${message.text()}`);
  });
});

const open = (page: Page, address: string) => page.goto(`/${address}`);
const invite = (page: Page) => page.getByRole('button', { name: 'Invite someone' });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Invite someone' });

test.describe('dialog', () => {
  test('focuses its first field, closes on Esc and restores the focus', async ({ page }) => {
    await open(page, '');
    await invite(page).press('Enter');
    await expect(page.getByLabel('Name (optional)')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
    await expect(invite(page)).toBeFocused();
  });

  test('restores the focus to the menu button if a menu opened it', async ({ page }) => {
    await open(page, '');
    await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'Invite from menu' }).press('Enter');
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await expect(dialog(page)).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'More', exact: true })).toBeFocused();
  });

  test('stays open when Esc closes a menu inside it, and the menu works by keyboard', async ({ page }) => {
    await open(page, '');
    await invite(page).click();
    await page.getByRole('button', { name: 'Options' }).press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Greet' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menuitem', { name: 'Greet' })).toHaveCount(0);
    await expect(dialog(page)).toBeVisible();
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByRole('menuitem', { name: 'Greet' }).click();
    await expect(page.getByText('Done: Hello')).toBeVisible();
  });

  test('does not block a toast over it, which stays open after the dialog closes', async ({ page }) => {
    await open(page, '');
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

  test('has a tab stop for scrolling by keyboard if it contains only text that does not fit', async ({
    page,
  }) => {
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
  });
});

test.describe('form', () => {
  test('names, marks and focuses an invalid field, for browser and server validation', async ({ page }) => {
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
  });

  test('keeps typed values across one page unload (C8)', async ({ page }) => {
    await open(page, '');
    await invite(page).click();
    await page.getByLabel('E-mail address').fill('half@exam');
    await page.reload();
    await invite(page).click();
    await expect(page.getByLabel('E-mail address')).toHaveValue('half@exam');
    await page.keyboard.press('Escape');
    await invite(page).click();
    await expect(page.getByLabel('E-mail address')).toHaveValue('');
  });

  test('submits once however often its button is clicked', async ({ page }) => {
    await open(page, '');
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
});

test.describe('themes', () => {
  test('Ctrl+Alt and a digit show each theme immediately, also over a dialog (G1)', async ({ page }) => {
    await open(page, '?theme=ink');
    await invite(page).click();
    for (const { index, id } of themes) {
      const [before, after] = await page.evaluate((digit) => {
        const surface = () => getComputedStyle(document.documentElement).backgroundColor;
        const old = surface();
        const held = { code: `Digit${digit}`, ctrlKey: true, altKey: true, bubbles: true };
        document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', held));
        return [old, surface()];
      }, index);
      expect(after, id).not.toBe(before);
      await expect(page.locator('html')).toHaveAttribute('data-theme', id);
      await expect(dialog(page).getByText(`Theme: ${themeNames[index]}`)).toBeVisible();
    }
  });

  test('have outlines for states in high contrast (G1)', async ({ page }) => {
    await open(page, '');
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

  test('tint selections with a custom accent colour, with readable text (G1)', async ({ page }) => {
    await open(page, '');
    const all = await page.evaluate(() => window.galleryThemes.allBackgrounds());
    expect(all).toHaveLength(10);
    const wanted = ['#ffd400', '#0b6653', '#b02a21', '#808080', '#000000'].flatMap((colour) =>
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
      wanted.map(({ theme, shades }) => ({ id: theme.id, shades })),
    );
    const hex = (rgb: string) =>
      `#${rgb
        .match(/\d+/g)!
        .map((channel) => Number(channel).toString(16).padStart(2, '0'))
        .join('')}`;
    for (const [index, { theme, on, colour, shades }] of wanted.entries()) {
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
  });

  for (const screen of ['parts', 'grid'])
    test(`pass axe on ${screen} (G4)`, async ({ page }) => {
      await open(page, `?screen=${screen}`);
      if (screen === 'grid') await expect(page.getByText('Ada Lovelace 0')).toBeVisible();
      else await invite(page).click();
      await expectNoViolation(page, screen);
      await expectContrastInEveryTheme(page, screen);
      await page.setViewportSize({ width: 320, height: 640 });
      await expectNoRuleViolation(page, `${screen} on a phone`);
    });
});

test.describe('shell', () => {
  test('folds the navigation on a narrow screen and closes it after use', async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, '');
    const people = page.getByRole('link', { name: 'People' });
    await expect(people).toBeHidden();
    await page.getByRole('button', { name: 'Menu' }).click();
    await people.click();
    await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible();
    await expect(people).toBeHidden();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(320);
  });

  test('sets the tab title and the focus for a new screen', async ({ page }) => {
    await open(page, '');
    await page.getByRole('link', { name: 'People' }).click();
    await expect(page).toHaveTitle('People · Vestibule');
    await expect(page.getByRole('main')).toBeFocused();
  });

  test('does not animate with reduced motion (G2)', async ({ page }) => {
    await open(page, '');
    await page.getByRole('link', { name: 'People' }).click();
    const running = await page.evaluate(() => document.querySelector('.shell-panel')!.getAnimations().length);
    expect(running).toBe(0);
  });

  test('has a menu that selects a theme by keyboard', async ({ page }) => {
    await open(page, '');
    await page.getByRole('button', { name: /^Ada Lovelace/ }).press('Enter');
    await page.getByRole('menuitemradio', { name: 'Forest' }).press('Enter');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'forest');
    await expect(page.getByRole('menuitemradio', { name: 'Forest' })).toBeChecked();
  });
});
