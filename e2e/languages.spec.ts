/** English and German: from the invitation's mail to a grid, the choice between them, and that no text is left out. */
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
  await page.route(/\/assets\/_texts_en-[^/]+\.js$/, async (route) => {
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

/** What the page says: its texts and what its names, hints and placeholders say. */
function readTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element)
        for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt'])
          texts.push(node.getAttribute(name) ?? '');
      else if (!node.parentElement?.closest('script, style, noscript, code, q'))
        texts.push(node.textContent ?? '');
    }
    return texts.filter(Boolean);
  });
}

/** The words of a text that did not come from a catalog; `data` are names, addresses and the like. */
function unmarkedWords(text: string, data: readonly string[]): string[] {
  let rest = text;
  for (const one of data) rest = rest.replaceAll(one, ' ');
  return (
    rest
      .replaceAll(
        /\S+@\S+|https?:\S+|\b[\da-f]{8}-[\da-f-]{27}\b|\b[A-Z][a-z]{2} \d{1,2}, \d{4}|\b[AP]M\b/g,
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
    const data = [
      site.administrator.name,
      scene.person.name,
      'Vestibule',
      'Nightly import',
      'not.an.address',
    ];
    const found = new Set<string>();
    for (const look of looks) {
      await show(page, look, scene);
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
