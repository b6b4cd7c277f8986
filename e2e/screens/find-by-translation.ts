/**
 * Patches Playwright locators so that code with English texts (screens.ts) works in another language: each
 * text is replaced by its translation. Not for tests, which assert texts.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { root } from '../../tools/install.mjs';

type Words = string | RegExp;
type Pair = { english: string; other: string };

/** Patches the finders of this process' pages and locators. */
export function findByTranslation(language: string, page: Page): void {
  const pairs = readPairs(language);
  const change = (words: unknown) =>
    typeof words === 'string' || words instanceof RegExp ? translate(words, pairs) : words;
  const changeOption = (name: string) => (options: unknown) => {
    const all = new Map(Object.entries(options ?? {}));
    return Object.fromEntries(all.has(name) ? all.set(name, change(all.get(name))) : all);
  };
  for (const finder of [page, page.locator('html')]) {
    const prototype: unknown = Object.getPrototypeOf(finder);
    patch(prototype, 'getByRole', ([role, options]) => [role, changeOption('name')(options)]);
    patch(prototype, 'getByLabel', ([text, ...rest]) => [change(text), ...rest]);
    patch(prototype, 'getByText', ([text, ...rest]) => [change(text), ...rest]);
    patch(prototype, 'filter', ([options]) => [changeOption('hasText')(options)]);
  }
}

/** Wraps a method to transform its arguments. */
function patch(prototype: unknown, name: string, change: (given: unknown[]) => unknown[]): void {
  const methods = prototype as Record<string, (...given: unknown[]) => unknown>;
  const { [name]: before } = methods;
  if (before)
    methods[name] = function (this: unknown, ...given) {
      return Reflect.apply(before, this, change(given));
    };
}

/** Reads translation pairs from the catalog, one per plural form. */
function readPairs(language: string): Pair[] {
  const catalog = readFileSync(path.join(root, 'apps/web/src/locales', `${language}.po`), 'utf8');
  return [...catalog.matchAll(/^msgid (".*")\nmsgstr (".*")$/gm)].flatMap(([, english = '', other = '']) =>
    ['one', 'other'].map((form) => ({
      english: choosePluralForm(JSON.parse(english) as string, form),
      other: choosePluralForm(JSON.parse(other) as string, form),
    })),
  );
}

/** Returns one plural form of a text with `{count, plural, one {…} other {…}}`. */
function choosePluralForm(text: string, form: string): string {
  return text.replaceAll(
    /\{(\w+), (?:plural|select), ((?:[=\w]+ \{(?:[^{}]|\{\w+\})*\}\s*)+)\}/g,
    (_, name: string, forms: string) => {
      const all = new Map(
        [...forms.matchAll(/([=\w]+) \{((?:[^{}]|\{\w+\})*)\}/g)].map(([, key = '', words = '']) => [
          key,
          words,
        ]),
      );
      return (all.get(form) ?? all.get('other') ?? '').replaceAll('#', `{#${name}}`);
    },
  );
}

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
/** A placeholder: `{name}`, or `{#count}` for a number. */
const blank = /\{#?\w+\}/g;
const literal = (text: string) => text.replaceAll(blank, '').replaceAll(/\P{L}/gu, '').length;

/** Returns a pattern that matches a text with any placeholder values. */
function pattern(text: string): string {
  const blanks = text.match(blank) ?? [];
  return text
    .split(blank)
    .map((part, index) => {
      const after = blanks[index];
      return (
        escape(part) + (after === undefined ? '' : after.startsWith('{#') ? String.raw`(\d[\d.,]*)` : '(.+?)')
      );
    })
    .join('');
}

/** Values to try for placeholders. Texts with a count are nested in other texts, such as "Check {0}". */
const samples = ['5', '5 addresses', '5 invitations', '5 people'];

/** Translates texts. A text without a translation is a name or an address and stays unchanged. */
function translate(words: Words, pairs: readonly Pair[]): Words {
  const said = pairs.filter(({ english }) => literal(english) > 2);
  if (words instanceof RegExp) {
    const found = said.filter(({ english }) =>
      samples.some((sample) => words.test(english.replaceAll(blank, sample))),
    );
    return found.length > 0
      ? new RegExp(`^(?:${found.map(({ other }) => pattern(other)).join('|')})`)
      : words;
  }
  const exact = pairs.find(({ english }) => english.toLowerCase() === words.toLowerCase());
  if (exact) return exact.other;
  const begun = said.filter(({ english }) => english.startsWith(words));
  if (begun.length > 0) return new RegExp(`^(?:${begun.map(({ other }) => pattern(other)).join('|')})`);
  const [filled] = said
    .filter(({ english }) => new RegExp(`^${pattern(english)}$`).test(words))
    .toSorted((a, b) => literal(b.english) - literal(a.english));
  if (filled) return fill(filled, words, pairs);
  const containing = said.filter(({ english }) => english.includes(words));
  return containing.length > 0 ? new RegExp(containing.map(({ other }) => pattern(other)).join('|')) : words;
}

/** Translates a text such as "Search people" by the translations of "Search {things}" and of "people". */
function fill({ english, other }: Pair, words: string, pairs: readonly Pair[]): string {
  const values = new RegExp(`^${pattern(english)}$`).exec(words)?.slice(1) ?? [];
  return (english.match(blank) ?? []).reduce(
    (text, name, index) => text.replace(name, String(translate(values[index] ?? '', pairs))),
    other,
  );
}
