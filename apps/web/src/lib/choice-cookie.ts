/** What a browser keeps beyond a log-out, in cookies: the clearing of all storage leaves them, and they are no secret. */

const year = 365 * 24 * 60 * 60;

/** Null where nothing is kept, or nothing of that `pattern`. */
export function readChoice(name: string, pattern = '[\\w-]{1,40}'): string | null {
  return new RegExp(`(?:^|;\\s*)${name}=(${pattern})(?:;|$)`).exec(document.cookie)?.[1] ?? null;
}

/** Keeps it for a year; nothing more where there is no value. */
export function storeChoice(name: string, value: string | null): void {
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser we target
  document.cookie = `${name}=${value}; path=/; max-age=${value ? year : 0}; samesite=lax`;
}
