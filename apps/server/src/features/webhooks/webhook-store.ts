/** Rows of webhooks and of their messages, and what the contract says of them. Who may do what stands in webhooks.ts. */
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
  /** Until when nothing is sent to a receiver that fails or has asked for a pause. */
  retry_at: Date | null;
  delivered_at: Date | null;
  waiting: number;
};

/** Counting what waits must not take long where a receiver has been away for days. */
const waitingCounted = 1_001;
const givenUpAtOnce = 5_000;
const columns = `hook.id, url, description, events, is_on, off_because, created_by, created_at, earlier_secret_until,
  failing_since, retry_at, delivered_at, (select count(*) from (select from webhook_messages
    where hook.is_on and webhook_id = hook.id and state = 'waiting' limit ${waitingCounted}) counted) as waiting`;

export async function listWebhookRows(database: Queryable): Promise<WebhookRow[]> {
  return rowsOf<WebhookRow>(database, `select ${columns} from webhooks hook order by created_at, hook.id`);
}

/** Held until the transaction ends where it is `locked`. */
export function findWebhook(database: Queryable, id: string, { locked } = { locked: false }) {
  return rowOf<WebhookRow>(database, {
    text: `select ${columns} from webhooks hook where hook.id = $1 ${locked ? 'for no key update of hook' : ''}`,
    values: [id],
  });
}

/**
 * False where it is so already. Whoever is switched on, or is at another address, begins anew, whatever went wrong before. No
 * message is written here, as there may be very many: the sender sees that the address is another one, or that it is switched off.
 */
export async function updateWebhook(
  transaction: Queryable,
  before: WebhookRow,
  { url, description, events, isOn }: RouteBody<typeof changeWebhook>,
): Promise<boolean> {
  const moves = url !== undefined && url !== before.url;
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
    values: [before.id, url, description, events, isOn, moves],
  });
  return rowCount === 1;
}

/** What waited when a webhook was switched off is not told late. A part at a time; false where nothing waits, or it is on. */
export async function giveUpSome(database: Queryable, webhookId: string): Promise<boolean> {
  const rowCount = await execute(database, {
    name: 'give-up-webhook-messages',
    text: `update webhook_messages set state = 'given_up' where id in (
             select id from webhook_messages
             where (select not is_on from webhooks where id = $1) and webhook_id = $1 and state = 'waiting'
             order by due_at, id limit ${givenUpAtOnce} for update)`,
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
  /** Null for the time before all times: as soon as possible. */
  due_at: Date | null;
  attempts: number;
  last_attempt_at: Date | null;
  status: number | null;
  answer: string | null;
  milliseconds: number | null;
};

export const messageColumns = `id, message_id, event, at, object_type, object_id, state, nullif(due_at, '-infinity') as due_at, attempts,
  last_attempt_at, status, answer, milliseconds`;

/** As it is at the time `now` (milliseconds), of a webhook that is left alone until `retryAt`. */
export const toMessage = (row: MessageRow, now: number, retryAt: Date | null = null): WebhookMessage => ({
  id: row.message_id,
  event: row.event,
  at: row.at.toISOString(),
  objectType: row.object_type,
  objectId: row.object_id,
  state: row.state,
  attempts: row.attempts,
  lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
  nextAttemptAt: row.state === 'waiting' ? laterThan(now, row.due_at, retryAt) : null,
  status: row.status,
  answer: row.answer,
  answerText: row.status === null ? failureText(row.answer) : null,
  milliseconds: row.milliseconds,
});

function laterThan(now: number, ...moments: (Date | null)[]): string | null {
  const latest = Math.max(now, ...moments.map((moment) => moment?.getTime() ?? 0));
  return latest > now ? new Date(latest).toISOString() : null;
}

function failureText(answer: string | null): WebhookMessage['answerText'] {
  const failure = Object.values(webhookFailures).find(({ message }) => message === answer);
  return failure ? createMessage(failure) : null;
}
