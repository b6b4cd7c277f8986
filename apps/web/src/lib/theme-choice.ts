/** Last theme and accent color of this browser, for the first paint. */
import { storeChoice, readChoice } from './choice-cookie.ts';

export function readThemeChoice(): string | null {
  return readChoice('theme');
}

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
