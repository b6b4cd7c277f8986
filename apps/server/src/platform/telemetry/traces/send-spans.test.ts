/** Receivers that are unreachable, hang or refuse: requests do not wait, and the queue and the log messages are limited. */
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSpanSender, type SpanSender } from './create-tracing.ts';
import { attributesOf, startReceiver } from './test-receiver.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let sender: SpanSender | undefined;
const said: [string, object][] = [];
const log = {
  warn: (details: object) => void said.push(['warn', details]),
  info: (details: object) => void said.push(['info', details]),
};
const limits = {
  maxQueued: 50,
  maxPerRequest: 10,
  intervalMs: 60_000,
  responseTimeoutMs: 200,
  closeTimeoutMs: 300,
};

beforeEach(async () => {
  said.length = 0;
  receiver = await startReceiver();
});
afterEach(async () => {
  await sender?.close();
  await receiver.close();
});

function open(address = receiver.address): SpanSender {
  sender = createSpanSender(
    { address: `${address}/v1/traces`, headers: { 'x-key': 'k1' }, resource: { 'service.name': 'portal' } },
    log,
    limits,
  );
  return sender;
}
const names = () => receiver.spans().map(({ name }) => name);
const take = (count: number, from = 0) => {
  for (let index = from; index < from + count; index += 1) sender?.add({ name: String(index) });
};
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

test('spans are sent as soon as they fill a request, with the headers and the resource attributes', async () => {
  open();
  take(10);
  await expect.poll(names).toEqual(numbers(10));
  const [request] = receiver.requests;
  expect(request?.path).toBe('/v1/traces');
  expect(request?.headers).toMatchObject({ 'x-key': 'k1', 'content-type': 'application/json' });
  expect(attributesOf(request?.body.resourceSpans[0]?.resource.attributes ?? [])).toEqual({
    'service.name': 'portal',
  });
});

test.each([
  [
    'returns 503',
    (response: { writeHead(status: number): { end(): void } }) => response.writeHead(503).end(),
  ],
  ['hangs', () => {}],
])(
  'a receiver that %s gets the queued spans later; its failure and its recovery are each logged once',
  async (_, respond) => {
    open();
    receiver.respond = respond;
    take(120);
    await sender?.flush();
    await sender?.flush();
    expect(said.map(([level]) => level)).toEqual(['warn']);
    // A timer retries, not each new span.
    const requestCount = receiver.requests.length;
    take(20);
    expect(receiver.requests).toHaveLength(requestCount);
    receiver.requests.length = 0;
    receiver.respond = (response) => void response.end('{}');
    await sender?.flush();
    expect(names()).toEqual(numbers(limits.maxQueued));
    expect(said).toEqual([
      ['warn', expect.anything()],
      ['info', { lost: 90 }],
    ]);
  },
);

test('spans that the receiver refuses with 500 are not sent again', async () => {
  open();
  receiver.respond = (response) => void response.writeHead(500).end();
  take(10);
  await expect.poll(names).toHaveLength(10);
  await sender?.flush();
  receiver.respond = (response) => void response.end('{}');
  take(5, 10);
  await sender?.flush();
  expect(names()).toEqual(numbers(15));
  expect(said).toEqual([
    ['warn', { status: 500 }],
    ['info', { lost: 10 }],
  ]);
});

test('an unreachable receiver is logged with the system error code', async () => {
  const stopped = createServer();
  await once(stopped.listen(0, '127.0.0.1'), 'listening');
  const { port } = stopped.address() as AddressInfo;
  await new Promise((resolve) => stopped.close(resolve));
  open(`http://127.0.0.1:${port}`);
  take(10);
  await sender?.flush();
  expect(said).toEqual([['warn', { error: 'ECONNREFUSED' }]]);
});

test('closing sends the queued spans, and waits at most `closeTimeoutMs` for a receiver that hangs', async () => {
  open();
  take(3);
  await sender?.close();
  expect(names()).toEqual(numbers(3));

  receiver.respond = () => {};
  open();
  take(3);
  const began = performance.now();
  await sender?.close();
  expect(performance.now() - began).toBeLessThan(limits.closeTimeoutMs + 1_000);
});
