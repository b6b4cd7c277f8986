/** Creates spans: sampling, hierarchy and serialization (OTLP's JSON). create-tracing.ts sends them. */
import { randomBytes } from 'node:crypto';
import type { Sampler } from '../../config/trace-variables.ts';
import type { Span, SpanAttributes, SpanKind, Tracer } from '../current-span.ts';

/** Maximum descendants of a root span, such as a request: a large export reads thousands of pages. */
const maxDescendants = 500;
const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, consumer: 5 };

/** Random trace id (16 bytes) or span id (8 bytes) in hexadecimal digits. */
const newTraceId = () => randomBytes(16).toString('hex');
const newSpanId = () => randomBytes(8).toString('hex');

const format = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const isZero = (id: string) => /^0+$/.test(id);

/**
 * Reads the header `traceparent` (W3C Trace Context, https://www.w3.org/TR/trace-context/). Returns undefined for an
 * invalid one; from later versions, the fields of version 00 are read (section 3.2).
 */
export function readTraceparent(
  header: string | undefined,
): { traceId: string; spanId: string; isSampled: boolean } | undefined {
  const match = header !== undefined && header.length <= 512 ? format.exec(header) : null;
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if ((version === '00' && more !== undefined) || isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

type Deps = {
  sampler: Sampler;
  /** Receives ended spans in OTLP's JSON. */
  onSpan: (span: object) => void;
  now: () => number;
};

/** State shared by the spans of one trace in this process. */
type Trace = {
  traceId: string;
  /** Start of the monotonic clock in milliseconds since 1970. */
  clockStartMs: number;
  spansLeft: number;
  onSpan: Deps['onSpan'];
};

export function createTracer({ sampler, onSpan, now }: Deps): Tracer {
  const { followsParent, share, perSecond = Number.POSITIVE_INFINITY } = sampler;
  let second = 0;
  let startedInSecond = 0;

  /** Counts a trace that starts here. Returns whether the limit of this second allows it. */
  function isBelowRateLimit(): boolean {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      second = current;
      startedInSecond = 0;
    }
    startedInSecond += 1;
    return startedInSecond <= perSecond;
  }

  return {
    startSpan(traceparent, describe) {
      const parent = readTraceparent(traceparent);
      let traceId = parent?.traceId;
      const isSampledHere =
        followsParent && parent
          ? parent.isSampled
          : (share >= 1 || isInShare((traceId ??= newTraceId()), share)) && isBelowRateLimit();
      if (!isSampledHere) return undefined;
      traceId ??= newTraceId();
      const clockStartMs = now() - performance.now();
      const { name, kind, attributes } = describe();
      const trace = { traceId, clockStartMs, spansLeft: maxDescendants, onSpan };
      return createSpan(trace, parent?.spanId, name, kind, attributes);
    },
  };
}

/** Decides by the random trace id, so that programs with the same share sample the same traces. */
const isInShare = (traceId: string, share: number): boolean =>
  Number.parseInt(traceId.slice(-13), 16) >= (1 - share) * 2 ** 52;

function createSpan(
  trace: Trace,
  parentSpanId: string | undefined,
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes = {},
): Span {
  const { traceId } = trace;
  const spanId = newSpanId();
  const startTimeUnixNano = nanoseconds(trace);
  let isOver = false;
  const span: Span = {
    traceId,
    traceparent: `00-${traceId}-${spanId}-01`,
    child(...described) {
      if (isOver || trace.spansLeft <= 0) return undefined;
      trace.spansLeft -= 1;
      return createSpan(trace, spanId, ...described);
    },
    joinWith: (others) => (others.length === 0 ? span : groupSpans([span, ...others])),
    end({ error, attributes: outcome } = {}) {
      if (isOver) return;
      isOver = true;
      trace.onSpan({
        traceId,
        spanId,
        parentSpanId,
        name,
        kind: kinds[kind],
        startTimeUnixNano,
        endTimeUnixNano: nanoseconds(trace),
        attributes: writeAttributes({
          ...outcome,
          ...(error !== undefined && { 'error.type': error }),
          ...attributes,
        }),
        status: error === undefined ? {} : { code: 2 },
        flags: 1,
      });
    },
  };
  return span;
}

/** Creates the span of several requests whose queries share one statement. */
const groupSpans = (spans: [Span, ...Span[]]): Span => ({
  traceId: spans[0].traceId,
  // Sampling of its children depends on one of the traces and is unknown here.
  traceparent: undefined,
  child(name, kind, attributes) {
    const shared = { ...attributes, 'vestibule.together': spans.length };
    const [first, ...others] = spans
      .map((span) => span.child(name, kind, shared))
      .filter((span) => span !== undefined);
    return first?.joinWith(others);
  },
  joinWith: (others) => groupSpans([...spans, ...others]),
  end(outcome) {
    for (const span of spans) span.end(outcome);
  },
});

/** OTLP's JSON encodes 64-bit integers as strings. */
export const writeAttributes = (attributes: SpanAttributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));

/** Returns the current time as a string, because it exceeds the precision of a JavaScript number. */
function nanoseconds({ clockStartMs }: Trace): string {
  const milliseconds = clockStartMs + performance.now();
  const whole = Math.floor(milliseconds);
  return `${whole}${String(Math.floor((milliseconds - whole) * 1e6)).padStart(6, '0')}`;
}
