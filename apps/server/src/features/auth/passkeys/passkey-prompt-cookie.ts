/** Cookie that limits the question whether a passkey was lost. */
import type { Cookies } from '../../../platform/http/cookies.ts';

const cookie = '__Host-vestibule-seen-passkey';
const month = 30 * 24 * 60 * 60;

/** Records that a passkey was used or created in this browser. */
export function noteSeenHere(cookies: Cookies): void {
  cookies.set(cookie, '1', month);
}

/**
 * Returns the offer to create another passkey after a sign-in by code, at most once a month and browser: the user may
 * have lost theirs.
 */
export function offerOfAnother(cookies: Cookies): 'offer-another-passkey' | null {
  if (cookies.get(cookie) !== null) return null;
  noteSeenHere(cookies);
  return 'offer-another-passkey';
}
