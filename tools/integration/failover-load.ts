/** Requests during a failover, the record of acknowledged changes, and their comparison with the database. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { startProvider } from './fixture.ts';

const inviters = 4;
/** Longest time of a request by its limits: 4 s for a connection and 10 s for a transaction, and the response. */
export const requestLimitMs = 16_000;
const abortMs = 60_000;
const deliveryTimeoutMs = 60_000;

type Provider = Awaited<ReturnType<typeof startProvider>>;

const json = { 'content-type': 'application/json' };
const tus = { 'tus-resumable': '1.0.0' };

/** State that the activities share. */
function createRecord(provider: Provider, port: number) {
  return {
    provider,
    port,
    origin: `http://127.0.0.1:${port}`,
    run: randomUUID().slice(0, 8),
    over: new AbortController(),
    /** Acknowledged changes: addresses by the id of their invitation, addresses, and names of files. */
    invitations: new Map<string, string>(),
    people: new Set<string>(),
    uploads: new Set<string>(),
    counts: { unavailable: 0, exports: 0, exportsFailed: 0, notReady: 0, unhealthy: 0 },
    unexpected: [] as string[],
    slowest: { request: 0, export: 0 },
    lastWriteAt: performance.now(),
    longestGapMs: 0,
    lastEventAt: 0,
  };
}

type Record = ReturnType<typeof createRecord>;

/** Returns the response with its body, or null if it is an error. */
async function send(
  { origin, provider, counts, unexpected, slowest }: Record,
  method: string,
  at: string,
  {
    token = provider.token,
    body,
    headers,
  }: { token?: string; body?: string | Uint8Array<ArrayBuffer>; headers?: { [name: string]: string } } = {},
) {
  const startedAt = performance.now();
  try {
    const response = await fetch(origin + at, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(abortMs),
    });
    const text = await response.text();
    if (response.status === 503 && response.headers.has('retry-after')) counts.unavailable += 1;
    // 409 after an unknown result: the first attempt has succeeded.
    else if (response.ok || response.status === 409)
      return { status: response.status, headers: response.headers, text };
    else unexpected.push(`${method} ${at}: ${response.status} ${text.slice(0, 300)}`);
  } catch (error) {
    unexpected.push(`${method} ${at}: ${String((error as Error).cause ?? error)}`);
  } finally {
    slowest.request = Math.max(slowest.request, performance.now() - startedAt);
  }
  await delay(200);
  return null;
}

async function inviteUsers(record: Record, inviter: number): Promise<void> {
  for (let number = 0; !record.over.signal.aborted; number += 1) {
    const email = `${record.run}.${inviter}.${number}@example.com`;
    const body = JSON.stringify({ email });
    const response = await send(record, 'POST', '/api/invitations', { body, headers: json });
    const [, id] = /"id":"([^"]+)"/.exec(response?.text ?? '') ?? [];
    if (response?.status === 200 && id !== undefined) {
      const now = performance.now();
      record.longestGapMs = Math.max(record.longestGapMs, now - record.lastWriteAt);
      record.lastWriteAt = now;
      record.invitations.set(id, email);
      if (number % 5 === 0) await signIn(record, id, email);
    }
    await delay(10);
  }
}

/** Accepts the invitation by the first sign-in. */
async function signIn(record: Record, invitationId: string, email: string): Promise<void> {
  const token = await record.provider.issueToken({ sub: email, emails: [email], invitationId });
  if (await send(record, 'GET', '/api/users/me', { token })) record.people.add(email);
}

async function uploadFiles(record: Record): Promise<void> {
  const bytes = new Uint8Array(100_000);
  for (let number = 0; !record.over.signal.aborted; number += 1) {
    const name = `${record.run} ${number}`;
    const headers = {
      ...tus,
      'upload-length': String(bytes.length),
      'upload-metadata': `name ${btoa(name)}`,
    };
    const created = await send(record, 'POST', '/api/attachments/uploads', { headers });
    const location = created?.headers.get('location') ?? null;
    if (location !== null && (await sendParts(record, location, bytes))) record.uploads.add(name);
    await delay(100);
  }
}

