import { webhookErrors } from '@vestibule/contract/webhooks';
import { recordChange } from '../../platform/audit/audit-log.ts';
import { retryOnDeadlock, type Database, type Queryable } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors/failure.ts';
import type { Caller, Origin } from '../../platform/http/implement.ts';
import { webhookTarget } from './disable-webhook.ts';
import { findWebhook, type WebhookRow } from './webhook-store.ts';

export async function requireWebhook(
  database: Queryable,
  id: string,
  locking: { locked: boolean } = { locked: false },
): Promise<WebhookRow> {
  const row = await findWebhook(database, id, locking);
  if (!row) throw fail(webhookErrors.notFound);
  return row;
}

/** Runs `work` on the locked row and records the returned audit entry in the same transaction; null means no change. */
export function changeAudited(
  database: Database,
  webhookId: string,
  { caller, origin }: { caller: Caller; origin: Origin },
  work: (transaction: Queryable, row: WebhookRow) => Promise<{ action: string; detail?: object } | null>,
): Promise<WebhookRow> {
  return retryOnDeadlock(database, async (transaction) => {
    const row = await requireWebhook(transaction, webhookId, { locked: true });
    const entry = await work(transaction, row);
    if (entry === null) return row;
    const { action, detail } = entry;
    const after = (await findWebhook(transaction, webhookId)) ?? row;
    const target = webhookTarget(after);
    await recordChange(transaction, { action, actor: caller, target, origin, detail: { ...detail } });
    return after;
  });
}
