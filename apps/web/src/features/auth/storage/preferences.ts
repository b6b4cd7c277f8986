/** Theme and language of the user, stored on the server; cookies keep them for the login screen and the first paint. */
import { changePreferences, type Me, type Preferences } from '@vestibule/contract/profile/me';
import { applyLanguage, readLanguageChoice } from '../../../language/language.ts';
import { call } from '../../../lib/call.ts';
import { readThemeChoice, writeThemeChoice } from '../../../lib/choice-cookie.ts';
import { applyTheme } from '../../../ui/themes/theme-switch.ts';

let isSignedIn = false;
/** Choices on this page before the user is loaded. */
let choices: Preferences = {};
/** Changes are saved one after the other, so that the last one counts. */
let saving = Promise.resolve();

export function storeTheme(theme: string): void {
  writeThemeChoice(theme);
  save({ theme });
}

/** Saves the language on the server; the cookie has already been written. */
export function storeLanguage(language: string | null): void {
  save({ language });
}

/** If saving fails, the choice applies in this browser until the next page load. */
function save(change: Preferences): void {
  choices = { ...choices, ...change };
  const put = async () => void (await call(changePreferences, { body: change }));
  if (isSignedIn) saving = saving.then(put).catch(() => {});
}

/** Applies the server's preferences once, when the user is first loaded after a page load. Open pages keep their theme and language. */
export async function applyPreferences({ Theme, Language }: Me): Promise<void> {
  if (isSignedIn) return;
  isSignedIn = true;
  if (Object.keys(choices).length > 0) return save(choices);
  if (Theme !== null && Theme !== readThemeChoice()) {
    writeThemeChoice(Theme);
    applyTheme(Theme);
  }
  // Null resets a choice that was removed on the server or made in this browser by another user. If the texts cannot be loaded, the
  // language stays.
  if (Language !== readLanguageChoice()) await applyLanguage(Language).catch(() => {});
}
