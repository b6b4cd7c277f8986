/** Sends one reminder before an invitation expires. An advisory lock lets one server process work at a time. */
import { aboutInvitation, recordEach } from '../../../platform/audit/audit-log.ts';
import { advisoryLocks } from '../../../platform/database/advisory-locks.ts';
import { rowOf, type Database, type DatabaseDeps } from '../../../platform/database/database.ts';
import type { MailQueue } from '../../../platform/mail/mail-queue.ts';
import { invitationMailJob } from '../invitation-mail.ts';
import type { InvitationRules } from '../invitation-rules.ts';
import { markReminded } from './follow-up-store.ts';

const chunkSize = 500;
const actor = { caller: null, origin: { requestId: 'reminder', address: 'local' } };

export async function remindBeforeExpiry(deps: {
  database: Database;
  mail: MailQueue;
  rules: () => Promise<Pick<InvitationRules, 'reminderDays'>>;
  now: () => number;
}): Promise<number> {
  const { reminderDays } = await deps.rules();
  if (reminderDays === 0 || !deps.mail.sends) return 0;
  let reminded = 0;
  for (;;) {
    const chunk = await remindChunk(deps, reminderDays);
    reminded += chunk;
    if (chunk < chunkSize) return reminded;
  }
}

function remindChunk(deps: DatabaseDeps & { mail: MailQueue }, days: number): Promise<number> {
  return deps.database.transaction(async (transaction) => {
    const found = await rowOf<{ mine: boolean }>(transaction, {
      text: 'select pg_try_advisory_xact_lock($1) as mine',
      values: [advisoryLocks.reminders],
    });
    if (!found?.mine) return 0;
    const rows = await markReminded(transaction, { days, at: new Date(deps.now()), limit: chunkSize });
    if (rows.length > 0)
      await Promise.all([
        recordEach(transaction, rows, (row) =>
          aboutInvitation(row, 'invitation.reminded', actor, { expiresAt: row.expires_at }),
        ),
        deps.mail.queue(
          transaction,
          rows.map((row) => invitationMailJob('invitation-reminder', row)),
        ),
      ]);
    return rows.length;
  });
}
