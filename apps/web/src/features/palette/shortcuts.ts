import { t } from '@lingui/core/macro';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function commandKey(letter: string): string {
  return isApple ? `⌘${letter}` : t`Ctrl ${letter}`;
}

export function themeKey(digit: number | string): string {
  return isApple ? `⌃⌥${digit}` : t`Ctrl Alt ${digit}`;
}
