/** Sampling, the number of spans in a trace, and the traceparent header. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Sampler } from '../../config/trace-variables.ts';
import type { Span } from '../current-span.ts';
import { createTracer, readTraceparent } from './tracer.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

test.each([
  [`00-${traceId}-${spanId}-01`, { traceId, spanId, isSampled: true }],
  [`00-${traceId}-${spanId}-00`, { traceId, spanId, isSampled: false }],
  [`00-${traceId}-${spanId}-03`, { traceId, spanId, isSampled: true }],
  [`cc-${traceId}-${spanId}-01-what-comes-later`, { traceId, spanId, isSampled: true }],
  [`00-${traceId}-${spanId}-01-more`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${'0'.repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  [`00-${traceId}-${spanId}`, undefined],
  [`00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`, undefined],
  [`cc-${traceId}-${spanId}-01-${'x'.repeat(1000)}`, undefined],
  ['', undefined],
  [undefined, undefined],
])('traceparent %s is parsed as W3C Trace Context specifies', (header, expected) => {
  expect(readTraceparent(header)).toEqual(expected);
});

const describeSpan = () => ({ name: 'request', kind: 'server' as const, attributes: {} });
const begin = (sampler: Sampler, traceparent?: string) =>
  createTracer({ sampler, onSpan: () => {}, now: Date.now }).startSpan(traceparent, describeSpan);

describe('sampling', () => {
  test('selects a share of the traces, and a larger share includes the same traces', () => {
    const ids = Array.from({ length: 4_000 }, () => randomBytes(16).toString('hex'));
    const seen = (id: string, share: number) =>
      begin({ followsParent: false, share }, `00-${id}-${spanId}-00`) !== undefined;
    const tenth = ids.filter((id) => seen(id, 0.1));
    expect(tenth.length).toBeGreaterThan(280);
    expect(tenth.length).toBeLessThan(520);
    expect(tenth.every((id) => seen(id, 0.2))).toBe(true);
    expect(ids.some((id) => seen(id, 0))).toBe(false);
    expect(ids.every((id) => seen(id, 1))).toBe(true);
  });

  test('follows the decision of the caller if there is one', () => {
    const parent = (flags: string) => `00-${traceId}-${spanId}-${flags}`;
    expect(begin({ followsParent: true, share: 0 }, parent('01'))?.traceId).toBe(traceId);
    expect(begin({ followsParent: true, share: 1 }, parent('00'))).toBeUndefined();
    expect(begin({ followsParent: true, share: 0 })).toBeUndefined();
    expect(begin({ followsParent: true, share: 1 })).toBeDefined();
  });
});

test('a tracer samples at most `perSecond` new traces per second, and every trace that the caller has sampled', () => {
  let time = 1_000_000;
  const tracer = createTracer({
    sampler: { followsParent: true, share: 1, perSecond: 2 },
    onSpan: () => {},
    now: () => time,
  });
  const isSeen = (traceparent?: string) => tracer.startSpan(traceparent, describeSpan) !== undefined;
  expect([isSeen(), isSeen(), isSeen(), isSeen(`00-${traceId}-${spanId}-01`)]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  time += 999;
  expect(isSeen()).toBe(false);
  time += 1;
  expect([isSeen(), isSeen(), isSeen()]).toEqual([true, true, false]);
});

describe('a span', () => {
  const all = { followsParent: true, share: 1 };

  test('is written once, when it ends, and has no further children afterwards', () => {
    const written: object[] = [];
    const tracer = createTracer({ sampler: all, onSpan: (one) => written.push(one), now: Date.now });
    const span = tracer.startSpan(undefined, () => ({
      ...describeSpan(),
      name: 'a "request"',
      attributes: { route: '/\n' },
    }));
    span?.end({ error: '500', attributes: { status: 500 } });
    span?.end();
    expect(span?.child('late', 'client')).toBeUndefined();
    expect(written).toMatchObject([
      {
        name: 'a "request"',
        kind: 2,
        status: { code: 2 },
        attributes: [
          { key: 'status', value: { intValue: '500' } },
          { key: 'error.type', value: { stringValue: '500' } },
          { key: 'route', value: { stringValue: '/\n' } },
        ],
      },
    ]);
  });

  test('has at most 500 descendants at any depth', () => {
    let deepest: Span | undefined = begin(all);
    let count = 0;
    for (let next = deepest; next; next = next.child('below', 'internal')) {
      deepest = next;
      count += 1;
    }
    expect(count).toBe(501);
    expect(deepest?.child('one more', 'internal')).toBeUndefined();
  });
});
