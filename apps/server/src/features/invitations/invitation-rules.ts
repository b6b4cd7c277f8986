import type { InvitationLanguage } from '@vestibule/contract/invitations/new-invitation';
import type { Role } from '@vestibule/contract/rules/role';

export type InvitationRules = {
  invitationLifetimeDays: number;
  mailLanguage: InvitationLanguage;
  /** Lower-case A-labels. Empty allows every domain. */
  allowedDomains: string[];
  invitationsPerBatch: number;
  resendsPerHour: number;
  /** Days after expiry in which the holder of a link may request a new one. 0 disables requests. */
  newLinkDays: number;
  /** Days before expiry at which a reminder is sent. 0 disables reminders. */
  reminderDays: number;
  codeBeforePasskey: boolean;
};

/** Returns whether a visitor must enter a mailed code before creating a passkey, because a link can be forwarded. */
export const needsCodeFirst = (
  role: Role,
  { codeBeforePasskey }: Pick<InvitationRules, 'codeBeforePasskey'>,
): boolean => role === 'admin' || codeBeforePasskey;
