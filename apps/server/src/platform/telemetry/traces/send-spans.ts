/**
 * Sends spans to an OTLP receiver over HTTP with JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp), in the
 * background. Spans are queued; when the queue is full, new ones are dropped.
 */
import type { TraceConfig } from '../../config/trace-variables.ts';
import { spanAtWork } from '../current-span.ts';
import { attributeJson } from './tracer.ts';

const limits = {
  /** About 2 MB. */
  queued: 4096,
  perRequest: 1024,
  requestBytes: 640 * 1024,
  everyMs: 5_000,
  answerWithinMs: 10_000,
  /** Time limit for queued spans when the process stops. */
  closeWithinMs: 2_000,
};

/**
 * Serializes spans to bytes as they end: kept as small objects on the limited heap (tools/server-flags.mjs), they cost
 * four times the processor time.
 */
type Batch = { bytes: Buffer; length: number; spans: number; isUnderWay: boolean };

type Log = { warn(details: object, message: string): void; info(details: object, message: string): void };

export type SpanSender = { take(span: string): void; flush(): Promise<void>; close(): Promise<void> };

export function createSpanSender(
  { address, headers, resource }: Pick<TraceConfig, 'address' | 'headers' | 'resource'>,
  log: Log,
  { queued, perRequest, requestBytes, everyMs, answerWithinMs, closeWithinMs }: typeof limits = limits,
): SpanSender {
  const attributes = Object.entries(resource).map(([name, value]) => attributeJson(name, value));
  const opening = Buffer.from(
    `{"resourceSpans":[{"resource":{"attributes":[${attributes.join(',')}]},"scopeSpans":[{"scope":{"name":"vestibule"},"spans":[`,
  );
  const closing = Buffer.from(']}]}]}');
  /** In order; spans are added to the last one. */
  const batches: Batch[] = [];
  let waiting = 0;
  let lost = 0;
  let isAway = false;
  let sending: Promise<void> | undefined;
  const timer = setInterval(() => void send(), everyMs).unref();

  function send(patience?: AbortSignal): Promise<void> {
    // Not in the context of the request whose span filled the batch.
    sending ??= spanAtWork.run(undefined, () => sendAll(patience)).finally(() => (sending = undefined));
    return sending;
  }

  async function sendAll(patience?: AbortSignal): Promise<void> {
    for (let [batch] = batches; batch; [batch] = batches) {
      batch.isUnderWay = true;
      const answer = await post(
        Buffer.concat([opening, batch.bytes.subarray(0, batch.length), closing]),
        patience,
      );
      // Temporary failures keep the spans; rejected ones are dropped, since they would be rejected again.
      if (answer !== 'later') {
        batches.shift();
        waiting -= batch.spans;
      }
      if (answer === 'refused') lost += batch.spans;
      if (answer !== 'taken') return;
    }
  }

  async function post(
    body: Buffer<ArrayBuffer>,
    patience?: AbortSignal,
  ): Promise<'taken' | 'later' | 'refused'> {
    const timeout = AbortSignal.timeout(answerWithinMs);
    try {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'error',
        signal: patience ? AbortSignal.any([timeout, patience]) : timeout,
      });
      // Read to the end, so that the connection can be reused.
      await answer.arrayBuffer();
      if (answer.ok) {
        noteBack();
        return 'taken';
      }
      noteAway({ status: answer.status });
      // OTLP, "Failures": only these may be retried.
      return [429, 502, 503, 504].includes(answer.status) ? 'later' : 'refused';
    } catch (error) {
      const { name, cause } = error as { name: string; cause?: { code?: string } };
      noteAway({ error: cause?.code ?? name });
      return 'later';
    }
  }

  /** Logs the first failure and the recovery. */
  function noteAway(why: object): void {
    if (!isAway)
      log.warn(why, 'the receiver of traces does not take them: new ones are lost when too many wait');
    isAway = true;
  }

  function noteBack(): void {
    if (isAway) log.info({ lost }, 'the receiver of traces takes them again');
    isAway = false;
    lost = 0;
  }

  return {
    take(span) {
      // A code unit takes at most three bytes in UTF-8.
      const most = span.length * 3 + 1;
      if (waiting >= queued || most > requestBytes) {
        lost += 1;
        return;
      }
      let batch = batches.at(-1);
      if (!batch || batch.isUnderWay || batch.spans >= perRequest || batch.length + most > requestBytes) {
        batch = { bytes: Buffer.allocUnsafe(requestBytes), length: 0, spans: 0, isUnderWay: false };
        batches.push(batch);
      }
      batch.length += batch.bytes.write(batch.spans === 0 ? span : `,${span}`, batch.length);
      batch.spans += 1;
      waiting += 1;
      // During an outage only the timer retries.
      const isMuch = batches.length > 1 || batch.spans >= perRequest;
      if (isMuch && sending === undefined && !isAway) void send();
    },

    flush: () => send(),

    async close() {
      clearInterval(timer);
      const patience = AbortSignal.timeout(closeWithinMs);
      const over = new Promise((resolve) => patience.addEventListener('abort', resolve, { once: true }));
      // Waits for the request in flight, then sends later spans.
      await Promise.race([over, (sending ?? Promise.resolve()).then(() => send(patience))]);
    },
  };
}
