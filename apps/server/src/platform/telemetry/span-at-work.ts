/**
 * What a trace is made of, and the span under which code runs. Without traces nobody is at work, and asking costs nothing to
 * speak of: whoever makes spans (traces/) is loaded where they are switched on, and nowhere else.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Failure } from '../errors/failure.ts';

/** The kinds of OTLP that occur here: what answers, what asks others, what happens within, and what takes from a queue. */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';
/** Never an address, a person, a code or anything that somebody has typed: spans go to other programs. */
export type SpanAttributes = Record<string, string | number>;

export type Span = {
  readonly traceId: string;
  /** The span for whoever goes on with it elsewhere (W3C Trace Context, version 00); undefined of one that stands for several. */
  readonly traceparent: string | undefined;
  /** Begins a span below this one; undefined when this one is over, or its trace has enough of them. */
  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span | undefined;
  /** One that stands for several: what is done below it is seen in the trace of each. */
  together(others: Span[]): Span;
  /** Ends it; `error` is a code, never a message, since messages repeat values. */
  end(outcome?: { error?: string | undefined; attributes?: SpanAttributes }): void;
};

/** Makes the spans that are below no other. */
export type Tracer = {
  /** `traceparent` is where it goes on from. Undefined when it is not chosen to be seen, and then nobody asks what it is. */
  begin(
    traceparent: string | undefined,
    describe: () => { name: string; kind: SpanKind; attributes: SpanAttributes },
  ): Span | undefined;
};

/** Follows what is called, over promises and timers. */
export const spanAtWork = new AsyncLocalStorage<Span | undefined>();

/** Does `work` as a span below the one at work, and just does it where there is none. */
export function traced<Result>(
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = spanAtWork.getStore()?.child(name, kind, attributes);
  if (!span) return work();
  const result = spanAtWork.run(span, work);
  result.then(
    () => span.end(),
    (error: unknown) => span.end({ error: errorOf(error) }),
  );
  return result;
}

/** For the log: which trace a line belongs to. */
export function traceOfLine(): { trace_id?: string } {
  const span = spanAtWork.getStore();
  return span ? { trace_id: span.traceId } : {};
}

/** An SQLSTATE, a code of the system or a mail server's number. A refusal of ours is an answer and no error. */
function errorOf(error: unknown): string | undefined {
  if (error instanceof Failure && error.status < 500) return undefined;
  const { code, responseCode, name } = error as { code?: string; responseCode?: number; name?: string };
  return String(responseCode ?? code ?? name ?? 'error').slice(0, 60);
}
