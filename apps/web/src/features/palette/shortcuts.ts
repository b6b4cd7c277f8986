import { t } from '@lingui/core/macro';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export const commandKey = (letter: string): string => (isApple ? `⌘${letter}` : t`Ctrl ${letter}`);

export const themeKey = (digit: number | string): string => (isApple ? `⌃⌥${digit}` : t`Ctrl Alt ${digit}`);
