/**
 * What an action changes, and whom it leaves as they are. The server goes by it, and the screens say it before somebody
 * presses the button. What only the server knows (another change meanwhile, a limit) is told afterwards.
 */
import type { Invitation, InvitationsAction } from '../invitations.ts';
import type { PeopleAction, Person } from '../people.ts';

/** Why an invitation is left as it is. */
export type InvitationSkipReason = 'redeemed' | 'revoked' | 'replaced' | 'open' | 'expired' | 'mailQueued';

/** null where it is done. */
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

/** What becomes of a person's fields; an action that is not listed does something else. */
export const personSets = {
  makeAdmin: { role: 'admin' },
  makeMember: { role: 'member' },
  enable: { status: 'active' },
  disable: { status: 'disabled' },
} as const satisfies Partial<Record<PeopleAction, Partial<Person>>>;

/** Whether a person is already as it would make them: then it leaves them out. */
export function isAlreadyInState(action: PeopleAction, person: Pick<Person, 'role' | 'status'>): boolean {
  if (!(action in personSets)) return false;
  const sets: Partial<Pick<Person, 'role' | 'status'>> = personSets[action as keyof typeof personSets];
  return Object.entries(sets).every(([field, value]) => person[field as 'role' | 'status'] === value);
}
