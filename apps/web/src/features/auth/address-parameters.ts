/**
 * What the address bar brings in. Codes and tokens leave it, and the history entry, before anything else runs:
 * they must not be in a Referer, a bookmark or the start page that the provider's library returns to (D13).
 */

/** A short invite code or an invite token, taken from the address. */
export type InvitationInAddress = { code: string } | { token: string };

/** Takes the invitation of a sign-up address. The code stays visible: it is what a person may copy or reload. */
export function prepareAddress(): InvitationInAddress | null {
  if (window.location.pathname !== '/signup') return null;
  const invitation = invitationOf(window.location.search);
  if (invitation && 'token' in invitation) window.history.replaceState(window.history.state, '', '/signup');
  return invitation;
}

/** The invitation of a query string; a token goes before a code (D1, D2), null with neither (D3). */
export function invitationOf(search: string): InvitationInAddress | null {
  const query = new URLSearchParams(search);
  const token = query.get('t');
  // A link may be pasted with the punctuation after it.
  if (token) return { token: /^[\w-]+(?:\.[\w-]+){2}/.exec(token)?.[0] ?? token };
  const code = query.get('i');
  return code ? { code } : null;
}
