/**
 * The invitation that somebody is at the provider's page with, so that the server can be told when they cancel there.
 * In this tab's session storage until they are back.
 */
type Invitation = { code: string } | { token: string };

const key = 'invitationUnderWay';

export function keepInvitation(invitation: Invitation): void {
  window.sessionStorage.setItem(key, JSON.stringify(invitation));
}

export function takeInvitation(): Invitation | null {
  const kept = window.sessionStorage.getItem(key);
  window.sessionStorage.removeItem(key);
  return kept === null ? null : (JSON.parse(kept) as Invitation);
}
