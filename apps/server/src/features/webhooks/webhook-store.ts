/** Webhooks and their messages in the database, as the API returns them. */
import type { RouteBody } from '@vestibule/contract/route';
import { createMessage } from '@vestibule/contract/texts/text';
import {
  webhookErrors,
  webhookFailures,
  type changeWebhook,
  type Webhook,
  type WebhookMessage,
} from '@vestibule/contract/webhooks';
import { isDeepStrictEqual } from 'node:util';
import { auditOf } from '../../platform/audit/audit-log.ts';
import {
  execute,
  rawSql,
  retryOnDeadlock,
  rowOf,
  rowsOf,
  type Database,
  type Queryable,
} from '../../platform/database/database.ts';
import { required } from '../../platform/errors/failure.ts';
import type { CallerOrganization, ScopedActor } from '../../platform/http/implement.ts';
import { dayMs } from '../../platform/time-units.ts';

/** Limits the cost of the count when a receiver has been unavailable for days. */
const maxQueuedCounted = 1_001;
const batchSize = 5_000;
const messageRetentionMs = 14 * dayMs;

const isoTime = (value: string) => `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const webhookColumns = `hook.id, url, description, events, is_on as "isOn", off_because as "offBecause",
  created_by as "createdBy", ${isoTime('created_at')} as "createdAt",
  case when earlier_secret_until > now() then ${isoTime('earlier_secret_until')} end as "earlierSecretUntil",
  ${isoTime('failing_since')} as "failingSince", ${isoTime('delivered_at')} as "deliveredAt",
  (select count(*) from (select from webhook_messages
    where hook.is_on and webhook_id = hook.id and state = 'waiting' limit ${maxQueuedCounted}) counted) as waiting`;

/** Null for webhooks of the site, which receive all events. */
type WebhookScope = CallerOrganization | null;

/** The events of a webhook of the site and of an organization differ; the routes' answers check them. */
export const readWebhooks = (database: Queryable, scope: WebhookScope) =>
  rowsOf<Webhook>(database)`
    select ${rawSql(webhookColumns)} from webhooks hook where organization_id is not distinct from ${scope?.id}
      order by created_at, id`;

export async function readWebhook(
  database: Queryable,
  scope: WebhookScope,
  id: string,
  lock = '',
): Promise<Webhook> {
  const text = `select ${webhookColumns} from webhooks hook where id = $1 and organization_id is not distinct from $2 ${lock}`;
  return required(await rowOf<Webhook>(database, text, [id, scope?.id]), webhookErrors.notFound);
}

/** Excludes the path and query of the URL, which may contain secrets. */
export const webhookAudit = auditOf('webhook', 'host');

/** Runs `work` on the locked row and records the returned audit entry in the same transaction; null means no change. */
export const changeAudited = (
  database: Database,
  webhookId: string,
  context: ScopedActor,
  work: (transaction: Queryable, before: Webhook) => Promise<{ action: string; detail?: object } | null>,
): Promise<void> =>
  retryOnDeadlock(database, async (transaction) => {
    const before = await readWebhook(
      transaction,
      context.organization,
      webhookId,
      'for no key update of hook',
    );
    const entry = await work(transaction, before);
    if (!entry) return;
    const target = { id: webhookId, host: new URL(before.url).host };
    await webhookAudit.record(transaction, target, entry.action, context, { ...entry.detail });
  });

/** Returns false if nothing changed. Enabling a webhook or changing its URL ends the pause of the receiver. */
export async function updateWebhook(
  transaction: Queryable,
  before: Webhook,
  changes: RouteBody<typeof changeWebhook>,
): Promise<boolean> {
  const { id, url, description, events, isOn } = { ...before, ...changes } as Webhook;
  if (isDeepStrictEqual({ ...before, url, description, events, isOn }, before)) return false;
  await execute(transaction)`
    update webhooks set url = ${url}, description = ${description}, events = ${events}, is_on = ${isOn},
    off_because = case when ${isOn} then null else off_because end where id = ${id}`;
  if (url === before.url && (!isOn || before.isOn)) return true;
  await execute(transaction)`
    update webhooks set failures = 0, failing_since = null, retry_at = null where id = ${id}`;
  await execute(transaction)`
    update webhook_messages set due_at = 'epoch' where webhook_id = ${id} and state = 'waiting' and due_at > 'epoch'`;
  return true;
}

/** Gives up the waiting messages of a disabled webhook, which `readMessages` reports as given up already. */
export const giveUpWaiting = (database: Queryable, webhookId: string) =>
  inBatches(
    database,
    `update webhook_messages set state = 'given_up'
     where id in (select id from webhook_messages where (select not is_on from webhooks where id = $1)
       and webhook_id = $1 and state = 'waiting'`,
    webhookId,
  );

export const deleteMessagesOf = (database: Queryable, webhookId: string) =>
  inBatches(
    database,
    'delete from webhook_messages where id in (select id from webhook_messages where webhook_id = $1',
    webhookId,
  );

export const deleteOldMessages = (database: Queryable, now: number) =>
  inBatches(
    database,
    'delete from webhook_messages where id in (select id from webhook_messages where at < $1',
    new Date(now - messageRetentionMs),
  );

/** Runs a statement on batches of messages, as there may be hundreds of thousands. */
async function inBatches(database: Queryable, statement: string, value: string | Date): Promise<void> {
  const text = `${statement} limit ${batchSize} for update skip locked)`;
  while ((await execute(database, text, [value])) === batchSize);
}

/** Reads the newest messages, those before the message `before`, or the message `id`. */
export async function readMessages(
  database: Queryable,
  webhookId: string,
  { before, id, now, limit }: { before?: string | undefined; id?: string; now: number; limit: number },
): Promise<WebhookMessage[]> {
  const rows = await rowsOf<WebhookMessage>(database)`
    select message_id as id, event, ${rawSql(isoTime('at'))} as at, object_type as "objectType", object_id as "objectId",
      case when state = 'waiting' and not is_on then 'given_up' else state end as state, attempts,
      ${rawSql(isoTime('last_attempt_at'))} as "lastAttemptAt", status, answer, milliseconds,
      case when state = 'waiting' and is_on and greatest(due_at, retry_at) > ${new Date(now)}
        then ${rawSql(isoTime('greatest(due_at, retry_at)'))} end as "nextAttemptAt"
    from webhook_messages message join webhooks hook on hook.id = webhook_id
    where webhook_id = ${webhookId} and (${id}::uuid is null or message_id = ${id})
      and (${before}::uuid is null or message.id < (select id from webhook_messages where webhook_id = ${webhookId}
        and message_id = ${before}))
    order by message.id desc limit ${limit}`;
  return rows.map((row) => ({ ...row, answerText: row.status === null ? failureText(row.answer) : null }));
}

function failureText(answer: string | null): WebhookMessage['answerText'] {
  const failure = Object.values(webhookFailures).find(({ message }) => message === answer);
  return failure ? createMessage(failure) : null;
}
