/** What the settings say about invitations. */
import type { InvitationLanguage } from '@vestibule/contract/invitations/new-invitation';
import type { Role } from '@vestibule/contract/rules/role';

export type InvitationRules = {
  invitationLifetimeDays: number;
  mailLanguage: InvitationLanguage;
  /** In lower case, as A-labels; empty when every domain may be invited. */
  allowedDomains: string[];
  invitationsPerBatch: number;
  resendsPerHour: number;
  /** Days after its end in which whoever has the link of an invitation may ask for a new one; 0 for never. */
  newLinkDays: number;
  /** Days before an invitation ends on which a reminder is mailed; 0 for none. */
  reminderDays: number;
  codeBeforePasskey: boolean;
};

/** Whether whoever has the link has to enter a code from the invited mailbox before making a passkey: a link is not the person. */
export const needsCodeFirst = (
  role: Role,
  { codeBeforePasskey }: Pick<InvitationRules, 'codeBeforePasskey'>,
): boolean => role === 'admin' || codeBeforePasskey;
