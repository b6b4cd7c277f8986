/**
 * Types of spans, and the current span. Without tracing there is none, at negligible cost: the implementation (traces/)
 * is only loaded if tracing is enabled.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Failure } from '../errors/failure.ts';

/** OTLP span kinds in use: server, client, internal and consumer. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';
/** Must not contain e-mail addresses, people, codes or user input: spans are sent to other programs. */
export type SpanAttributes = Record<string, string | number>;

export type Span = {
  readonly traceId: string;
  /** Context for continuing the span elsewhere (W3C Trace Context, version 00); undefined for a span that represents several. */
  readonly traceparent: string | undefined;
  /** Starts a child span; undefined if this one has ended or its trace is full. */
  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span | undefined;
  /** Returns a span that represents several: its children appear in the trace of each. */
  joinWith(others: Span[]): Span;
  /** Ends the span; `error` is a code, never a message, since messages contain values. */
  end(outcome?: { error?: string | undefined; attributes?: SpanAttributes }): void;
};

/** Starts root spans. */
export type Tracer = {
  /** `traceparent` is the remote parent. Returns undefined if the trace is not sampled; the description is then not computed. */
  startSpan(
    traceparent: string | undefined,
    describe: () => { name: string; kind: SpanKind; attributes: SpanAttributes },
  ): Span | undefined;
};

/** Current span, propagated over promises and timers. */
export const currentSpan = new AsyncLocalStorage<Span | undefined>();

/** Runs `work` in a child of the current span; without one, just runs it. */
export function traced<Result>(
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = currentSpan.getStore()?.child(name, kind, attributes);
  if (!span) return work();
  const result = currentSpan.run(span, work);
  result.then(
    () => span.end(),
    (error: unknown) => span.end({ error: errorCode(error) }),
  );
  return result;
}

export function traceLogFields(): { trace_id?: string } {
  const span = currentSpan.getStore();
  return span ? { trace_id: span.traceId } : {};
}

/** Returns an SQLSTATE, a system error code or a mail server's status. A Failure is a response, not an error. */
function errorCode(error: unknown): string | undefined {
  if (error instanceof Failure && error.status < 500) return undefined;
  const { code, responseCode, name } = error as { code?: string; responseCode?: number; name?: string };
  return String(responseCode ?? code ?? name ?? 'error').slice(0, 60);
}
