/** Statements that find, claim and release outbox messages, and record delivery outcomes. */
import { jsonParameter, rowOf, rowsOf, type Database } from '../../platform/database/database.ts';
import type { OutboxMessage } from './webhook-payload.ts';
import type { StoredSecrets } from './webhook-secret.ts';

/** Per webhook and process. */
const maxConcurrentMessages = 25;
/** Longer than sending a message and recording its outcome takes. */
const claimMs = 60_000;
/** Delays between attempts; the last one repeats. */
const retryDelaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];
/** Upper limit for Retry-After, below the retry window. */
const maxRetryAfterMs = 24 * 3_600_000;
const retryWindowMs = 3 * 24 * 3_600_000;
/** Event of a test message, which is attempted once. */
export const testEvent = 'webhook.test';

export type ClaimedMessage = OutboxMessage &
  StoredSecrets & { url: string; attempts: number; first_attempt_at: Date };

export type DeliveryOutcome = {
  id: number;
  status: number | null;
  answer: string;
  milliseconds: number;
  /** From the Retry-After header of the receiver. */
  retryAfterMs?: number | null;
};

/** Lowest URL version among already attempted messages. Messages from before the last URL change are retried immediately. */
const lowestUrlVersion = `(select moves from webhook_messages where webhook_id = hook.id and state = 'waiting' and attempts > 0
               order by moves limit 1)`;

/** Includes disabled webhooks with waiting messages, which are then given up. The `order by … limit 1` subqueries use indexes. */
export async function findDueWebhooks(database: Database, now: number): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(database, {
    name: 'find-due-webhooks',
    text: `select id from webhooks hook where (not is_on or retry_at is null or retry_at <= $1) and (
             (select due_at from webhook_messages where webhook_id = hook.id and state = 'waiting' order by due_at limit 1)
               <= case when is_on then $1 else 'infinity' end
             or ${lowestUrlVersion} < hook.moves)`,
    values: [new Date(now)],
  });
  return rows.map(({ id }) => id);
}

/**
 * While an endpoint is failing, claims a single message as a probe. Test messages are sent before all others. Messages
 * due later are read only if the webhook has messages that were attempted at an earlier URL.
 */
export async function claimMessages(
  database: Database,
  webhookId: string,
  at: number,
): Promise<ClaimedMessage[]> {
  return rowsOf<ClaimedMessage>(database, {
    name: 'claim-webhook-messages',
    text: `with hook as (
             select id, url, secret, earlier_secret, earlier_secret_until, failing_since, moves from webhooks
             where id = $1 and is_on and (retry_at is null or retry_at <= $2)),
           until as (
             select case when ${lowestUrlVersion} < hook.moves then 'infinity' else $2 end as due_at from hook),
           next as (
             select id from webhook_messages message
             where webhook_id = (select id from hook) and state = 'waiting' and due_at <= (select due_at from until)
               and (due_at <= $2 or moves < (select moves from hook)) and not exists (
               select from webhook_messages earlier where earlier.webhook_id = message.webhook_id and earlier.state = 'waiting'
                 and earlier.object_id = message.object_id and earlier.id < message.id)
               and (event = $5 or not exists (
                 select from webhook_messages test where test.webhook_id = $1 and test.object_id = $1::uuid::text
                   and test.state = 'waiting' and test.due_at <= $2))
             order by due_at, id
             limit (select case when failing_since is null then $4::int else 1 end from hook)
             for update skip locked)
           update webhook_messages message set due_at = $3, moves = hook.moves, attempts = attempts + 1, last_attempt_at = $2,
             first_attempt_at = coalesce(first_attempt_at, $2)
           from next, hook where message.id = next.id
           returning message.id, message_id, event, at, object_type, object_id, activity_id, attempts, first_attempt_at,
             url, secret, earlier_secret, earlier_secret_until`,
    values: [webhookId, new Date(at), new Date(at + claimMs), maxConcurrentMessages, testEvent],
  });
}

