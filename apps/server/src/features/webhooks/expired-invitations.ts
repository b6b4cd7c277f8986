/** Tells webhooks of invitations that have expired: nobody writes anything when one does, so the clock is looked at. */
import type { Timed } from '../../platform/database/database.ts';

/** Of several processes the first one does it; the others wait for it and find nothing more to do. */
export async function tellOfExpired({ database, now }: Timed): Promise<void> {
  await database.query({
    text: `with told as (select expired_until from webhook_clock where expired_until < $1 for update),
             moved as (update webhook_clock set expired_until = $1 from told)
           insert into webhook_messages (webhook_id, event, at, object_type, object_id)
           select hook.id, 'invitation.expired', expires_at, 'invitation', invitations.id::text
           from told, invitations, webhooks hook
           where status = 'pending' and expires_at > told.expired_until and expires_at <= $1
             and hook.is_on and 'invitation.expired' = any(hook.events)
           order by expires_at, invitations.id`,
    values: [new Date(now())],
  });
}
