/** The site's language: the user's choice, else the browser's, else English. The server uses the same rule (packages/contract/src/rules/language.ts). */
import { i18n, type Messages } from '@lingui/core';
import { tags } from 'texts:languages';
import { findLanguage, languageCookie } from '@vestibule/contract/rules/language';
import { storeChoice, readChoice } from '../lib/choice-cookie.ts';
import { setValueFormatter } from './format-message.ts';

/** Tags such as `de`; each file in src/locales adds one. */
export const languages: readonly string[] = tags;

let onLanguageChoice: ((choice: string | null) => void) | undefined;
/** Language of the latest request, which is active once its texts are loaded. */
let requestedLanguage = '';

/** Activates the page's language with the embedded texts. `onChoice` stores the user's choices. */
export function startLanguage(onChoice: (choice: string | null) => void): void {
  onLanguageChoice = onChoice;
  const texts = document.querySelector('#texts')?.textContent ?? '{}';
  requestedLanguage = document.documentElement.lang;
  i18n.loadAndActivate({ locale: requestedLanguage, messages: JSON.parse(texts) as Messages });
}

/** Requested parts, and the parts loaded for the active language. */
const requestedParts = new Set(['common']);
let loadedParts = new Set<string>();

/** Loads the texts of the first screen after sign-in, and parts with those of other screens (apps/web/texts.ts). */
export async function loadTexts(...parts: ('more' | 'settings')[]): Promise<void> {
  for (const part of parts) requestedParts.add(part);
  const isMissing = (part: string) => !loadedParts.has(part);
  if (['common', ...parts].some(isMissing)) await activateLanguage(i18n.locale);
  // This screen does not need the parts that could not be loaded before.
  else if ([...requestedParts].some(isMissing)) activateLanguage(i18n.locale).catch(() => {});
}

/** Loads the translations of server messages; until then these appear in English. */
export async function loadServerTexts(): Promise<void> {
  setValueFormatter((await import('./server-values.ts')).formatServerValues);
  // Added only now, so that screens load this part again only if loading has failed.
  await activateLanguage(i18n.locale, 'server').finally(() => requestedParts.add('server'));
}

/** Returns the language chosen in this browser, or null for the browser's preference. */
export function readLanguageChoice(): string | null {
  const choice = readChoice(languageCookie);
  return languages.find((language) => language === choice) ?? null;
}

/** Activates the user's choice and stores it; null follows the browser's preference. */
export async function chooseLanguage(choice: string | null): Promise<void> {
  if (await applyLanguage(choice)) onLanguageChoice?.(choice);
}

/** Activates a language; null for the browser's preference. Returns false if a later request replaced this one. Throws if loading fails. */
export async function applyLanguage(choice: string | null): Promise<boolean> {
  const language = findLanguage(choice ? [choice] : navigator.languages, languages);
  requestedLanguage = language;
  await activateLanguage(language);
  if (requestedLanguage !== language) return false;
  storeChoice(languageCookie, choice);
  return true;
}

async function activateLanguage(language: string, extraPart?: string): Promise<void> {
  // Loaded on demand: the login page needs neither these texts nor the list of parts.
  const { catalogs } = await import('texts:catalogs');
  const { size } = requestedParts;
  const parts = extraPart ? [...requestedParts, extraPart] : [...requestedParts];
  const loaded = await Promise.all(
    parts.map(async (part) => (await catalogs[language]?.[part]?.())?.messages),
  );
  const isActive = language === i18n.locale;
  // Another language or further parts were requested meanwhile.
  if (requestedParts.size > size || (!isActive && language !== requestedLanguage))
    return activateLanguage(isActive ? language : requestedLanguage, extraPart);
  const previousMessages = isActive ? i18n.messages : {};
  loadedParts = new Set(parts);
  document.documentElement.lang = language;
  i18n.loadAndActivate({
    locale: language,
    messages: Object.assign({}, previousMessages, ...loaded) as Messages,
  });
}
