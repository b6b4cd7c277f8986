/** What a browser keeps beyond a log-out, in cookies: the clearing of all storage leaves them, and they are no secret. */

const year = 365 * 24 * 60 * 60;

/** The id of the theme that somebody chose. */
export function readThemeChoice(): string | null {
  return read('theme', '[\\w-]{1,40}');
}

export function writeThemeChoice(id: string): void {
  write('theme', id);
}

/** The site's accent colour as it was last time, such as `#0b6653`; null for the themes' own. */
export function readAccent(): string | null {
  const digits = read('accent', '[\\da-f]{6}');
  return digits === null ? null : `#${digits}`;
}

export function keepAccent(colour: string | null): void {
  if (colour !== readAccent()) write('accent', colour?.slice(1) ?? '');
}

function read(name: string, pattern: string): string | null {
  return new RegExp(`(?:^|;\\s*)${name}=(${pattern})(?:;|$)`).exec(document.cookie)?.[1] ?? null;
}

function write(name: string, value: string): void {
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser we target
  document.cookie = `${name}=${value}; path=/; max-age=${value ? year : 0}; samesite=lax`;
}
