/** English and German: from the invitation's mail to a grid, the choice between them, and that no text is left out. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, expectSignInPage, fillSignIn, fillSignUp, signIn, test, type Page } from './journey.ts';
import { somebody } from './running-site.ts';
import { furnish, screens, show } from './screens.ts';

type Compiled = string | [name: string, type?: string, format?: Record<string, Compiled[]>];

/** Invisible, and no difference to Playwright when it looks for a text. */
const mark = '\u200B';

/** Marks every word of a text as Lingui compiles it; names of values are no words. */
function marked(text: Compiled[] | string): Compiled[] | string {
  if (typeof text === 'string') return text.replaceAll(/\p{L}+/gu, `$&${mark}`);
  return text.map((part) => {
    if (typeof part === 'string') return marked(part) as string;
    const [name, type, format] = part;
    if (!type || !format) return part;
    const forms = Object.entries(format).map(([form, inner]) => [form, marked(inner)]);
    return [name, type, Object.fromEntries(forms) as Record<string, Compiled[]>];
  });
}

/** Lets a page get the site's texts with every word marked. */
async function markTexts(page: Page): Promise<void> {
  await page.route(/\/assets\/_texts_en[^/]+\.js$/, async (route) => {
    const body = await (await route.fetch()).text();
    const { messages } = (await import(`data:text/javascript,${encodeURIComponent(body)}`)) as {
      messages: Record<string, Compiled[]>;
    };
    const all = Object.entries(messages).map(([id, text]) => [id, marked(text)]);
    await route.fulfill({
      contentType: 'text/javascript',
      body: `export const messages = ${JSON.stringify(Object.fromEntries(all))}`,
    });
  });
}

/** What the catalogs know by the English sentence itself: it is not looked up in English, and so cannot be marked. */
async function knownTexts(): Promise<string[]> {
  const catalog = await readFile(path.join(import.meta.dirname, '../apps/web/src/locales/de.po'), 'utf8');
  return catalog
    .split('\n\n')
    .filter((entry) => entry.includes('#. js-lingui-explicit-id'))
    .map((entry) => /^msgid ((?:".*"\n)+)/m.exec(entry)?.[1] ?? '')
    .map((text) =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as string)
        .join(''),
    )
    .filter((text) => text !== '');
}

/** What the page says: its texts and what its names, hints and placeholders say. */
function readTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        // What measures a field and is never shown nor read.
        if (node.getAttribute('aria-hidden') === 'true') continue;
        for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt'])
          texts.push(node.getAttribute(name) ?? '');
      } else if (!node.parentElement?.closest('script, style, noscript, code, pre, q'))
        texts.push(node.textContent ?? '');
    }
    return texts.filter(Boolean);
  });
}

