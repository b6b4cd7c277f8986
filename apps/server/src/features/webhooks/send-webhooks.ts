/**
 * Sends what waits: each webhook has lanes of its own, so that one whose receiver hangs slows no other, and each message is
 * claimed for a while, so that of several server processes one sends it and another goes on when that one was killed. Messages
 * about the same object go one after the other. Not for what a message says (webhook-payload.ts).
 */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { setTimeout as delay } from 'node:timers/promises';
import { webhookFailures } from '@vestibule/contract/webhooks';
import type { Timed } from '../../platform/database/database.ts';
import { UnsafeAddress, type OutboundHttp } from '../../platform/http/outbound-http.ts';
import {
  claim,
  findDue,
  giveBack,
  readRetryAfter,
  writeDown,
  type Claimed,
  type Outcome,
} from './claim-messages.ts';
import { writePayloads } from './webhook-payload.ts';
import type { WebhookSecrets } from './webhook-secret.ts';
import { giveUpSome } from './webhook-store.ts';

const answerWithinMs = 15_000;
const lookEveryMs = 500;
const answerKept = 1_000;

type Deps = Timed & {
  secrets: WebhookSecrets;
  outboundHttp: OutboundHttp;
  /** Ends a webhook that cannot go on. */
  switchOff: (webhookId: string, why: 'failing' | 'gone') => Promise<void>;
};

export type WebhookSender = {
  /** Sends what is due until there is nothing more. */
  sendDue(stopped?: AbortSignal): Promise<void>;
  /** Goes on until it is told to stop. Throws when the database is away. */
  run(stopped: AbortSignal): Promise<void>;
};

export function createWebhookSender({
  database,
  secrets,
  outboundHttp,
  switchOff,
  now,
}: Deps): WebhookSender {
  const running = new Map<string, Promise<void>>();

  return {
    async sendDue(stopped = new AbortController().signal) {
      for (const id of await findDue(database, now())) start(id, stopped, () => {});
      await Promise.all(running.values());
    },

    async run(stopped) {
      const failures: unknown[] = [];
      try {
        while (!stopped.aborted && failures.length === 0) {
          for (const id of await findDue(database, now()))
            start(id, stopped, (error) => failures.push(error));
          await delay(lookEveryMs, undefined, { signal: stopped }).catch(() => {});
        }
      } finally {
        await Promise.allSettled(running.values());
      }
      if (failures.length > 0) throw failures[0];
    },
  };

  function start(webhookId: string, stopped: AbortSignal, onError: (error: unknown) => void): void {
    if (running.has(webhookId)) return;
    const work = sendAll(webhookId, stopped).finally(() => running.delete(webhookId));
    running.set(webhookId, work);
    work.catch(onError);
  }

  async function sendAll(webhookId: string, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const claimed = await claim(database, webhookId, now());
      if (claimed.length === 0) {
        if (await giveUpSome(database, webhookId)) continue;
        return;
      }
      const bodies = await writePayloads(database, claimed);
      const outcomes = await Promise.all(
        claimed.map((message) => send(message, bodies.get(message.id) as string, stopped)),
      );
      const done = outcomes.filter((outcome) => outcome !== null);
      await giveBack(
        database,
        claimed.filter(({ id }) => !done.some((outcome) => outcome.id === id)),
      );
      if (done.length === 0) return;
      const why = await writeDown(database, webhookId, { claimed, outcomes: done, at: now() });
      if (why) await switchOff(webhookId, why);
    }
  }

  /** Null when it was stopped meanwhile. */
  async function send(message: Claimed, body: string, stopped: AbortSignal): Promise<Outcome | null> {
    const began = performance.now();
    const outcome = (status: number | null, answer: string): Outcome => ({
      id: message.id,
      status,
      answer: cutText(answer, answerKept),
      milliseconds: Math.round(performance.now() - began),
    });
    try {
      const { status, text, retryAfter } = await outboundHttp.post(message.url, {
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Vestibule webhooks',
          ...secrets.sign(message, { id: `msg_${message.message_id}`, body, at: now() }),
        },
        body,
        signal: AbortSignal.any([stopped, AbortSignal.timeout(answerWithinMs)]),
      });
      return { ...outcome(status, text), retryAfterMs: readRetryAfter(retryAfter, now()) };
    } catch (error) {
      if (stopped.aborted) return null;
      const why = whyNoAnswer(error as Error);
      return outcome(null, why ? webhookFailures[why].message : (error as Error).message);
    }
  }
}

/** By the codes of Node.js and OpenSSL, whose own messages say little to whoever reads of a delivery. */
const byCode: [code: RegExp, why: keyof typeof webhookFailures][] = [
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'unknownHost'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, 'unreachable'],
  [/CERT|SIGNATURE/, 'certificate'],
  [/^(?:ECONNRESET|EPIPE)$/, 'lost'],
];

function whyNoAnswer(error: Error & { code?: string }): keyof typeof webhookFailures | undefined {
  if (error instanceof UnsafeAddress) return error.why;
  // An abort that nobody asked for is our patience.
  if (/^(?:Abort|Timeout)Error$/.test(error.name)) return 'late';
  return byCode.find(([code]) => code.test(error.code ?? ''))?.[1];
}
