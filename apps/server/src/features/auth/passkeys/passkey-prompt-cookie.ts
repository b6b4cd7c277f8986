/** Cookie that limits the question whether a passkey was lost. */
import type { Cookies } from '../../../platform/http/cookies.ts';

const cookie = '__Host-vestibule-seen-passkey';
const monthSeconds = 30 * 24 * 60 * 60;

/** Records that a passkey was used or created in this browser. */
export function markPasskeySeen(cookies: Cookies): void {
  cookies.set(cookie, '1', monthSeconds);
}

/**
 * Returns the offer to create another passkey after a sign-in by code, at most once a month and browser: the user may
 * have lost theirs.
 */
export function offerAnotherPasskey(cookies: Cookies): 'offer-another-passkey' | null {
  if (cookies.get(cookie) !== null) return null;
  markPasskeySeen(cookies);
  return 'offer-another-passkey';
}
