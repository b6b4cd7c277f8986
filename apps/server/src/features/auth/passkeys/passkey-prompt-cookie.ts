import type { Cookies } from '../../../platform/http/cookies.ts';

const cookie = '__Host-vestibule-seen-passkey';
const monthSeconds = 30 * 24 * 60 * 60;

export function markPasskeySeen(cookies: Cookies): void {
  cookies.set(cookie, '1', monthSeconds);
}

/**
 * Returns the offer at most once a month per browser. Called after a sign-in by code, since the user may have lost the
 * passkey.
 */
export function offerAnotherPasskey(cookies: Cookies): 'offer-another-passkey' | null {
  if (cookies.get(cookie) !== null) return null;
  markPasskeySeen(cookies);
  return 'offer-another-passkey';
}