/** Sends the file and resumes after an error, as browsers do. */
async function sendParts(record: Record, location: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  for (let offset = 0; !record.over.signal.aborted;) {
    const sent = await send(record, 'PATCH', location, {
      body: bytes.subarray(offset),
      headers: {
        ...tus,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(offset),
      },
    });
    if (sent?.status === 204) return true;
    const state = await send(record, 'HEAD', location, { headers: tus });
    offset = Number(state?.headers.get('upload-offset') ?? offset);
    if (offset === bytes.length) return true;
  }
  return false;
}

async function exportLists({ over, provider, port, counts, slowest }: Record): Promise<void> {
  while (!over.signal.aborted) {
    const startedAt = performance.now();
    const isComplete = await provider
      .call(port, 'POST', '/api/invitations/export', { columns: ['email'], sort: 'email' })
      .then(async (response) => (await response.text()) !== '' && response.ok)
      .catch(() => false);
    counts.exports += 1;
    if (!isComplete) counts.exportsFailed += 1;
    slowest.export = Math.max(slowest.export, performance.now() - startedAt);
    await delay(300);
  }
}

/** Reconnects as the browser does. */
async function followEvents(record: Record): Promise<void> {
  const { over, origin, provider } = record;
  while (!over.signal.aborted) {
    try {
      const response = await fetch(`${origin}/api/events`, {
        headers: { authorization: `Bearer ${provider.token}` },
        signal: over.signal,
      });
      for await (const part of response.body ?? [])
        if (Buffer.from(part).includes('invitations')) record.lastEventAt = performance.now();
    } catch {
      // The stream has ended.
    }
    await delay(1_000);
  }
}

async function checkHealth({ over, origin, counts }: Record): Promise<void> {
  const statusOf = (at: string) =>
    fetch(origin + at).then(
      ({ status }) => status,
      () => 0,
    );
  while (!over.signal.aborted) {
    const [ready, healthy] = await Promise.all([statusOf('/readyz'), statusOf('/healthz')]);
    if (ready === 503) counts.notReady += 1;
    if (healthy !== 200) counts.unhealthy += 1;
    await delay(500);
  }
}

/** Starts all activities. `findLost` compares the record with the database after `stop`. */
export async function startLoad(provider: Provider, port: number) {
  const receiver = await startReceiver();
  const record = createRecord(provider, port);
  const { over, run } = record;
  const webhook = await provider.call(port, 'POST', '/api/webhooks', {
    url: receiver.url,
    description: run,
    events: ['invitation.created'],
  });
  if (!webhook.ok) throw new Error(await webhook.text());
  const working = Promise.all([
    ...Array.from({ length: inviters }, (_, inviter) => inviteUsers(record, inviter)),
    uploadFiles(record),
    exportLists(record),
    followEvents(record),
    checkHealth(record),
  ]);
  return {
    record,
    async stop(): Promise<void> {
      over.abort();
      await working;
      record.longestGapMs = Math.max(record.longestGapMs, performance.now() - record.lastWriteAt);
    },
    /** Returns acknowledged changes that are not in the database, and webhook messages that did not arrive. */
    async findLost(url: string): Promise<string[]> {
      const { invitations, people, uploads } = record;
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const missing = async (kind: string, column: string, values: Iterable<string>) => {
        const { rows } = await client.query<{ value: string }>(
          `select value from unnest($1::text[]) value where value not in (select ${column})`,
          [[...values]],
        );
        return rows.map(({ value }) => `${kind} ${value}`);
      };
      const lost = [
        ...(await missing('invitation', 'id::text from invitations', invitations.keys())),
        ...(await missing('person', 'email from people', people)),
        ...(await missing('upload', 'name from attachments', uploads)),
      ];
      await client.end();
      const undelivered = () => [...invitations.values()].filter((email) => !receiver.received.has(email));
      const deadline = performance.now() + deliveryTimeoutMs;
      while (undelivered().length > 0 && performance.now() < deadline) await delay(200);
      receiver.close();
      return [...lost, ...undelivered().map((email) => `webhook message about ${email}`)];
    },
  };
}

/** Receives webhook messages and records the addresses in them. */
async function startReceiver() {
  const received = new Set<string>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      for (const [address] of body.matchAll(/[\w.]+@example\.com/g)) received.add(address);
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    close: () => server.close(),
  };
}
