/**
 * Rules for bulk actions: changes, and reasons for skipping a row. The server applies them; the screens preview them. Reasons that
 * only the server can determine, such as concurrent changes and limits, are in the response.
 */
import type { Invitation, InvitationsAction } from '../invitations.ts';
import type { PeopleAction, Person } from '../people.ts';

export type InvitationSkipReason = 'redeemed' | 'revoked' | 'replaced' | 'open' | 'expired' | 'mailQueued';

/** Returns why the action skips the invitation, or null if the action applies. */
export function invitationSkipReason(
  action: InvitationsAction,
  { status, mailState }: Pick<Invitation, 'status' | 'mailState'>,
): InvitationSkipReason | null {
  if (status === 'redeemed' || status === 'revoked' || status === 'replaced') return status;
  if (action === 'revoke') return null;
  const isExpired = status === 'expired';
  if (action === 'renew') return isExpired ? null : 'open';
  if (isExpired) return 'expired';
  return mailState === 'queued' ? 'mailQueued' : null;
}

/** New field values. Actions that are not listed do not change fields. */
export const personActionChanges = {
  makeAdmin: { role: 'admin' },
  makeMember: { role: 'member' },
  enable: { status: 'active' },
  disable: { status: 'disabled' },
} as const satisfies Partial<Record<PeopleAction, Partial<Person>>>;

/** Returns whether the action would not change the person. */
export function isAlreadyInState(action: PeopleAction, person: Pick<Person, 'role' | 'status'>): boolean {
  if (!(action in personActionChanges)) return false;
  const changes: Partial<Pick<Person, 'role' | 'status'>> =
    personActionChanges[action as keyof typeof personActionChanges];
  return Object.entries(changes).every(([field, value]) => person[field as 'role' | 'status'] === value);
}
