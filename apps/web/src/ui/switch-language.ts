import { t } from '@lingui/core/macro';
import { chooseLanguage } from '../language/language.ts';
import { toast } from './toast/toast.tsx';

/** Speaks the language that somebody asks for, null for what their browser prefers. When its texts cannot be had it says so. */
export async function switchLanguage(choice: string | null): Promise<void> {
  try {
    await chooseLanguage(choice);
  } catch {
    toast.failure(t`The language could not be loaded. Check your connection and try again.`);
  }
}