/** Skips messages that another process has claimed meanwhile. */
export async function releaseMessages(database: Database, claimed: ClaimedMessage[]): Promise<void> {
  if (claimed.length === 0) return;
  await database.query({
    text: `update webhook_messages message set due_at = '-infinity', attempts = message.attempts - 1
           from unnest($1::bigint[], $2::int[]) as claimed (id, attempts)
           where message.id = claimed.id and message.attempts = claimed.attempts and state = 'waiting'`,
    values: [claimed.map(({ id }) => id), claimed.map(({ attempts }) => attempts)],
  });
}

/**
 * A single success resets the failure count of the webhook. Outcomes at an earlier URL are ignored. Returns the reason to disable the
 * webhook, or null.
 */
export async function recordOutcomes(
  database: Database,
  webhookId: string,
  { claimed, outcomes, at }: { claimed: ClaimedMessage[]; outcomes: DeliveryOutcome[]; at: number },
): Promise<'gone' | 'failing' | null> {
  const byId = new Map(claimed.map((message) => [message.id, message]));
  const pauseMs = Math.max(...outcomes.map(requestedPauseMs));
  const written = outcomes.map((outcome) => {
    const { attempts, first_attempt_at: firstAttemptAt, event } = byId.get(outcome.id) as ClaimedMessage;
    const isFinalAttempt = event === testEvent || firstAttemptAt.getTime() + retryWindowMs <= at;
    return {
      ...outcome,
      attempts,
      state: isSuccess(outcome) ? 'delivered' : isFinalAttempt ? 'given_up' : 'waiting',
      due_at: new Date(at + retryDelayMs(attempts)),
    };
  });
  const hook = await rowOf<{ failing_since: Date | null }>(database, {
    name: 'write-webhook-outcomes',
    text: `with written as (
             update webhook_messages message set state = done.state, due_at = done.due_at, status = done.status,
               answer = done.answer, milliseconds = done.milliseconds
             from jsonb_to_recordset($2) as done (id bigint, attempts integer, state text, due_at timestamptz, status integer,
               answer text, milliseconds integer), webhooks hook
             -- Skips messages that another process has claimed meanwhile, and failures of messages that were given up or have a new URL.
             where message.id = done.id and message.attempts = done.attempts and hook.id = webhook_id
               and (done.state = 'delivered' or message.state = 'waiting' and message.moves = hook.moves))
           update webhooks set
             failures = case when $3 then 0 else failures + 1 end,
             failing_since = case when $3 then null else coalesce(failing_since, $4) end,
             retry_at = greatest($6::timestamptz, case when $3 then null else $4 + ($5::int[])[least(failures + 1, cardinality($5::int[]))] * interval '1 ms' end),
             delivered_at = case when $3 then $4 else delivered_at end
           where id = $1 and url = $7 returning failing_since`,
    values: [
      webhookId,
      jsonParameter(written),
      outcomes.some(isSuccess),
      new Date(at),
      retryDelaysMs,
      pauseMs > 0 ? new Date(at + pauseMs) : null,
      claimed[0]?.url,
    ],
  });
  if (!hook) return null;
  const since = hook.failing_since;
  // 410 unsubscribes (Standard Webhooks).
  if (outcomes.some(({ status }) => status === 410)) return 'gone';
  return since && since.getTime() + retryWindowMs <= at ? 'failing' : null;
}
const isSuccess = ({ status }: DeliveryOutcome) => status !== null && status >= 200 && status < 300;

/** A pause after 429 or 503 applies to all messages of the webhook. */
const requestedPauseMs = (outcome: DeliveryOutcome) =>
  isSuccess(outcome) ? 0 : Math.min(outcome.retryAfterMs ?? 0, maxRetryAfterMs);

/** Parses Retry-After (RFC 9110, 10.2.3), given in seconds or as a date, to milliseconds. Returns null if invalid. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = header.endsWith('GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const retryDelayMs = (attempts: number) =>
  retryDelaysMs[Math.min(attempts, retryDelaysMs.length) - 1] as number;
