/** Choices that survive a sign-out. They are in cookies, because a sign-out clears all storage. They contain no secrets. */

const yearSeconds = 365 * 24 * 60 * 60;

/** Returns null if the cookie is missing or does not match `pattern`. */
export function readChoice(name: string, pattern = '[\\w-]{1,40}'): string | null {
  return new RegExp(`(?:^|;\\s*)${name}=(${pattern})(?:;|$)`).exec(document.cookie)?.[1] ?? null;
}

/** Stores the value for a year; null deletes the cookie. */
export function storeChoice(name: string, value: string | null): void {
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser we target
  document.cookie = `${name}=${value}; path=/; max-age=${value ? yearSeconds : 0}; samesite=lax`;
}
