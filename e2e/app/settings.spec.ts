/** Settings (K5): changing values, mail previews and the provider check. */
import { expect, openAsAdministrator, test, type Page } from '../fixtures/site-test.ts';
import type { Site } from '../../packages/testing/src/site.ts';

// Uses a separate site, because the tests change its settings.
test.use({ serverEnv: { PRODUCT_NAME: 'Portal' } });

async function openSettings(page: Page, site: Site, path = ''): Promise<void> {
  await openAsAdministrator(page, site, `/layout/settings${path}`);
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
}

const section = (page: Page, title: string) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name: title }) });
const area = (page: Page, title: string) =>
  page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: new RegExp(`^${title}`) });
const accentOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim());
const save = (page: Page, title: string) =>
  section(page, title).getByRole('button', { name: 'Save' }).click();

test('a new name applies immediately and can be reset; the second of two administrators sees the current value and keeps the typed one (K5)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'another administrator changed it');
  // The address without a section opens the first section.
  await openSettings(page, site);
  await expect(page).toHaveURL(/\/layout\/settings\/site$/);
  const form = section(page, 'This site');
  await expect(form.getByText('From the server’s configuration (PRODUCT_NAME).')).toBeVisible();
  await expect(form.getByText('Set on the server (PUBLIC_URL), not here.')).toBeVisible();
  await expect(form.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await form.getByLabel('Product name', { exact: true }).fill('  ');
  await save(page, 'This site');
  await expect(form.getByText('Enter a name.')).toBeVisible();
  await form.getByLabel('Product name', { exact: true }).fill('The Gate');
  await save(page, 'This site');
  await expect(page.locator('.shell-brand')).toHaveText('The Gate');
  await expect(page).toHaveTitle('This site · Settings · The Gate');
  await expect(page.getByRole('main')).toHaveAccessibleName('Settings · This site');
  await expect(form.getByText(`Changed by ${site.administrator.name}`)).toBeVisible();
  await expect(form.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await area(page, 'E-mail').click();
  await expect(page.getByLabel("Sender's name", { exact: true })).toHaveValue('The Gate');
  await page.goBack();
  await form.getByRole('button', { name: 'Reset to Portal: Product name' }).click();
  await expect(form.getByLabel('Product name', { exact: true })).toHaveValue('Portal');
  await expect(page.locator('.shell-brand')).toHaveText('Portal');

  const second = await site.createMember({ name: 'Ben Second', role: 'admin' });
  await area(page, 'Invitations').click();
  const mine = section(page, 'Invitations');
  const lifetime = mine.getByLabel('Valid for (days)', { exact: true });
  const domains = mine.getByLabel('Allowed domains', { exact: true });
  await lifetime.fill('20');
  await domains.fill('example.com, @example.org');
  const change = { invitationLifetimeDays: 30, versions: { invitationLifetimeDays: 0 } };
  expect((await site.call(second, 'PATCH', '/api/settings', change)).status).toBe(200);
  await save(page, 'Invitations');
  await expect(
    mine.getByText(`${second.name} has changed this in the meantime. It is now: 30.`),
  ).toBeVisible();
  await expect(lifetime).toHaveValue('20');
  await expect(domains).toHaveValue('example.com, @example.org');
  await save(page, 'Invitations');
  await expect(page.getByText('Done: Saved.')).toBeVisible();
  await expect(domains).toHaveValue('example.com\nexample.org');
  await mine.getByRole('button', { name: 'Reset to none: Allowed domains' }).click();
  await expect(domains).toHaveValue('');
});

test('unsaved values are kept per section; a test mail is delivered; mails are previewed in a frame without scripts (K5, N; security 30)', async ({
  page,
  site,
}) => {
  await openSettings(page, site, '/e-mail');
  const sender = page.getByLabel("Sender's name", { exact: true });
  await sender.fill('The Door');
  await area(page, 'Invitations').click();
  await expect(area(page, 'E-mail')).toHaveText('E-mailNot saved');
  await page.getByLabel('Resends per hour', { exact: true }).fill('9');
  await save(page, 'Invitations');
  await expect(page.getByText('Done: Saved.')).toBeVisible();
  await page.reload();
  await expect(area(page, 'E-mail')).toHaveText('E-mailNot saved');
  await area(page, 'E-mail').click();
  await expect(sender).toHaveValue('The Door');
  await section(page, 'E-mail').getByRole('button', { name: 'Discard changes' }).click();
  await expect(sender).toHaveValue('Portal');
  await expect(area(page, 'E-mail')).toHaveText('E-mail');
  await expect(section(page, 'E-mail').getByRole('button', { name: 'Save' })).toHaveCount(0);

  // While settings are being saved, the fields stay editable.
  const pendingSaves: (() => void)[] = [];
  await page.route('**/api/settings', async (route) => {
    if (route.request().method() === 'PATCH')
      await new Promise<void>((resolve) => pendingSaves.push(resolve));
    await route.continue();
  });
  const finishSave = async () => {
    await expect.poll(() => pendingSaves.length).toBe(1);
    pendingSaves.pop()?.();
  };
  const reset = page.getByRole('button', { name: "Reset to Portal: Sender's name" });
  await sender.fill('The Gate');
  await save(page, 'E-mail');
  await sender.fill('The Wall');
  await finishSave();
  await expect(reset).toBeVisible();
  await expect(sender).toHaveValue('The Wall');
  await save(page, 'E-mail');
  await finishSave();
  await expect(section(page, 'E-mail').getByRole('button', { name: 'Save' })).toHaveCount(0);
  await reset.click();
  await finishSave();
  await expect(sender).toHaveValue('Portal');

  await page.unroute('**/api/settings');
  await page.getByRole('button', { name: 'Send me a test e-mail' }).click();
  await expect(section(page, 'E-mail').getByText('Accepted', { exact: true })).toBeVisible();
  await expect(section(page, 'E-mail').locator('q')).toHaveText(/^250 /);
  const mail = await site.mailTo(site.administrator.email, /Test e-mail from Portal/);
  expect(mail.text).toContain('E-mails from Portal reach you');

  await page.getByRole('button', { name: 'Preview e-mails' }).click();
  const dialog = page.getByRole('dialog', { name: 'E-mail preview' });
  const frame = dialog.locator('iframe');
  await expect(frame).toHaveAttribute('sandbox', '');
  await expect(dialog.getByText('Your invitation to Portal')).toBeVisible();
  await expect(frame).toHaveAttribute('srcdoc', /<html lang="en">/);
  await dialog.getByLabel('Language', { exact: true }).selectOption('de');
  await dialog.getByLabel('Colours', { exact: true }).selectOption('dark');
  await expect(frame).toHaveAttribute('srcdoc', /<html lang="de">.*@media all/s);
  await expect(dialog.getByRole('region', { name: 'The e-mail as text' })).toContainText('Guten Tag');
  await dialog.getByLabel('E-mail', { exact: true }).selectOption('disabled');
  await expect(dialog.getByText('Ihr Zugang zu Portal ist gesperrt')).toBeVisible();
});

test('a logo and an accent colour apply immediately, also on signed-out pages, and an invalid image is rejected (K5, G1)', async ({
  page,
  site,
  otherBrowser,
}) => {
  await openSettings(page, site);
  const input = page.locator('input[type="file"]');
  await input.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
  await expect(page.getByText('logo.svg is not a PNG, JPEG or WebP image.')).toBeVisible();
  const picture = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 240, height: 80 });
    canvas.getContext('2d')?.fillRect(20, 20, 200, 40);
    return canvas.toDataURL('image/png').split(',')[1] ?? '';
  });
  await input.setInputFiles({
    name: 'logo.png',
    mimeType: 'image/png',
    buffer: Buffer.from(picture, 'base64'),
  });
  await expect(page.getByRole('img', { name: 'Current logo' })).toBeVisible();
  const inShell = page.locator('.shell-brand img');
  await expect(inShell).toBeVisible();
  expect(await inShell.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(240);

  await page.getByLabel('Accent colour', { exact: true }).fill('#FFD400');
  await save(page, 'This site');
  await expect(page.getByText('Done: Saved.')).toBeVisible();
  // Yellow is readable on dark surfaces; on light ones a darker shade is used.
  await page.keyboard.press('Control+Alt+Digit1');
  await expect.poll(() => accentOf(page)).toBe('#ffd400');
  await page.keyboard.press('Control+Alt+Digit0');
  await expect.poll(() => accentOf(page)).not.toBe('#ffd400');
  const accent = await accentOf(page);

  // The name and logo also appear to signed-out users: on the invitation and the sign-in pages.
  const outside = await otherBrowser();
  const expectBrand = async (where: string) => {
    const logo = outside.locator(`${where} img`);
    await expect(logo).toBeVisible();
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(240);
    await expect(outside.locator(`${where} svg`)).toHaveCount(0);
  };
  await outside.goto('/signup?i=CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC');
  await expect(outside.getByRole('dialog')).toContainText('Invite link is invalid.');
  await expectBrand('.login-brand');
  await expect.poll(() => accentOf(outside)).toBe(accent);
  await expect(outside.locator('.login-brand')).toHaveText('Portal');
  await outside.goto('/');
  await expect(outside.locator('#forgotPassword')).toBeVisible();
  await expectBrand('.brand');
  await expect(outside.locator('.brand')).toHaveText('Portal');
  await expect(outside).toHaveTitle('Sign in · Portal');
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect(page.locator('.shell-brand svg')).toBeVisible();
  await page.getByLabel('Accent colour', { exact: true }).fill('');
  await save(page, 'This site');
  await expect.poll(() => accentOf(page)).not.toBe(accent);
});

