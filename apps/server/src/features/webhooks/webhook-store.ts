import type { RouteBody } from '@vestibule/contract/route';
import { createMessage } from '@vestibule/contract/texts/text';
import {
  webhookFailures,
  type changeWebhook,
  type Webhook,
  type WebhookEvent,
  type WebhookMessage,
} from '@vestibule/contract/webhooks';
import { execute, rowOf, rowsOf, type Queryable } from '../../platform/database/database.ts';

export type WebhookRow = {
  id: string;
  url: string;
  description: string;
  events: WebhookEvent[];
  is_on: boolean;
  off_because: Webhook['offBecause'];
  created_by: string;
  created_at: Date;
  earlier_secret_until: Date | null;
  failing_since: Date | null;
  /** End of the pause of a receiver that failed or sent Retry-After. */
  retry_at: Date | null;
  delivered_at: Date | null;
  waiting: number;
};

/** Limits the cost of the count when a receiver has been unavailable for days. */
const maxQueuedCounted = 1_001;
const giveUpBatchSize = 5_000;
const columns = `hook.id, url, description, events, is_on, off_because, created_by, created_at, earlier_secret_until,
  failing_since, retry_at, delivered_at, (select count(*) from (select from webhook_messages
    where hook.is_on and webhook_id = hook.id and state = 'waiting' limit ${maxQueuedCounted}) counted) as waiting`;

export async function listWebhookRows(database: Queryable): Promise<WebhookRow[]> {
  return rowsOf<WebhookRow>(database, `select ${columns} from webhooks hook order by created_at, hook.id`);
}

export function findWebhook(database: Queryable, id: string, { locked } = { locked: false }) {
  return rowOf<WebhookRow>(database, {
    text: `select ${columns} from webhooks hook where hook.id = $1 ${locked ? 'for no key update of hook' : ''}`,
    values: [id],
  });
}

/**
 * Returns false if nothing changed. Enabling a webhook or changing its URL resets its failures. Does not update messages, as there may be
 * very many: the sender compares the URL version and the state.
 */
export async function updateWebhook(
  transaction: Queryable,
  before: WebhookRow,
  { url, description, events, isOn }: RouteBody<typeof changeWebhook>,
): Promise<boolean> {
  const hasNewUrl = url !== undefined && url !== before.url;
  const rowCount = await execute(transaction, {
    text: `update webhooks set url = coalesce($2, url), description = coalesce($3, description),
             events = coalesce($4, events), is_on = coalesce($5, is_on),
             off_because = case when $5 is null then off_because end,
             failures = case when $5 or $6 then 0 else failures end,
             failing_since = case when $5 or $6 then null else failing_since end,
             retry_at = case when $5 or $6 then null else retry_at end,
             moves = case when $6 then moves + 1 else moves end
           where id = $1 and (
             (url, description, events) is distinct from (coalesce($2, url), coalesce($3, description), coalesce($4, events))
             or is_on <> $5 or failures > 0 and $5 or off_because is not null and $5 is not null)`,
    values: [before.id, url, description, events, isOn, hasNewUrl],
  });
  return rowCount === 1;
}

/** Gives up one batch of waiting messages of a disabled webhook. Returns false if there are none. */
export async function giveUpBatch(database: Queryable, webhookId: string): Promise<boolean> {
  const rowCount = await execute(database, {
    name: 'give-up-webhook-messages',
    text: `update webhook_messages set state = 'given_up' where id in (
             select id from webhook_messages
             where (select not is_on from webhooks where id = $1) and webhook_id = $1 and state = 'waiting'
             order by due_at, id limit ${giveUpBatchSize} for update)`,
    values: [webhookId],
  });
  return rowCount !== 0;
}

export function toWebhook(row: WebhookRow, now: number): Webhook {
  const until = row.earlier_secret_until;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    isOn: row.is_on,
    offBecause: row.off_because,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    earlierSecretUntil: until && until.getTime() > now ? until.toISOString() : null,
    failingSince: row.failing_since?.toISOString() ?? null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    waiting: row.waiting,
  };
}

export type MessageRow = {
  id: number;
  message_id: string;
  event: string;
  at: Date;
  object_type: string;
  object_id: string;
  state: WebhookMessage['state'];
  /** Null means immediately (`-infinity`). */
  due_at: Date | null;
  attempts: number;
  last_attempt_at: Date | null;
  status: number | null;
  answer: string | null;
  milliseconds: number | null;
};

export const messageColumns = `id, message_id, event, at, object_type, object_id, state, nullif(due_at, '-infinity') as due_at, attempts,
  last_attempt_at, status, answer, milliseconds`;

/** `now` is in milliseconds; `retryAt` is the end of the pause of the receiver. */
export const toMessage = (row: MessageRow, now: number, retryAt: Date | null = null): WebhookMessage => ({
  id: row.message_id,
  event: row.event,
  at: row.at.toISOString(),
  objectType: row.object_type,
  objectId: row.object_id,
  state: row.state,
  attempts: row.attempts,
  lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
  nextAttemptAt: row.state === 'waiting' ? latestFutureTime(now, row.due_at, retryAt) : null,
  status: row.status,
  answer: row.answer,
  answerText: row.status === null ? failureText(row.answer) : null,
  milliseconds: row.milliseconds,
});

function latestFutureTime(now: number, ...times: (Date | null)[]): string | null {
  const latest = Math.max(now, ...times.map((time) => time?.getTime() ?? 0));
  return latest > now ? new Date(latest).toISOString() : null;
}

function failureText(answer: string | null): WebhookMessage['answerText'] {
  const failure = Object.values(webhookFailures).find(({ message }) => message === answer);
  return failure ? createMessage(failure) : null;
}
