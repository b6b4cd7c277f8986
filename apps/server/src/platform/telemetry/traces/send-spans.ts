/**
 * Sends spans to an OTLP receiver over HTTP with JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp), in the
 * background. Spans are queued; when the queue is full, new ones are dropped.
 */
import type { TraceConfig } from '../../config/trace-variables.ts';
import { currentSpan } from '../current-span.ts';
import { attributeJson } from './tracer.ts';

const defaultLimits = {
  /** About 2 MB. */
  maxQueued: 4096,
  maxPerRequest: 1024,
  maxRequestBytes: 640 * 1024,
  intervalMs: 5_000,
  responseTimeoutMs: 10_000,
  /** Time limit for queued spans when the process stops. */
  closeTimeoutMs: 2_000,
};

/**
 * Spans of one request to the receiver, serialized to bytes as they end. Small objects on the limited heap
 * (tools/server-flags.mjs) would cost four times the processor time.
 */
type Batch = { bytes: Buffer; length: number; spans: number; isSending: boolean };

type Log = { warn(details: object, message: string): void; info(details: object, message: string): void };

export type SpanSender = { add(span: string): void; flush(): Promise<void>; close(): Promise<void> };

export function createSpanSender(
  { address, headers, resource }: Pick<TraceConfig, 'address' | 'headers' | 'resource'>,
  log: Log,
  limits: typeof defaultLimits = defaultLimits,
): SpanSender {
  const attributes = Object.entries(resource).map(([name, value]) => attributeJson(name, value));
  const opening = Buffer.from(
    `{"resourceSpans":[{"resource":{"attributes":[${attributes.join(',')}]},"scopeSpans":[{"scope":{"name":"vestibule"},"spans":[`,
  );
  const closing = Buffer.from(']}]}]}');
  /** Batches in the order in which they are sent; new spans are added to the last one. */
  const batches: Batch[] = [];
  let queuedSpans = 0;
  let lostSpans = 0;
  let isUnavailable = false;
  let sending: Promise<void> | undefined;
  const timer = setInterval(() => void send(), limits.intervalMs).unref();

  function send(signal?: AbortSignal): Promise<void> {
    // Sends outside of the context of the request whose span filled the batch.
    sending ??= currentSpan.run(undefined, () => sendAll(signal)).finally(() => (sending = undefined));
    return sending;
  }

  async function sendAll(signal?: AbortSignal): Promise<void> {
    for (let [batch] = batches; batch; [batch] = batches) {
      batch.isSending = true;
      const answer = await post(
        Buffer.concat([opening, batch.bytes.subarray(0, batch.length), closing]),
        signal,
      );
      // After a temporary failure, the spans are sent again. Rejected spans are dropped: they would be rejected again.
      if (answer !== 'later') {
        batches.shift();
        queuedSpans -= batch.spans;
      }
      if (answer === 'refused') lostSpans += batch.spans;
      if (answer !== 'taken') return;
    }
  }

  async function post(
    body: Buffer<ArrayBuffer>,
    signal?: AbortSignal,
  ): Promise<'taken' | 'later' | 'refused'> {
    const timeout = AbortSignal.timeout(limits.responseTimeoutMs);
    try {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'error',
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      });
      // Read to the end, so that the connection can be reused.
      await answer.arrayBuffer();
      if (answer.ok) {
        logRecovery();
        return 'taken';
      }
      logUnavailable({ status: answer.status });
      // OTLP, "Failures": only these may be retried.
      return [429, 502, 503, 504].includes(answer.status) ? 'later' : 'refused';
    } catch (error) {
      const { name, cause } = error as { name: string; cause?: { code?: string } };
      logUnavailable({ error: cause?.code ?? name });
      return 'later';
    }
  }

  /** Logs the first failure and the recovery. */
  function logUnavailable(reason: object): void {
    if (!isUnavailable)
      log.warn(reason, 'the receiver of traces does not take them: new ones are lost when too many wait');
    isUnavailable = true;
  }

  function logRecovery(): void {
    if (isUnavailable) log.info({ lost: lostSpans }, 'the receiver of traces takes them again');
    isUnavailable = false;
    lostSpans = 0;
  }

  return {
    add(span) {
      // A code unit takes at most three bytes in UTF-8.
      const maxBytes = span.length * 3 + 1;
      if (queuedSpans >= limits.maxQueued || maxBytes > limits.maxRequestBytes) {
        lostSpans += 1;
        return;
      }
      let batch = batches.at(-1);
      if (
        !batch ||
        batch.isSending ||
        batch.spans >= limits.maxPerRequest ||
        batch.length + maxBytes > limits.maxRequestBytes
      ) {
        batch = { bytes: Buffer.allocUnsafe(limits.maxRequestBytes), length: 0, spans: 0, isSending: false };
        batches.push(batch);
      }
      batch.length += batch.bytes.write(batch.spans === 0 ? span : `,${span}`, batch.length);
      batch.spans += 1;
      queuedSpans += 1;
      // During an outage only the timer retries.
      const isBatchFull = batches.length > 1 || batch.spans >= limits.maxPerRequest;
      if (isBatchFull && sending === undefined && !isUnavailable) void send();
    },

    flush: () => send(),

    async close() {
      clearInterval(timer);
      const signal = AbortSignal.timeout(limits.closeTimeoutMs);
      const timedOut = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      // Waits for the request in flight, then sends later spans.
      await Promise.race([timedOut, (sending ?? Promise.resolve()).then(() => send(signal))]);
    },
  };
}
