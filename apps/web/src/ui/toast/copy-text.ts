import { t } from '@lingui/core/macro';
import { toast } from './toast.tsx';

/**
 * Puts a text on the clipboard and says so. Where the browser does not allow that (no permission, not a secure context), it is shown
 * under a `heading`, to be marked and copied by hand; without one it stands on the screen already.
 */
export async function copyText(text: string, copied: string, heading?: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(copied);
  } catch {
    if (heading === undefined)
      toast.failure(t`The browser does not allow copying here. Select the text and copy it manually.`);
    else window.prompt(heading, text);
  }
}
