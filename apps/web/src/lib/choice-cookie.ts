/** Choices that survive a sign-out. They are in cookies, because a sign-out clears all storage. They contain no secrets. */

const yearSeconds = 365 * 24 * 60 * 60;

/** Returns null if the cookie is missing or does not match `pattern`. */
export const readChoice = (name: string, pattern = '[\\w-]{1,40}'): string | null =>
  new RegExp(`(?:^|;\\s*)${name}=(${pattern})(?:;|$)`).exec(document.cookie)?.[1] ?? null;

/** Stores the value for a year; null deletes the cookie. */
export function storeChoice(name: string, value: string | null): void {
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser we target
  document.cookie = `${name}=${value}; path=/; max-age=${value ? yearSeconds : 0}; samesite=lax`;
}

export const readThemeChoice = (): string | null => readChoice('theme');

export function writeThemeChoice(id: string): void {
  storeChoice('theme', id);
}

/** Returns a color such as `#0b6653`, or null if the theme's own color is used. */
export function readAccent(): string | null {
  const digits = readChoice('accent', '[\\da-f]{6}');
  return digits === null ? null : `#${digits}`;
}

export function storeAccent(color: string | null): void {
  if (color !== readAccent()) storeChoice('accent', color?.slice(1) ?? null);
}

export const isShortcutListEnabled = (): boolean => readChoice('question-mark') !== 'off';

export function enableShortcutList(isEnabled: boolean): void {
  storeChoice('question-mark', isEnabled ? null : 'off');
}
