/** Stops redirect loops (C9): at most three login redirects in 30 s without a success between them. */
import { readJson } from '../../../lib/stored-json.ts';

const storageKey = 'loginRedirects';
const windowMilliseconds = 30_000;
const maximumRedirects = 3;

/** Counts a login redirect. Returns false if the limit is reached. */
export function countRedirect(now: number): boolean {
  const recent = readRedirectTimes().filter((time) => time > now - windowMilliseconds && time <= now);
  if (recent.length >= maximumRedirects) return false;
  window.sessionStorage.setItem(storageKey, JSON.stringify([...recent, now]));
  return true;
}

/** Resets the count, after a success or when the user has seen the error. */
export function resetRedirectCount(): void {
  window.sessionStorage.removeItem(storageKey);
}

function readRedirectTimes(): number[] {
  const stored = readJson<unknown>('sessionStorage', storageKey);
  return Array.isArray(stored) ? stored.filter((time) => typeof time === 'number') : [];
}
