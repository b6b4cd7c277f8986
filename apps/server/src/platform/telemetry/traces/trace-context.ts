/** W3C Trace Context (https://www.w3.org/TR/trace-context/): ids and the header `traceparent`. */
import { randomFillSync } from 'node:crypto';

/** Parent of a trace's spans. */
type TraceContext = { traceId: string; spanId: string; isSampled: boolean };

// Random bytes for a few hundred ids at a time: generating each alone would dominate the cost of a span.
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  const text = pool.toString('hex', used - bytes, used);
  return isZero(text) ? randomHex(bytes) : text;
}

export const newTraceId = () => randomHex(16);
export const newSpanId = () => randomHex(8);

const format = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Returns undefined for an invalid header; from later versions, the fields of version 00 are read (section 3.2). */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const match = header !== undefined && header.length <= 512 ? format.exec(header) : null;
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if ((version === '00' && more !== undefined) || isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Formats the header of a sampled span. */
export const writeTraceparent = (traceId: string, spanId: string) => `00-${traceId}-${spanId}-01`;

const isZero = (id: string) => /^0+$/.test(id);
