/** The look that this browser had last: the theme that somebody chose, and the site's accent. */
import { keepChoice, readKept } from './choice-cookie.ts';

/** The id of the theme that somebody chose. */
export function readThemeChoice(): string | null {
  return readKept('theme');
}

export function writeThemeChoice(id: string): void {
  keepChoice('theme', id);
}

/** The site's accent colour as it was last time, such as `#0b6653`; null for the themes' own. */
export function readAccent(): string | null {
  const digits = readKept('accent', '[\\da-f]{6}');
  return digits === null ? null : `#${digits}`;
}

export function keepAccent(colour: string | null): void {
  if (colour !== readAccent()) keepChoice('accent', colour?.slice(1) ?? null);
}
