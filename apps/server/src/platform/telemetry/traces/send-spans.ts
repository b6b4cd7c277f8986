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
  intervalMs: 5_000,
  responseTimeoutMs: 10_000,
  /** Time limit for queued spans when the process stops. */
  closeTimeoutMs: 2_000,
};

type Log = { warn(details: object, message: string): void; info(details: object, message: string): void };

export type SpanSender = { add(span: string): void; flush(): Promise<void>; close(): Promise<void> };

export function createSpanSender(
  { address, headers, resource }: Pick<TraceConfig, 'address' | 'headers' | 'resource'>,
  log: Log,
  limits: typeof defaultLimits = defaultLimits,
): SpanSender {
  const attributes = Object.entries(resource).map(([name, value]) => attributeJson(name, value));
  const opening = `{"resourceSpans":[{"resource":{"attributes":[${attributes.join(',')}]},"scopeSpans":[{"scope":{"name":"vestibule"},"spans":[`;
  const queue: string[] = [];
  let lostSpans = 0;
  let isUnavailable = false;
  let sending: Promise<void> | undefined;
  const timer = setInterval(() => void send(), limits.intervalMs).unref();

  function send(signal?: AbortSignal): Promise<void> {
    // Sends outside of the context of the request whose span filled the queue.
    sending ??= currentSpan.run(undefined, () => sendAll(signal)).finally(() => (sending = undefined));
    return sending;
  }

  async function sendAll(signal?: AbortSignal): Promise<void> {
    while (queue.length > 0) {
      const spans = queue.slice(0, limits.maxPerRequest);
      const answer = await post(`${opening}${spans.join(',')}]}]}]}`, signal);
      // After a temporary failure, the spans are sent again. Rejected spans are dropped: they would be rejected again.
      if (answer !== 'later') queue.splice(0, spans.length);
      if (answer === 'refused') lostSpans += spans.length;
      if (answer !== 'taken') return;
    }
  }

  async function post(body: string, signal?: AbortSignal): Promise<'taken' | 'later' | 'refused'> {
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
      if (queue.length >= limits.maxQueued) {
        lostSpans += 1;
        return;
      }
      queue.push(span);
      // During an outage only the timer retries.
      if (queue.length >= limits.maxPerRequest && sending === undefined && !isUnavailable) void send();
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
