/**
 * The invitation that somebody is at the provider's page with, so that the server can be told when they cancel there.
 * In this tab's session storage until they are back.
 */
import type { InvitationInAddress } from '../address-parameters.ts';
import { takeKept } from '../storage/storage.ts';

const key = 'invitationUnderWay';

export function keepInvitation(invitation: InvitationInAddress): void {
  window.sessionStorage.setItem(key, JSON.stringify(invitation));
}

export function takeInvitation(): InvitationInAddress | null {
  const kept = takeKept(key);
  return kept === null ? null : (JSON.parse(kept) as InvitationInAddress);
}
