/** Breaks redirect loops (C9): more than three login redirects within 30 s, with no success between, stop. */
import { readJson } from '../../../lib/stored-json.ts';

const key = 'loginRedirects';
const windowMilliseconds = 30_000;
const maximum = 3;

/** Counts one login redirect; false when it would be the fourth and must not start. */
export function mayRedirect(now: number): boolean {
  const recent = times().filter((time) => time > now - windowMilliseconds && time <= now);
  if (recent.length >= maximum) return false;
  window.sessionStorage.setItem(key, JSON.stringify([...recent, now]));
  return true;
}

/** A success, or a person who read the error screen, starts the count anew. */
export function forgetRedirects(): void {
  window.sessionStorage.removeItem(key);
}

function times(): number[] {
  const kept = readJson<unknown>('sessionStorage', key);
  return Array.isArray(kept) ? kept.filter((time) => typeof time === 'number') : [];
}
