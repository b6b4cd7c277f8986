/**
 * The look and the language that a person chose, in every browser of theirs: the server keeps them, and cookies remember
 * them in this browser, for the time before the sign-in and for the first paint.
 */
import { changePreferences, type Me, type Preferences } from '@vestibule/contract/profile/me';
import { applyLanguage, readLanguageChoice } from '../../../language/language.ts';
import { call } from '../../../lib/call.ts';
import { readJson } from '../../../lib/stored-json.ts';
import { readThemeChoice, writeThemeChoice } from '../../../lib/theme-choice.ts';
import { applyTheme } from '../../../ui/themes/theme-switch.ts';
import { isSignedInPath } from './return-url.ts';

/** What the server has not been told yet, as JSON: it survives a reload and a lost connection. */
const unsavedKey = 'unsavedPreferences';
let isSignedIn = false;
let saving = false;

/** The theme of this browser, and of the person. */
export function storeTheme(theme: string): void {
  writeThemeChoice(theme);
  keepPreferences({ theme });
}

/** The language of the person; this browser has it already. */
export function storeLanguage(language: string | null): void {
  keepPreferences({ language: language as Preferences['language'] });
}

/** What the server cannot take now it is given when the page is loaded the next time. */
function keepPreferences(change: Preferences): void {
  // Behind the door somebody is; the server's answer to who it is may be under way still, and is older than the choice.
  if (!isSignedIn && !isSignedInPath(window.location.pathname)) return;
  window.sessionStorage.setItem(unsavedKey, JSON.stringify({ ...unsaved(), ...change }));
  if (isSignedIn) void save();
}

/** Once per page, when it is known who is signed in: a page that is open keeps its look and its language. */
export async function settlePreferences({ Theme, Language }: Me): Promise<void> {
  if (isSignedIn) return;
  isSignedIn = true;
  if (unsaved()) return save();
  if (Theme !== null && Theme !== readThemeChoice()) {
    writeThemeChoice(Theme);
    applyTheme(Theme);
  }
  // A language is chosen behind the door only, so none means that it was taken back, or that somebody else chose one here.
  // Without its texts the page stays in the language that it has.
  if (Language !== readLanguageChoice()) await applyLanguage(Language).catch(() => {});
}

async function save(): Promise<void> {
  if (saving) return;
  saving = true;
  try {
    for (let body = unsaved(); body; body = unsaved()) {
      await call(changePreferences, { body });
      if (JSON.stringify(unsaved()) === JSON.stringify(body)) window.sessionStorage.removeItem(unsavedKey);
    }
  } catch {
    // This browser remembers the choice meanwhile.
  } finally {
    saving = false;
  }
}

function unsaved(): Preferences | null {
  return readJson('sessionStorage', unsavedKey);
}
