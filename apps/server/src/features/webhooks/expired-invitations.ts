/**
 * Enqueues `invitation.expired` messages. No statement runs when an invitation expires, so a timer looks for
 * invitations that have expired since its last run.
 */
import type { DatabaseDeps } from '../../platform/database/database.ts';

/** Concurrent processes wait for the row lock of the first one and then find nothing to enqueue. */
export async function enqueueExpiredInvitations({ database, now }: DatabaseDeps): Promise<void> {
  await database.query({
    text: `with previous as (select expired_until from webhook_cursor where expired_until < $1 for update),
             updated as (update webhook_cursor set expired_until = $1 from previous)
           insert into webhook_messages (webhook_id, event, at, object_type, object_id)
           select hook.id, 'invitation.expired', expires_at, 'invitation', invitations.id::text
           from previous, invitations, webhooks hook
           where status = 'pending' and expires_at > previous.expired_until and expires_at <= $1
             and hook.is_on and 'invitation.expired' = any(hook.events)
           order by expires_at, invitations.id`,
    values: [new Date(now())],
  });
}
