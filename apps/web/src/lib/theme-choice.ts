/** The look that this browser had last: the theme that somebody chose, and the site's accent. */
import { storeChoice, readChoice } from './choice-cookie.ts';

/** The id of the theme that somebody chose. */
export function readThemeChoice(): string | null {
  return readChoice('theme');
}

export function writeThemeChoice(id: string): void {
  storeChoice('theme', id);
}

/** The site's accent colour as it was last time, such as `#0b6653`; null for the themes' own. */
export function readAccent(): string | null {
  const digits = readChoice('accent', '[\\da-f]{6}');
  return digits === null ? null : `#${digits}`;
}

export function storeAccent(colour: string | null): void {
  if (colour !== readAccent()) storeChoice('accent', colour?.slice(1) ?? null);
}
