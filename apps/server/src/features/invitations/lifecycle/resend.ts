/** Sends the mail of open invitations again, with the same link. follow-up-store.ts enforces the limits. */
import { aboutInvitation, recordEach } from '../../../platform/audit/audit-log.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { Caller, Origin } from '../../../platform/http/implement.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { invitationMailJob } from '../invitation-mail.ts';
import { markSentAgain } from './follow-up-store.ts';
import { type InvitationRow } from '../invitation-store.ts';

export async function resendInvitationMail(
  deps: { mail: MailQueue; now: () => number },
  transaction: Queryable,
  { ids, perHour, ...actor }: { ids: string[]; perHour: number; caller: Caller; origin: Origin },
): Promise<InvitationRow[]> {
  if (!deps.mail.sends) return [];
  const rows = await markSentAgain(transaction, ids, { perHour, at: new Date(deps.now()) });
  if (rows.length > 0)
    await Promise.all([
      recordEach(transaction, rows, (row) => aboutInvitation(row, 'invitation.sent_again', actor)),
      deps.mail.queue(
        transaction,
        rows.map((row) => invitationMailJob('invitation', row)),
      ),
    ]);
  return rows;
}
