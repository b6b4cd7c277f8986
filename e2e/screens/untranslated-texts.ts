/** Finds texts on a page that do not come from the translation catalogs. */
import type { Page } from '@playwright/test';

type Compiled = string | [name: string, type?: string, format?: Record<string, Compiled[]>];

/** An invisible character that Playwright ignores when it matches texts. */
const mark = '\u200B';

/** Marks every word of a compiled Lingui message, except placeholder names. */
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

/** Serves the page's catalogs with every word marked. */
export async function markTranslatedTexts(page: Page): Promise<void> {
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

/** Returns the page's texts, accessible names, titles and placeholders. */
function readTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        // Elements that only measure a field are hidden and not read.
        if (node.getAttribute('aria-hidden') === 'true') continue;
        for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt']) {
          const value = node.getAttribute(name);
          if (value) texts.push(value);
        }
        // Skips times, which the browser formats, and the parts of shortened addresses, whose complete text is in another element.
      } else if (
        !node.parentElement?.closest('script, style, noscript, code, pre, q, time, .address-parts')
      ) {
        // Joins the parts of an address, which is split for line breaking.
        const before = node.parentElement?.matches('.address-part + .address-part') ? texts.pop() : '';
        texts.push(`${before ?? ''}${node.textContent ?? ''}`);
      }
    }
    return texts;
  });
}

/** Returns a pattern of whole words; `{0}` and `{name}` match anything. */
function patternOf(text: string): RegExp {
  const parts = text.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const words = parts.join('.*?');
  return new RegExp(parts.length > 1 ? words : String.raw`(?<!\p{L})${words}(?!\p{L})`, 'gu');
}

/** Returns whether a text has words without a mark, except data: names, addresses and similar values. */
function hasUnmarkedWords(text: string, data: readonly RegExp[]): boolean {
  // Most texts have none, and `data` is long.
  if (!unmarkedWord.test(text)) return false;
  // First ids and keys, which can contain short data.
  let rest = text.replaceAll(dataInEveryLanguage, ' ');
  for (const pattern of data) rest = rest.replaceAll(pattern, ' ');
  return unmarkedWord.test(rest);
}

const unmarkedWord = /\p{L}{2,}(?!\p{L}|\u200B)/u;
const dataInEveryLanguage =
  /\S+@\S+|https?:\S+|\b[\da-f]{8}-[\da-f-]{27}\b|\b[\da-f]{16,64}\b|(?<![\w-])[\w-]{43}(?![\w-])|(?:\b[A-Z][a-z]+day, )?\b[A-Z][a-z]{2,8} \d{1,2}, \d{4}(?: at )?|\b[AP]M\b|\bUTC\b|\b[A-Z]+(?:_[A-Z]+)+\b/g;

/**
 * Returns the page's texts that are not from a catalog. The texts must be marked; `data` are names, addresses
 * and other untranslated values.
 */
export async function findUntranslatedTexts(page: Page, data: readonly string[]): Promise<string[]> {
  const texts = await readTexts(page);
  if (!texts.some((text) => text.includes(mark))) throw new Error('The texts of this page were not marked.');
  const patterns = data.map(patternOf);
  return texts.filter((text) => hasUnmarkedWords(text, patterns)).map((text) => text.replaceAll(mark, ''));
}
