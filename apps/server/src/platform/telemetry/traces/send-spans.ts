/**
 * Sends spans to a receiver that speaks OTLP over HTTP with JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp). Nobody waits
 * for it: spans stand in a queue that is full at some point, and then new ones are lost.
 */
import type { TraceConfig } from '../../config/trace-variables.ts';
import { spanAtWork } from '../span-at-work.ts';
import { attributeJson } from './tracer.ts';

const limits = {
  /** About 2 MB. */
  queued: 4096,
  perRequest: 1024,
  requestBytes: 640 * 1024,
  everyMs: 5_000,
  answerWithinMs: 10_000,
  /** For what still waits when the process stops. */
  closeWithinMs: 2_000,
};

/**
 * Spans as bytes, written as soon as they end: as many small objects on the heap, which is kept small (tools/server-flags.mjs), they
 * cost four times as much of the processor.
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
  /** In order; spans go into the last one. */
  const batches: Batch[] = [];
  let waiting = 0;
  let lost = 0;
  let isAway = false;
  let sending: Promise<void> | undefined;
  const timer = setInterval(() => void send(), everyMs).unref();

  function send(patience?: AbortSignal): Promise<void> {
    // Not as a part of the request whose span was one too many.
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
      // What a receiver cannot take just now stays; what it refuses would be refused again.
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
      // Read to its end, so that the connection serves the next one, too.
      await answer.arrayBuffer();
      if (answer.ok) {
        noteBack();
        return 'taken';
      }
      noteAway({ status: answer.status });
      // OTLP, "Failures": these alone are worth another try.
      return [429, 502, 503, 504].includes(answer.status) ? 'later' : 'refused';
    } catch (error) {
      const { name, cause } = error as { name: string; cause?: { code?: string } };
      noteAway({ error: cause?.code ?? name });
      return 'later';
    }
  }

  /** Said once, and once more when it is over. */
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
      // UTF-8 needs three bytes for a code unit at most.
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
      // While it is away, the clock alone asks for it.
      const isMuch = batches.length > 1 || batch.spans >= perRequest;
      if (isMuch && sending === undefined && !isAway) void send();
    },

    flush: () => send(),

    async close() {
      clearInterval(timer);
      const patience = AbortSignal.timeout(closeWithinMs);
      const over = new Promise((resolve) => patience.addEventListener('abort', resolve, { once: true }));
      // Whatever is on its way first; then what came meanwhile.
      await Promise.race([over, (sending ?? Promise.resolve()).then(() => send(patience))]);
    },
  };
}
