/** Spans of requests, statements and mails, and the data that they must not contain (Q3; security 29). */
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { invite } from '@vestibule/contract/invitations';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { invitationMails } from '../../../features/invitations/invitation-mail.ts';
import { createTestOidcSite } from '../../../test/sign-in/test-oidc-site.ts';
import { createTestApp, type TestApp, type TestPerson } from '../../../test/test-app.ts';
import { readTraces } from '../../config/trace-variables.ts';
import { createMailQueue, type SendMail } from '../../mail/mail-queue.ts';
import { createTracing, type Traces } from './create-tracing.ts';
import { attributesOf, startReceiver, type ReceivedSpan } from './test-receiver.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let traces: Traces;
let t: TestApp;
let admin: TestPerson;
let url: string;
let unavailable = false;
beforeAll(async () => {
  receiver = await startReceiver();
  t = await createTestApp({
    traceRequests: (app) => openForTest().traceRequests(app),
    wrapDatabase: (database) => ({
      ...database,
      query: (config) =>
        unavailable
          ? Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
          : database.query(config),
    }),
  });
  admin = await t.join('admin@example.com', 'admin');
  await t.app.listen();
  url = `http://127.0.0.1:${(t.app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await t.close();
  await traces.close();
  await receiver.close();
});
beforeEach(async () => {
  await received();
  receiver.requests.length = 0;
});

const quiet = { warn: () => {}, info: () => {} };
function openForTest(): Traces {
  const { traces: config } = readTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.address });
  if (!config) throw new Error('no traces');
  traces = createTracing(config, quiet, Date.now);
  return traces;
}

/** Returns the spans that have ended. */
async function received(): Promise<ReceivedSpan[]> {
  // The client may receive its response before the span ends.
  await delay(20);
  await traces.flush();
  return receiver.spans();
}
const sendRequest = (
  path: string,
  options: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
) =>
  fetch(`${url}${path}`, {
    ...options,
    headers: { authorization: `Bearer ${admin.token}`, ...options.headers },
  });
async function* streamPieces(...pieces: string[]) {
  for (const piece of pieces) {
    yield new TextEncoder().encode(piece);
    await delay(50);
  }
}
const traceId = '0af7651916cd43dd8448eb211c80319c';
const browser = `00-${traceId}-b7ad6b7169203331-01`;
const named = (spans: ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);

describe('a request', () => {
  test("continues the browser's trace, is named by its route, and has its statements as child spans", async () => {
    const response = await sendRequest('/api/invitations?search=paula', {
      headers: { traceparent: browser },
    });
    const spans = await received();
    const [request] = named(spans, 'GET /api/invitations');
    expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', kind: 2, status: {} });
    expect(attributesOf(request?.attributes ?? [])).toEqual({
      'http.request.method': 'GET',
      'http.route': '/api/invitations',
      'http.response.status_code': '200 (number)',
      'url.scheme': 'http',
      'vestibule.request_id': response.headers.get('x-request-id'),
    });
    const below = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
    expect(below.length).toBeGreaterThan(1);
    for (const span of below) {
      expect(span).toMatchObject({ traceId, kind: 3 });
      expect(attributesOf(span.attributes)).toMatchObject({ 'db.system.name': 'postgresql' });
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request?.startTimeUnixNano ?? 0));
      expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(request?.endTimeUnixNano ?? 0));
    }
    expect(below.map(({ name }) => name)).toContain('select invitations');
    // The time is in nanoseconds.
    expect(request?.startTimeUnixNano).toMatch(/^\d{19}$/);
    expect(Math.abs(Number(request?.startTimeUnixNano) / 1e6 - Date.now())).toBeLessThan(60_000);
  });

  test('is recorded as an error if the server fails or the client disconnects, but not if the server refuses the request', async () => {
    unavailable = true;
    await sendRequest('/api/users/me');
    unavailable = false;
    await sendRequest('/api/people/unknown');
    const spans = await received();
    const [broken] = named(spans, 'GET /api/users/me');
    expect(broken?.status).toEqual({ code: 2 });
    expect(attributesOf(broken?.attributes ?? [])).toMatchObject({ 'error.type': '503' });
    const [refused] = named(spans, 'GET /api/people/:personId');
    expect(refused?.status).toEqual({});

    const disconnect = new AbortController();
    const events = await sendRequest('/api/events', { signal: disconnect.signal });
    expect(events.status).toBe(200);
    disconnect.abort();
    const streamSpans = async () => named(await received(), 'GET /api/events')[0]?.attributes ?? [];
    await expect
      .poll(async () => attributesOf(await streamSpans()))
      .toMatchObject({ 'error.type': 'aborted' });
  });

  test('is not traced if it comes from a load balancer or a scraper, or if the browser does not sample it', async () => {
    await sendRequest('/healthz');
    await sendRequest('/readyz');
    await sendRequest('/metrics');
    await sendRequest('/api/users/me', { headers: { traceparent: browser.replace(/01$/, '00') } });
    expect(await received()).toEqual([]);
  });

  test('is logged with its trace id', async () => {
    await sendRequest('/api/config', { headers: { traceparent: browser } });
    await received();
    const lines = t.log.map((line) => JSON.parse(line) as { trace_id?: string; path?: string });
    expect(lines.filter((line) => line.trace_id === traceId).map(({ path }) => path)).toContain(
      '/api/config',
    );
  });
});

test('spans contain no user input from addresses, headers or bodies', async () => {
  const secrets = ['paula@example.com', 'Paula Person', 'See you soon', 'q7-secret-code', 'needle', admin.id];
  await sendRequest('/signup?i=q7-secret-code');
  await sendRequest('/q7-secret-code/needle');
  await sendRequest('/api/invitations?search=needle');
  await sendRequest(`/api/people/${admin.id}`);
  await sendRequest('/api/people/needle', { headers: { traceparent: 'needle', cookie: 'needle=needle' } });
  await sendRequest('/api/invitations', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'needle' },
    body: JSON.stringify({ email: 'paula@example.com', name: 'Paula Person', message: 'See you soon' }),
  });
  const spans = await received();
  expect(spans.length).toBeGreaterThan(10);
  expect(named(spans, 'POST /api/invitations')).toHaveLength(1);
  const text = JSON.stringify(receiver.requests.map(({ body }) => body));
  for (const secret of [...secrets, admin.token, 'admin@example.com']) expect(text).not.toContain(secret);
});

test('the trace of a sign-in contains its requests to the provider, and no personal data or credentials', async () => {
  const site = await createTestOidcSite({ app: { traceRequests: traces.traceRequests } });
  const person = await site.join();
  await site.close();
  const spans = await received();
  const [callback] = named(spans, 'GET /auth/:way/callback');
  const providerSpans = named(spans, 'provider acme');
  expect(providerSpans.map(({ parentSpanId }) => parentSpanId)).toContain(callback?.spanId);
  expect(attributesOf(providerSpans[0]?.attributes ?? [])).toEqual({ 'server.address': '127.0.0.1' });
  const text = JSON.stringify(receiver.requests.map(({ body }) => body));
  const cookies = [...person.browser.cookies.values()];
  expect(cookies.length).toBeGreaterThan(0);
  for (const secret of [person.email, person.sub, person.id, 'code=', 'state=', ...cookies])
    expect(text).not.toContain(secret);
});

test('a statement that several requests share appears in the trace of each of them', async () => {
  await Promise.all(Array.from({ length: 8 }, () => sendRequest('/api/users/me')));
  const spans = await received();
  const requests = named(spans, 'GET /api/users/me');
  expect(new Set(requests.map((request) => request.traceId)).size).toBe(8);
  const shared = spans.filter(({ attributes }) => 'vestibule.together' in attributesOf(attributes));
  expect(shared.length).toBeGreaterThan(1);
  for (const request of requests)
    expect(spans.some(({ parentSpanId }) => parentSpanId === request.spanId)).toBe(true);
  for (const span of shared)
    expect(requests.find(({ spanId }) => spanId === span.parentSpanId)?.traceId).toBe(span.traceId);
});

describe('the mail of an invitation', () => {
  const send = async (sendMail: SendMail) => {
    const worker = createMailQueue(t.database, 'portal.example.com', () => {}, traces.tracer);
    await worker.start();
    await worker.work(sendMail, invitationMails({ ...t, publicUrl: t.config.publicUrl, now: t.clock.now }));
    const findUnsentMails = () => t.select("select from jobs.job where state in ('created', 'active')");
    await expect.poll(findUnsentMails).toEqual([]);
    await worker.stop();
  };

  test('belongs to the trace of the request that created the invitation', async () => {
    await send(() => Promise.resolve());
    await received();
    receiver.requests.length = 0;
    await sendRequest('/api/invitations', {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: browser },
      // The body arrives in two pieces, like a large one.
      body: ReadableStream.from(streamPieces('{"email":"ann@ex', 'ample.com"}')),
      duplex: 'half',
    });
    const receivedSpans = await received();
    const [request] = named(receivedSpans, 'POST /api/invitations');
    const [transaction] = named(receivedSpans, 'transaction');
    expect(transaction).toMatchObject({ traceId, parentSpanId: request?.spanId });
    expect(
      receivedSpans
        .filter(({ parentSpanId }) => parentSpanId === transaction?.spanId)
        .map(({ name }) => name),
    ).toContain('queue-mails');
    await send(() => Promise.resolve());
    const spans = await received();
    const [mail] = named(spans, 'send mail');
    expect(mail).toMatchObject({ traceId, kind: 5, parentSpanId: request?.spanId, status: {} });
    expect(attributesOf(mail?.attributes ?? [])).toEqual({
      'messaging.destination.name': 'mail',
      'vestibule.mail_template': 'invitation',
      'vestibule.attempt': '1 (number)',
    });
    expect(spans.filter(({ parentSpanId }) => parentSpanId === mail?.spanId).length).toBeGreaterThan(0);
  });

  test('has an error span without the text of the mail server if it cannot be sent', async () => {
    await t.callAs(admin, invite, { body: { email: 'bob@example.com' } });
    await send(() => Promise.reject(new Error('no mailbox bob@example.com')));
    const spans = await received();
    const failed = named(spans, 'send mail').find(({ status }) => status.code === 2);
    expect(attributesOf(failed?.attributes ?? [])).toMatchObject({ 'error.type': 'failed' });
    expect(JSON.stringify(spans)).not.toContain('bob@example.com');
  });
});