/** `{0}` stands for anything. */
function patternOf(text: string): RegExp {
  const parts = text.split(/\{\d\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(parts.join('.*?'), 'g');
}

/** The words of a text that did not come from a catalog; `data` are names, addresses and the like. */
function unmarkedWords(text: string, data: readonly string[]): string[] {
  let rest = text;
  for (const one of data) rest = rest.replaceAll(patternOf(one), ' ');
  return (
    rest
      .replaceAll(
        /\S+@\S+|https?:\S+|\b[\da-f]{8}-[\da-f-]{27}\b|\b[\da-f]{16,64}\b|(?:\b[A-Z][a-z]+day, )?\b[A-Z][a-z]{2,8} \d{1,2}, \d{4}(?: at )?|\b[AP]M\b|\bUTC\b|\b[A-Z]+(?:_[A-Z]+)+\b/g,
        ' ',
      )
      .match(/\p{L}{2,}(?!\p{L}|\u200B)/gu) ?? []
  );
}

for (const [screen, looks] of Object.entries(screens))
  test(`${screen}: every text comes from the catalogs, so none stays English in another language`, async ({
    page,
    site,
    expectConsole,
  }) => {
    test.setTimeout(120_000);
    expectConsole(/status of 404/, 'one address is of a person who is gone');
    const scene = await furnish(site);
    await signIn(page, site.administrator);
    await markTexts(page);
    const files = ['From Paula.txt', 'Map of the house.png', 'Welcome.txt'];
    const programs = [
      'Another program',
      'SHA-256',
      'text/plain',
      'Chrome on Linux',
      'bytes',
      'kB',
      'MB',
      'GB',
    ];
    // The site is shared with other journeys, so anybody of theirs may stand in a list.
    const called = await site.sql(
      'select display_name as name from people union select name from personal_tokens',
    );
    // A language calls itself by its own name in every language.
    const names = [
      'English',
      'Deutsch',
      ...called.map(({ name }) => String(name)),
      'AA',
      'Nightly import',
      'not.an.address',
    ];
    const data = [
      ...(await knownTexts()),
      ...names,
      ...files,
      ...programs,
      'Vestibule',
      'nobody is called that',
    ];
    const found = new Set<string>();
    for (const look of looks) {
      await show(page, look, scene);
      // What the server found at the provider it tells in English, and a mail is in the language of its reader.
      if (['the check of the provider', 'how mails look'].includes(look.name)) continue;
      const texts = await readTexts(page);
      expect(
        texts.some((text) => text.includes(mark)),
        look.name,
      ).toBe(true);
      for (const text of texts)
        if (unmarkedWords(text, data).length > 0) found.add(`${look.name}: ${text.replaceAll(mark, '')}`);
    }
    expect([...found]).toEqual([]);
  });

test.describe('in a German browser', () => {
  test.use({ locale: 'de-DE' });

  test('somebody comes from the mail to the dashboard without a word of English, at the provider too', async ({
    page,
    site,
  }) => {
    const person = somebody('Gerda Gast');
    await site.order('POST', '/api/invitations', { email: person.email, role: 'member', language: 'de' });
    const mail = await site.mailTo(person.email);
    expect(mail.subject).toContain('Einladung');
    await page.goto(/^http\S+$/m.exec(mail.text)?.[0] ?? '');
    await expect(page.getByRole('heading', { name: 'Konto erstellen' })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await fillSignUp(page, person);
    const done = page.getByRole('dialog', { name: 'Registrierung', exact: true });
    await expect(done).toContainText('Die Registrierung war erfolgreich.');
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await done.getByRole('button', { name: 'Zur Anmeldung' }).click();
    await expectSignInPage(page);
    await expect(page.getByRole('heading', { name: 'Anmelden' })).toBeVisible();
    await fillSignIn(page, person);
    await page.waitForURL('**/layout/dashboard');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Willkommen, Gerda Gast');
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Übersicht' })).toBeVisible();
  });

  test('a list has German titles, dates and numbers, and what the server refuses is said in German', async ({
    page,
    site,
    expectConsole,
  }) => {
    expectConsole(/status of 409/, 'somebody who is inside is invited');
    const person = await site.member();
    await page.goto('/');
    await fillSignIn(page, site.administrator);
    await page.waitForURL('**/layout/dashboard');
    await page.goto('/layout/people');
    const row = page.getByRole('row', { name: person.email });
    await expect(row).toContainText(/\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}/);
    for (const title of ['Name', 'Rolle', 'Dabei seit', 'Letzte Anmeldung'])
      await expect(page.getByRole('columnheader', { name: title })).toBeVisible();
    await expect(page.getByRole('searchbox', { name: 'Personen durchsuchen' })).toBeVisible();
    await page.goto('/layout/invitations');
    await page.getByRole('button', { name: 'Jemanden einladen' }).first().click();
    await page.getByLabel('E-Mail-Adressen').fill(person.email);
    await page.getByRole('button', { name: 'Einladung senden' }).click();
    await expect(page.getByText('Diese Adresse gehört jemandem, der schon dabei ist.')).toBeVisible();
    await page.getByLabel('E-Mail-Adressen').fill('keine.adresse');
    await page.getByRole('button', { name: 'Einladung senden' }).click();
    await expect(page.getByText('Das ist keine E-Mail-Adresse.', { exact: false })).toBeVisible();
  });

  test('long German words need no wider window than 320 pixels', async ({ page, site }) => {
    const scene = await furnish(site);
    await page.goto('/');
    await fillSignIn(page, site.administrator);
    await page.waitForURL('**/layout/dashboard');
    await page.setViewportSize({ width: 320, height: 640 });
    const addresses = [
      'dashboard',
      'people',
      `people/${scene.personId}`,
      'invitations',
      'activity',
      'settings',
    ];
    for (const address of [...addresses.map((name) => `/layout/${name}`), '/attachment']) {
      await show(page, { name: address, at: address }, scene);
      const widest = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(widest, address).toBeLessThanOrEqual(320);
    }
  });

  test('what the person chose goes before what the browser prefers, on the first page already', async ({
    page,
    context,
    site,
  }) => {
    await context.addCookies([{ name: 'language', value: 'en', url: site.url }]);
    await page.goto('/signup?i=DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD');
    await expect(page.getByRole('dialog')).toContainText('Invite link is invalid.');
    await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  });

  test.describe('without scripts', () => {
    test.use({ javaScriptEnabled: false });

    test('the login screen is German from its first byte', async ({ page }) => {
      const answer = await page.goto('/');
      expect(answer?.headers()['vary']).toMatch(/accept-language/i);
      await expect(page.locator('html')).toHaveAttribute('lang', 'de');
      expect(await answer?.text()).toContain('Vestibule braucht JavaScript.');
    });
  });
});
