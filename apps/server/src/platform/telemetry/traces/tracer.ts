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
  /** Receives ended spans as JSON. */
  onSpan: (span: string) => void;
  now: () => number;
};

/** State shared by the spans of one trace in this process. */
type Segment = {
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
      const segment = {
        traceId,
        clockStartMs: now() - performance.now(),
        spansLeft: maxDescendants,
        onSpan,
      };
      const { name, kind, attributes } = describe();
      return new RecordedSpan(segment, parent?.spanId, name, kind, attributes);
    },
  };
}

/** Decides by the random trace id, so that programs with the same share sample the same traces. */
const isInShare = (traceId: string, share: number): boolean =>
  Number.parseInt(traceId.slice(-13), 16) >= (1 - share) * 2 ** 52;

class RecordedSpan implements Span {
  readonly traceId: string;
  readonly #id = newSpanId();
  readonly #segment: Segment;
  readonly #parentId: string | undefined;
  readonly #name: string;
  readonly #kind: SpanKind;
  readonly #attributes: SpanAttributes;
  readonly #beganAt = performance.now();
  #isOver = false;

  constructor(
    segment: Segment,
    parentId: string | undefined,
    name: string,
    kind: SpanKind,
    attributes: SpanAttributes,
  ) {
    this.traceId = segment.traceId;
    this.#segment = segment;
    this.#parentId = parentId;
    this.#name = name;
    this.#kind = kind;
    this.#attributes = attributes;
  }

  get traceparent(): string {
    return `00-${this.traceId}-${this.#id}-01`;
  }

  child(name: string, kind: SpanKind, attributes: SpanAttributes = {}): Span | undefined {
    if (this.#isOver || this.#segment.spansLeft <= 0) return undefined;
    this.#segment.spansLeft -= 1;
    return new RecordedSpan(this.#segment, this.#id, name, kind, attributes);
  }

  joinWith(others: Span[]): Span {
    return others.length === 0 ? this : new SpanGroup([this, ...others]);
  }

  end({ error, attributes }: Parameters<Span['end']>[0] = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { traceId, clockStartMs, onSpan } = this.#segment;
    const parent = this.#parentId === undefined ? '' : `"parentSpanId":"${this.#parentId}",`;
    const failed = error === undefined ? '' : `${attributeJson('error.type', error)},`;
    const attributesText = attributesJson(attributes) + failed + attributesJson(this.#attributes);
    onSpan(
      `{"traceId":"${traceId}","spanId":"${this.#id}",${parent}"name":${JSON.stringify(this.#name)},"kind":${kinds[this.#kind]},` +
        `"startTimeUnixNano":"${nanoseconds(clockStartMs + this.#beganAt)}","endTimeUnixNano":"${nanoseconds(clockStartMs + performance.now())}",` +
        `"attributes":[${attributesText.slice(0, -1)}],"status":{${error === undefined ? '' : '"code":2'}},"flags":1}`,
    );
  }
}

/** Span of several requests whose queries share one statement. */
class SpanGroup implements Span {
  readonly #spans: [Span, ...Span[]];

  constructor(spans: [Span, ...Span[]]) {
    this.#spans = spans;
  }

  get traceId(): string {
    return this.#spans[0].traceId;
  }

  // Sampling of its children depends on one of the traces and is unknown here.
  readonly traceparent = undefined;

  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span | undefined {
    const shared = { ...attributes, 'vestibule.together': this.#spans.length };
    const [first, ...others] = this.#spans
      .map((span) => span.child(name, kind, shared))
      .filter((span) => span !== undefined);
    return first?.joinWith(others);
  }

  joinWith(others: Span[]): Span {
    return new SpanGroup([...this.#spans, ...others]);
  }

  end(outcome?: Parameters<Span['end']>[0]): void {
    for (const span of this.#spans) span.end(outcome);
  }
}

/** Returns the attributes in OTLP's JSON, each followed by a comma. */
function attributesJson(attributes: SpanAttributes = {}): string {
  let json = '';
  for (const name in attributes) json += `${attributeJson(name, attributes[name] as string | number)},`;
  return json;
}

/** OTLP's JSON encodes 64-bit integers as strings. */
export function attributeJson(name: string, value: string | number): string {
  const written =
    typeof value === 'number' ? `{"intValue":"${value}"}` : `{"stringValue":${JSON.stringify(value)}}`;
  return `{"key":${JSON.stringify(name)},"value":${written}}`;
}

/** Returns a string, because the value exceeds the precision of a JavaScript number. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return `${whole}${String(Math.floor((milliseconds - whole) * 1e6)).padStart(6, '0')}`;
}
