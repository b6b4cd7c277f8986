/**
 * Sends outbox messages. Each webhook is processed independently, so that a slow receiver delays no other. Messages are claimed for a
 * limited time, so that another process can take over after a crash. Messages about the same object are sent in order.
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { setTimeout as delay } from 'node:timers/promises';
import { webhookFailures } from '@vestibule/contract/webhooks';
import type { DatabaseDeps } from '../../platform/database/database.ts';
import { UnsafeAddress, type OutboundHttp } from '../../platform/http/outbound-http.ts';
import {
  claimMessages,
  findDueWebhooks,
  releaseMessages,
  readRetryAfter,
  recordOutcomes,
  type ClaimedMessage,
  type DeliveryOutcome,
} from './claim-messages.ts';
import { writePayloads } from './webhook-payload.ts';
import type { WebhookSecrets } from './webhook-secret.ts';
import { giveUpBatch } from './webhook-store.ts';

const responseTimeoutMs = 15_000;
const pollIntervalMs = 500;
const maxStoredAnswerLength = 1_000;

type Deps = DatabaseDeps & {
  secrets: WebhookSecrets;
  outboundHttp: OutboundHttp;
  disable: (webhookId: string, reason: 'failing' | 'gone') => Promise<void>;
};

export type WebhookSender = {
  /** Sends all due messages, then returns. */
  sendDue(stopped?: AbortSignal): Promise<void>;
  /** Runs until `stopped` is aborted. Throws if the database is unavailable. */
  run(stopped: AbortSignal): Promise<void>;
};

export function createWebhookSender({ database, secrets, outboundHttp, disable, now }: Deps): WebhookSender {
  const running = new Map<string, Promise<void>>();

  return {
    async sendDue(stopped = new AbortController().signal) {
      for (const id of await findDueWebhooks(database, now())) startSending(id, stopped, () => {});
      await Promise.all(running.values());
    },

    async run(stopped) {
      const failures: unknown[] = [];
      try {
        while (!stopped.aborted && failures.length === 0) {
          for (const id of await findDueWebhooks(database, now()))
            startSending(id, stopped, (error) => failures.push(error));
          await delay(pollIntervalMs, undefined, { signal: stopped }).catch(() => {});
        }
      } finally {
        await Promise.allSettled(running.values());
      }
      if (failures.length > 0) throw failures[0];
    },
  };

  function startSending(webhookId: string, stopped: AbortSignal, onError: (error: unknown) => void): void {
    if (running.has(webhookId)) return;
    const work = sendAll(webhookId, stopped).finally(() => running.delete(webhookId));
    running.set(webhookId, work);
    work.catch(onError);
  }

  async function sendAll(webhookId: string, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const claimed = await claimMessages(database, webhookId, now());
      if (claimed.length === 0) {
        if (await giveUpBatch(database, webhookId)) continue;
        return;
      }
      const bodies = await writePayloads(database, claimed);
      const outcomes = await Promise.all(
        claimed.map((message) => send(message, bodies.get(message.id) as string, stopped)),
      );
      const completed = outcomes.filter((outcome) => outcome !== null);
      await releaseMessages(
        database,
        claimed.filter(({ id }) => !completed.some((outcome) => outcome.id === id)),
      );
      if (completed.length === 0) return;
      const reason = await recordOutcomes(database, webhookId, { claimed, outcomes: completed, at: now() });
      if (reason) await disable(webhookId, reason);
    }
  }

  /** Returns null if `stopped` was aborted meanwhile. */
  async function send(
    message: ClaimedMessage,
    body: string,
    stopped: AbortSignal,
  ): Promise<DeliveryOutcome | null> {
    const startedAt = performance.now();
    const outcome = (status: number | null, answer: string): DeliveryOutcome => ({
      id: message.id,
      status,
      answer: cutText(answer, maxStoredAnswerLength),
      milliseconds: Math.round(performance.now() - startedAt),
    });
    try {
      const { status, text, retryAfter } = await outboundHttp.post(message.url, {
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Vestibule webhooks',
          ...secrets.sign(message, { id: `msg_${message.message_id}`, body, at: now() }),
        },
        body,
        signal: AbortSignal.any([stopped, AbortSignal.timeout(responseTimeoutMs)]),
      });
      return { ...outcome(status, text), retryAfterMs: readRetryAfter(retryAfter, now()) };
    } catch (error) {
      if (stopped.aborted) return null;
      const reason = failureReason(error as Error);
      return outcome(null, reason ? webhookFailures[reason].message : (error as Error).message);
    }
  }
}

/** Error codes of Node.js and OpenSSL. Their messages are unclear to administrators. */
const reasonsByCode: [code: RegExp, reason: keyof typeof webhookFailures][] = [
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'unknownHost'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, 'unreachable'],
  [/CERT|SIGNATURE/, 'certificate'],
  [/^(?:ECONNRESET|EPIPE)$/, 'lost'],
];

function failureReason(error: Error & { code?: string }): keyof typeof webhookFailures | undefined {
  if (error instanceof UnsafeAddress) return error.reason;
  // `send` handles the abort of a stopping server, so this one is the timeout.
  if (/^(?:Abort|Timeout)Error$/.test(error.name)) return 'late';
  return reasonsByCode.find(([code]) => code.test(error.code ?? ''))?.[1];
}
