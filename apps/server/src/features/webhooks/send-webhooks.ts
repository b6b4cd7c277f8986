/**
 * Sends outbox messages. Each webhook is processed independently, so that a slow receiver delays no other. Messages are claimed for a
 * limited time, so that another process can take over after a crash.
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { setTimeout as delay } from 'node:timers/promises';
import { webhookFailures } from '@vestibule/contract/webhooks';
import type { Logger } from 'pino';
import { jsonParameter, rowOf, rowsOf, scalarsOf, type Database } from '../../platform/database/database.ts';
import { failureReason, type OutboundHttp } from '../../platform/http/outbound-http.ts';
import type { MailQueue } from '../../platform/mail/mail-queue.ts';
import { dayMs } from '../../platform/time-units.ts';
import { disableWebhook } from './disable-webhook.ts';
import { writePayloads, type OutboxMessage } from './webhook-payload.ts';
import { createWebhookSecrets, type StoredSecrets } from './webhook-secret.ts';

const responseTimeoutMs = 15_000;
const pollIntervalMs = 500;
const maxStoredResponseLength = 1_000;
/** Part of a response that is read. The status decides about success, so the rest may be late or missing. */
const responseStartBytes = 4_096;
/** Per webhook and process. */
const maxConcurrentMessages = 25;
/** Longer than sending a message and recording its outcome takes. */
const claimMs = 60_000;
/** Delays between attempts; the last one repeats. */
const retryDelaysMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000];
/** Upper limit for Retry-After, below the retry window. */
const maxRetryAfterMs = dayMs;
const retryWindowMs = 3 * dayMs;
/** Event of a test message, which is attempted once. */
export const testEvent = 'webhook.test';

type ClaimedMessage = OutboxMessage &
  StoredSecrets & { url: string; organization_id: string | null; attempts: number; first_attempt_at: Date };

/** Returns the client for webhooks of an organization, or of the site. */
export type HttpOf = (organizationId: string | null) => OutboundHttp;

type DeliveryOutcome = {
  message: ClaimedMessage;
  status: number | null;
  answer: string;
  milliseconds: number;
  /** Pause that the receiver requests by Retry-After. */
  pauseMs: number;
};

type Deps = {
  database: Database;
  mail: MailQueue;
  httpOf: HttpOf;
  secret: Buffer;
  logger: Pick<Logger, 'error'>;
  now: () => number;
};

export type WebhookSender = ReturnType<typeof createWebhookSender>;

export function createWebhookSender(deps: Deps) {
  const { database, httpOf, logger, now } = deps;
  const secrets = createWebhookSecrets(deps.secret);
  const running = new Map<string, Promise<void>>();

  return {
    /** Sends all due messages, then returns. */
    async sendDue(stopped: AbortSignal = new AbortController().signal): Promise<void> {
      await startDue(stopped);
      await Promise.all(running.values());
    },

    /** Runs until `stopped` is aborted. Throws if the database is unavailable. */
    async run(stopped: AbortSignal): Promise<void> {
      try {
        while (!stopped.aborted) {
          await startDue(stopped);
          await delay(pollIntervalMs, undefined, { signal: stopped }).catch(() => {});
        }
      } finally {
        await Promise.all(running.values());
      }
    },
  };

  async function startDue(stopped: AbortSignal): Promise<void> {
    for (const id of await findDueWebhooks(database, now())) {
      if (running.has(id)) continue;
      const work = sendAll(id, stopped)
        .catch((error: unknown) => logger.error({ err: error }, 'sending to a webhook failed'))
        .finally(() => running.delete(id));
      running.set(id, work);
    }
  }

  async function sendAll(webhookId: string, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const claimed = await claimMessages(database, webhookId, now());
      if (claimed.length === 0) return;
      const bodies = await writePayloads(database, claimed);
      const sent = await Promise.all(
        claimed.map((message) => send(message, bodies.get(message.id) as string, stopped)),
      );
      const outcomes = sent.filter((outcome) => outcome !== null);
      if (outcomes.length === 0) return;
      const reason = await recordOutcomes(database, webhookId, outcomes, now());
      if (reason) await disableWebhook(deps, webhookId, reason);
    }
  }

  /** Returns null if `stopped` was aborted meanwhile; the message is sent again when its claim expires. */
  async function send(
    message: ClaimedMessage,
    body: string,
    stopped: AbortSignal,
  ): Promise<DeliveryOutcome | null> {
    const startedAt = performance.now();
    const outcome = (status: number | null, answer: string, pauseMs = 0): DeliveryOutcome => ({
      message,
      status,
      answer: cutText(answer, maxStoredResponseLength),
      milliseconds: Math.round(performance.now() - startedAt),
      pauseMs,
    });
    try {
      const request = {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Vestibule webhooks',
          ...secrets.sign(message, { id: `msg_${message.message_id}`, body, at: now() }),
        },
        body,
        signal: AbortSignal.any([stopped, AbortSignal.timeout(responseTimeoutMs)]),
      };
      const response = await httpOf(message.organization_id).fetch(message.url, request, responseStartBytes);
      const pauseMs = readRetryAfter(response.headers.get('retry-after'), now());
      return outcome(response.status, await response.text(), pauseMs);
    } catch (error) {
      if (stopped.aborted) return null;
      // The abort of a stopping server is handled above, so `late` is the timeout.
      const reason = failureReason(error);
      const { message: description } = ((error as Error).cause ?? error) as Error;
      return outcome(null, reason ? webhookFailures[reason].message : description);
    }
  }
}

