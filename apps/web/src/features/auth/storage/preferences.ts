/** Theme and language of the user, stored on the server; cookies keep them for the login screen and the first paint. */
import { changePreferences, type Me, type Preferences } from '@vestibule/contract/profile/me';
import { applyLanguage, readLanguageChoice } from '../../../language/language.ts';
import { call } from '../../../lib/call.ts';
import { readJson } from '../../../lib/stored-json.ts';
import { readThemeChoice, writeThemeChoice } from '../../../lib/choice-cookie.ts';
import { applyTheme } from '../../../ui/themes/theme-switch.ts';
import { isSignedInPath } from './return-url.ts';

/** Preferences not yet saved on the server, as JSON; survives reloads and lost connections. */
const unsavedKey = 'unsavedPreferences';
let isSignedIn = false;
let isSaving = false;

export function storeTheme(theme: string): void {
  writeThemeChoice(theme);
  saveLater({ theme });
}

/** Saves the language on the server; the cookie has already been written. */
export function storeLanguage(language: string | null): void {
  saveLater({ language });
}

/** Saves the change on the server. If that fails, the next page load tries again. */
function saveLater(change: Preferences): void {
  // On signed-in pages the request for the user may still be pending; the new choice is more recent than its response.
  if (!isSignedIn && !isSignedInPath(window.location.pathname)) return;
  window.sessionStorage.setItem(unsavedKey, JSON.stringify({ ...readUnsaved(), ...change }));
  if (isSignedIn) void saveOnServer();
}

/** Applies the server's preferences once, when the user is first loaded after a page load. Open pages keep their theme and language. */
export async function applyPreferences({ Theme, Language }: Me): Promise<void> {
  if (isSignedIn) return;
  isSignedIn = true;
  if (readUnsaved()) return saveOnServer();
  if (Theme !== null && Theme !== readThemeChoice()) {
    writeThemeChoice(Theme);
    applyTheme(Theme);
  }
  // Null resets a choice that was removed on the server or made in this browser by another user. If the texts cannot be loaded, the
  // language stays.
  if (Language !== readLanguageChoice()) await applyLanguage(Language).catch(() => {});
}

async function saveOnServer(): Promise<void> {
  if (isSaving) return;
  isSaving = true;
  try {
    for (let body = readUnsaved(); body; body = readUnsaved()) {
      await call(changePreferences, { body });
      if (JSON.stringify(readUnsaved()) === JSON.stringify(body))
        window.sessionStorage.removeItem(unsavedKey);
    }
  } catch {
    // The cookie still has the choice.
  } finally {
    isSaving = false;
  }
}

function readUnsaved(): Preferences | null {
  return readJson('sessionStorage', unsavedKey);
}
