import { t } from '@lingui/core/macro';
import { chooseLanguage } from '../language/language.ts';
import { toast } from './toast/toast.tsx';

/** Switches the language; null selects the browser's. Shows an error if the texts cannot be loaded. */
export async function switchLanguage(choice: string | null): Promise<void> {
  try {
    await chooseLanguage(choice);
  } catch {
    toast.failure(t`The language could not be loaded. Check your connection and try again.`);
  }
}