/** The subquery with `order by … limit 1` uses the index, also if very many messages are waiting. */
export const findDueWebhooks = (database: Database, now: number) =>
  scalarsOf<string>(database, {
    name: 'find-due-webhooks',
    text: `select id from webhooks hook where is_on and (retry_at is null or retry_at <= $1) and (
             select due_at from webhook_messages where webhook_id = hook.id and state = 'waiting' order by due_at limit 1) <= $1`,
    values: [new Date(now)],
  });

/** While an endpoint is failing, claims a single message as a probe. */
export const claimMessages = (database: Database, webhookId: string, at: number) =>
  rowsOf<ClaimedMessage>(database, {
    name: 'claim-webhook-messages',
    text: `with hook as (
             select id, url, organization_id, secret, earlier_secret, earlier_secret_until, failing_since from webhooks
             where id = $1 and is_on and (retry_at is null or retry_at <= $2)),
           next as (
             select id from webhook_messages
             where webhook_id = (select id from hook) and state = 'waiting' and due_at <= $2
             order by due_at, id
             limit (select case when failing_since is null then $4::int else 1 end from hook)
             for update skip locked)
           update webhook_messages message set due_at = $3, attempts = attempts + 1, last_attempt_at = $2,
             first_attempt_at = coalesce(first_attempt_at, $2)
           from next, hook where message.id = next.id
           returning message.id, message_id, event, at, object_type, object_id, activity_id, attempts, first_attempt_at,
             url, organization_id, secret, earlier_secret, earlier_secret_until`,
    values: [webhookId, new Date(at), new Date(at + claimMs), maxConcurrentMessages],
  });

/** A success resets the failure count of the webhook. Returns the reason to disable the webhook, or null. */
async function recordOutcomes(
  database: Database,
  webhookId: string,
  outcomes: DeliveryOutcome[],
  at: number,
): Promise<'gone' | 'failing' | null> {
  const written = outcomes.map(({ message, ...outcome }) => {
    const isFinalAttempt =
      message.event === testEvent || message.first_attempt_at.getTime() + retryWindowMs <= at;
    const retryDelayMs = retryDelaysMs[Math.min(message.attempts, retryDelaysMs.length) - 1] as number;
    return {
      ...outcome,
      id: message.id,
      attempts: message.attempts,
      state: isSuccess(outcome) ? 'delivered' : isFinalAttempt ? 'given_up' : 'waiting',
      due_at: new Date(at + retryDelayMs),
    };
  });
  await database.query({
    name: 'write-webhook-outcomes',
    // Skips messages that another process has claimed meanwhile.
    text: `update webhook_messages message set state = done.state, due_at = done.due_at, status = done.status,
             answer = done.answer, milliseconds = done.milliseconds
           from jsonb_to_recordset($1) as done (id bigint, attempts integer, state text, due_at timestamptz, status integer,
             answer text, milliseconds integer)
           where message.id = done.id and message.attempts = done.attempts`,
    values: [jsonParameter(written)],
  });
  const pauseMs = Math.max(...outcomes.map((outcome) => (isSuccess(outcome) ? 0 : outcome.pauseMs)));
  const hook = await rowOf<{ failing_since: Date | null }>(database, {
    name: 'write-webhook-health',
    // Ignores outcomes at an earlier URL.
    text: `update webhooks set
             failures = case when $2 then 0 else failures + 1 end,
             failing_since = case when $2 then null else coalesce(failing_since, $3) end,
             retry_at = greatest($5::timestamptz, case when $2 then null else $3 + ($4::int[])[least(failures + 1, cardinality($4::int[]))] * interval '1 ms' end),
             delivered_at = case when $2 then $3 else delivered_at end
           where id = $1 and url = $6 returning failing_since`,
    values: [
      webhookId,
      outcomes.some(isSuccess),
      new Date(at),
      retryDelaysMs,
      pauseMs > 0 ? new Date(at + pauseMs) : null,
      outcomes[0]?.message.url,
    ],
  });
  if (!hook) return null;
  // 410 unsubscribes (Standard Webhooks).
  if (outcomes.some(({ status }) => status === 410)) return 'gone';
  return hook.failing_since && hook.failing_since.getTime() + retryWindowMs <= at ? 'failing' : null;
}

const isSuccess = ({ status }: { status: number | null }) => status !== null && status >= 200 && status < 300;

/** Parses Retry-After (RFC 9110, 10.2.3), given in seconds or as a date, to milliseconds. */
function readRetryAfter(header: string | null, now: number): number {
  const at = header?.endsWith('GMT') ? Date.parse(header) - now : Number(header) * 1_000;
  return Math.min(Math.max(at || 0, 0), maxRetryAfterMs);
}
