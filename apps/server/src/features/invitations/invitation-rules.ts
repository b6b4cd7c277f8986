/** What the settings say about invitations. */
import type { InvitationLanguage } from '@vestibule/contract/invitations/new-invitation';

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
};
