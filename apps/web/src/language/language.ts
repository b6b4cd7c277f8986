/**
 * The language of the site: the person's choice, kept in a cookie, else what the browser prefers, else English. The
 * server chooses the page by the same rule (contract/language.ts), so that the first paint speaks it already; the page
 * brings the few texts that are needed before the door, and everything else is one chunk per language.
 */
import { i18n, type Messages } from '@lingui/core';
import { tags } from 'texts:languages';
import { findLanguage, languageCookie } from '@vestibule/contract/rules/language';
import { storeChoice, readChoice } from '../lib/choice-cookie.ts';
import { writeValuesBy } from './format-message.ts';

/** All languages, by their tags, such as `de`; a file in src/locales adds one. */
export const languages: readonly string[] = tags;

let keep: ((choice: string | null) => void) | undefined;
/** The language that was asked for last; the page speaks it as soon as its texts are there, if they can be had. */
let asked = '';

/** Speaks the page's language, with the texts that it brought. Before anything is said. `onChoice` keeps what is chosen. */
export function startLanguage(onChoice: (choice: string | null) => void): void {
  keep = onChoice;
  const texts = document.querySelector('#texts')?.textContent ?? '{}';
  asked = document.documentElement.lang;
  i18n.loadAndActivate({ locale: asked, messages: JSON.parse(texts) as Messages });
}

/** The parts that were asked for, be there texts of theirs or not, and of the present language those that are there. */
const wanted = new Set(['common']);
let there = new Set<string>();

/**
 * Loads the texts that are needed behind the door: by all screens, and by those with these route ids, such as
 * `/_signed-in/layout/people`; `/palette` for the command palette.
 */
export async function loadTexts(routeIds: readonly string[] = []): Promise<void> {
  for (const id of routeIds) wanted.add(id.replace('/_signed-in', '').slice(1).replaceAll('/', '.'));
  if ([...wanted].some((part) => !there.has(part))) await speak(i18n.locale);
}

/** Loads what the server may say; until it is there the server's English stands for itself. */
export async function loadServerTexts(): Promise<void> {
  writeValuesBy((await import('./server-values.ts')).writeServerValues);
  // No screen waits for them, unless they did not come.
  await speak(i18n.locale, 'server').finally(() => wanted.add('server'));
}

/** The language that was chosen in this browser, or null for "as the browser prefers". */
export function readLanguageChoice(): string | null {
  const choice = readChoice(languageCookie);
  return languages.find((language) => language === choice) ?? null;
}

/** As `applyLanguage`, when the person asks for it: the choice is kept. */
export async function chooseLanguage(choice: string | null): Promise<void> {
  if (await applyLanguage(choice)) keep?.(choice);
}

/**
 * Puts a language in force, null for what the browser prefers. Everything shown is written anew without loading the page
 * again. False when another was asked for meanwhile, which holds. Throws when the texts cannot be loaded; nothing has
 * changed then.
 */
export async function applyLanguage(choice: string | null): Promise<boolean> {
  const language = findLanguage(choice ? [choice] : navigator.languages, languages);
  asked = language;
  await speak(language);
  if (asked !== language) return false;
  storeChoice(languageCookie, choice);
  return true;
}

/** Speaks a language with all parts that are wanted, and one more. */
async function speak(language: string, more?: string): Promise<void> {
  // The page has brought what is said before the door; the list of all parts is not wanted there either.
  const { catalogs } = await import('texts:catalogs');
  const { size } = wanted;
  const parts = more ? [...wanted, more] : [...wanted];
  const loaded = await Promise.all(
    parts.map(async (part) => (await catalogs[language]?.[part]?.())?.messages),
  );
  const isSpoken = language === i18n.locale;
  // Another language was asked for meanwhile, or more of this one.
  if (wanted.size > size || (!isSpoken && language !== asked))
    return speak(isSpoken ? language : asked, more);
  const before = isSpoken ? i18n.messages : {};
  there = new Set(parts);
  document.documentElement.lang = language;
  i18n.loadAndActivate({ locale: language, messages: Object.assign({}, before, ...loaded) as Messages });
}
