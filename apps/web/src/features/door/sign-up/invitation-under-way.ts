/**
 * The invitation that somebody is at the provider's page with, so that the server can be told when they cancel there, and they
 * find back. In this tab's session storage until they are back.
 */
type Invitation = { code: string } | { token: string };

const key = 'invitationUnderWay';

export function keepInvitation(invitation: Invitation): void {
  window.sessionStorage.setItem(key, JSON.stringify(invitation));
}

export function takeInvitation(): Invitation | null {
  const kept = readInvitation();
  window.sessionStorage.removeItem(key);
  return kept;
}

/** Where the invitation is; null where there is none, or only a token, which stands in no address (D13). */
export function invitationUnderWay(): string | null {
  const kept = readInvitation();
  return kept && 'code' in kept ? `/signup?i=${encodeURIComponent(kept.code)}` : null;
}

function readInvitation(): Invitation | null {
  return JSON.parse(window.sessionStorage.getItem(key) ?? 'null') as Invitation | null;
}
