import { t } from '@lingui/core/macro';
import { toast } from './toast.tsx';

/**
 * Copies a text and shows a toast. If the browser denies copying, shows the text in a prompt under `heading`. Without `heading`, the screen
 * itself must show the text.
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
