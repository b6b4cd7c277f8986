/** What a browser remembers of passkeys, so that the question whether one is lost is asked seldom. */
import type { Cookies } from '../../../platform/http/cookies.ts';

const cookie = '__Host-vestibule-seen-passkey';
const month = 30 * 24 * 60 * 60;

/** A passkey was used or made in this browser. */
export function noteSeenHere(cookies: Cookies): void {
  cookies.set(cookie, '1', month);
}

/** Whoever has a passkey and comes by a code may have lost it: they are offered another one, once a month where none is seen. */
export function offerOfAnother(cookies: Cookies): 'offer-another-passkey' | null {
  if (cookies.get(cookie) !== null) return null;
  noteSeenHere(cookies);
  return 'offer-another-passkey';
}
