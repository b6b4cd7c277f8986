/** Keeps the chosen theme in a cookie: it survives the clearing of all storage on log-out and is no secret. */

const year = 365 * 24 * 60 * 60;

export function readThemeChoice(): string | null {
  return /(?:^|;\s*)theme=([\w-]{1,40})/.exec(document.cookie)?.[1] ?? null;
}

export function writeThemeChoice(id: string): void {
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser we target
  document.cookie = `theme=${id}; path=/; max-age=${year}; samesite=lax`;
}
