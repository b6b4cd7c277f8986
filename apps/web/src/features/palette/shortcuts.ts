/** The keys that work everywhere, as this system writes them. */
import { t } from '@lingui/core/macro';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Ctrl and a letter; Command on a Mac. */
export function commandKey(letter: string): string {
  return isApple ? `⌘${letter}` : t`Ctrl ${letter}`;
}

/** What Ctrl+Alt and a digit are called. */
export function themeKey(digit: number | string): string {
  return isApple ? `⌃⌥${digit}` : t`Ctrl Alt ${digit}`;
}
