/** Makes spans: which traces are seen, how they hang together, and how a span is written (OTLP's JSON). Not for sending them. */
import type { Sampler } from '../../config/trace-variables.ts';
import type { Span, SpanAttributes, SpanKind, Tracer } from '../span-at-work.ts';
import { newSpanId, newTraceId, readTraceparent, writeTraceparent } from './trace-context.ts';

/** Spans below one that is below no other, such as a request: an export of everybody asks for thousands of pages. */
const mostBelow = 500;
const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, consumer: 5 };

type Deps = {
  sampler: Sampler;
  /** Takes what has ended, as the text of its JSON. */
  take: (span: string) => void;
  now: () => number;
};

/** What the spans of one trace in this process share. */
type Segment = {
  traceId: string;
  /** Milliseconds since 1970 when the process's own clock, which never goes back, began. */
  clockBegan: number;
  spansLeft: number;
  take: Deps['take'];
};

export function createTracer({ sampler, take, now }: Deps): Tracer {
  const { followsParent, share, perSecond = Number.POSITIVE_INFINITY } = sampler;
  let second = 0;
  let begunInIt = 0;

  /** Counts one more that begins here. */
  function hasRoom(): boolean {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      second = current;
      begunInIt = 0;
    }
    begunInIt += 1;
    return begunInIt <= perSecond;
  }

  return {
    begin(traceparent, describe) {
      const parent = readTraceparent(traceparent);
      let traceId = parent?.traceId;
      const isSeen =
        followsParent && parent
          ? parent.isSampled
          : (share >= 1 || isWithin((traceId ??= newTraceId()), share)) && hasRoom();
      if (!isSeen) return undefined;
      traceId ??= newTraceId();
      const segment = { traceId, clockBegan: now() - performance.now(), spansLeft: mostBelow, take };
      const { name, kind, attributes } = describe();
      return new RecordedSpan(segment, parent?.spanId, name, kind, attributes);
    },
  };
}

/** By the id's randomness, so that every program which asks for the same share chooses the same traces. */
function isWithin(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) >= (1 - share) * 2 ** 52;
}

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
    return writeTraceparent(this.traceId, this.#id);
  }

  child(name: string, kind: SpanKind, attributes: SpanAttributes = {}): Span | undefined {
    if (this.#isOver || this.#segment.spansLeft <= 0) return undefined;
    this.#segment.spansLeft -= 1;
    return new RecordedSpan(this.#segment, this.#id, name, kind, attributes);
  }

  together(others: Span[]): Span {
    return others.length === 0 ? this : new SpanOfSeveral([this, ...others]);
  }

  end({ error, attributes }: Parameters<Span['end']>[0] = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { traceId, clockBegan, take } = this.#segment;
    const parent = this.#parentId === undefined ? '' : `"parentSpanId":"${this.#parentId}",`;
    const failed = error === undefined ? '' : `${attributeJson('error.type', error)},`;
    const said = attributesJson(attributes) + failed + attributesJson(this.#attributes);
    take(
      `{"traceId":"${traceId}","spanId":"${this.#id}",${parent}"name":${JSON.stringify(this.#name)},"kind":${kinds[this.#kind]},` +
        `"startTimeUnixNano":"${nanoseconds(clockBegan + this.#beganAt)}","endTimeUnixNano":"${nanoseconds(clockBegan + performance.now())}",` +
        `"attributes":[${said.slice(0, -1)}],"status":{${error === undefined ? '' : '"code":2'}},"flags":1}`,
    );
  }
}

/** Of requests whose questions went to the database in one statement. */
class SpanOfSeveral implements Span {
  readonly #spans: [Span, ...Span[]];

  constructor(spans: [Span, ...Span[]]) {
    this.#spans = spans;
  }

  get traceId(): string {
    return this.#spans[0].traceId;
  }

  // What comes of it later is that of one of them, and not known here.
  readonly traceparent = undefined;

  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span | undefined {
    const shared = { ...attributes, 'vestibule.together': this.#spans.length };
    const [first, ...others] = this.#spans
      .map((span) => span.child(name, kind, shared))
      .filter((span) => span !== undefined);
    return first?.together(others);
  }

  together(others: Span[]): Span {
    return new SpanOfSeveral([...this.#spans, ...others]);
  }

  end(outcome?: Parameters<Span['end']>[0]): void {
    for (const span of this.#spans) span.end(outcome);
  }
}

/** Each with a comma after it. */
function attributesJson(attributes: SpanAttributes = {}): string {
  let json = '';
  for (const name in attributes) json += `${attributeJson(name, attributes[name] as string | number)},`;
  return json;
}

/** OTLP's JSON writes whole numbers as texts. */
export function attributeJson(name: string, value: string | number): string {
  const written =
    typeof value === 'number' ? `{"intValue":"${value}"}` : `{"stringValue":${JSON.stringify(value)}}`;
  return `{"key":${JSON.stringify(name)},"value":${written}}`;
}

/** More digits than a number of JavaScript holds. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return `${whole}${String(Math.floor((milliseconds - whole) * 1e6)).padStart(6, '0')}`;
}