test('directory sync: enabling shows a token once, its group grants the administrator role, the token can be replaced and sync disabled (Q2)', async ({
  page,
  site,
}) => {
  const member = await site.createMember({ name: 'Dana Directory' });
  await openSettings(page, site, '/directory');
  const card = section(page, 'Directory sync (SCIM)');
  const press = (name: string) => card.getByRole('button', { name }).click();
  const confirm = (title: string, button: string) =>
    page.getByRole('dialog', { name: title }).getByRole('button', { name: button }).click();
  /** Returns the token, which is shown once. */
  const takeToken = async () => {
    const dialog = page.getByRole('dialog', { name: 'Directory token' });
    const token = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await expect(page.getByText(token)).toHaveCount(0);
    return token;
  };
  const address = await card.locator('code').innerText();
  const create = async (token: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
    const response = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(201);
    return (await response.json()) as { id: string };
  };

  await expect(card.getByText('Off', { exact: true })).toBeVisible();
  await press('Create a token');
  const first = await takeToken();
  await press('Turn on');
  await expect(card.getByText('On', { exact: true })).toBeVisible();

  const schema = 'urn:ietf:params:scim:schemas:core:2.0:';
  const { id } = await create(first, '/Users', { schemas: [`${schema}User`], userName: member.email });
  const members = [{ value: id }];
  await create(first, '/Groups', { schemas: [`${schema}Group`], displayName: 'Operators', members });
  const group = card.getByRole('listitem').filter({ hasText: 'Operators' });
  await expect(group).toContainText('1 member of the group');
  await group.getByRole('button').click();
  await confirm('Make administrators: Operators', 'Make administrators');
  await expect(group.getByText('Administrators', { exact: true })).toBeVisible();

  await press('New token');
  await confirm('New token for the directory', 'Create a new token');
  expect(await takeToken()).not.toBe(first);
  await expect(card.getByText('the previous one ends in 24 hours')).toBeVisible();

  await press('Turn off');
  await confirm('Turn off directory sync', 'Turn off');
  await expect(card.getByText('Off', { exact: true })).toBeVisible();
});
