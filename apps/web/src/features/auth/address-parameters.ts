/** Reads the invitation in the address. Removes a token first: no Referer, bookmark or MSAL start page may contain it (D13). */
import type { InvitationInAddress } from './storage/storage.ts';

/** Returns the invitation of a sign-up address and removes its token. A short code stays visible: users may copy or reload it. */
export function prepareAddress(): InvitationInAddress | null {
  if (window.location.pathname !== '/signup') return null;
  const invitation = invitationOf(window.location.search);
  if (invitation && 'token' in invitation) window.history.replaceState(window.history.state, '', '/signup');
  return invitation;
}

/** Returns the invitation of a query string. A token takes precedence over a code (D1, D2). Returns null without either (D3). */
export function invitationOf(search: string): InvitationInAddress | null {
  // Some mail services encode the equals sign of links.
  const query = new URLSearchParams(search.replace(/%3D/i, '='));
  const token = query.get('t');
  // The pasted link may be followed by punctuation.
  if (token) return { token: /^[\w-]+(?:\.[\w-]+){2}/.exec(token)?.[0] ?? token };
  const code = query.get('i');
  return code ? { code } : null;
}
