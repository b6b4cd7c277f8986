/** Invitation of a pending redirect, in this tab's session storage, so that a cancellation can be reported. */
import type { InvitationInAddress } from '../address-parameters.ts';
import { takeStored } from '../storage/storage.ts';

const storageKey = 'invitationUnderWay';

export function storePendingInvitation(invitation: InvitationInAddress): void {
  window.sessionStorage.setItem(storageKey, JSON.stringify(invitation));
}

export function takePendingInvitation(): InvitationInAddress | null {
  const stored = takeStored(storageKey);
  return stored === null ? null : (JSON.parse(stored) as InvitationInAddress);
}
