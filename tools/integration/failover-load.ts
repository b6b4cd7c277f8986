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

export type Load = Awaited<ReturnType<typeof startLoad>>;

export async function startLoad(provider: Provider, port: number) {
  const origin = `http://127.0.0.1:${port}`;
  const receiver = await startReceiver();
  const run = randomUUID().slice(0, 8);
  const over = new AbortController();
  const acknowledged = {
    invitations: new Map<string, string>(),
    people: new Set<string>(),
    uploads: new Set<string>(),
  };
  const counts = { unavailable: 0, exports: 0, exportsFailed: 0, streams: 0, notReady: 0, unhealthy: 0 };
  const unexpected: string[] = [];
  const slowest = { request: 0, export: 0 };
  let lastWriteAt = performance.now();
  let longestGapMs = 0;

  function acknowledge(): void {
    const now = performance.now();
    longestGapMs = Math.max(longestGapMs, now - lastWriteAt);
    lastWriteAt = now;
  }

  /** Returns the response with its body, or null if the database was unavailable. */
  async function send(method: string, at: string, token: string, body?: string | Uint8Array<ArrayBuffer>, headers = {}) {
    const startedAt = performance.now();
    try {
      const answer = await fetch(origin + at, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(abortMs),
      });
      const text = await answer.text();
      if (answer.status === 503 && answer.headers.has('retry-after')) counts.unavailable += 1;
      else if (answer.ok || (method !== 'GET' && answer.status === 409))
        return { status: answer.status, headers: answer.headers, text };
      else unexpected.push(`${method} ${at}: ${answer.status} ${text.slice(0, 300)}`);
    } catch (error) {
      unexpected.push(`${method} ${at}: ${String((error as Error).cause ?? error)}`);
    } finally {
      slowest.request = Math.max(slowest.request, performance.now() - startedAt);
    }
    await delay(200);
    return null;
  }

  async function invite(inviter: number): Promise<void> {
    for (let number = 0; !over.signal.aborted; number += 1) {
      const email = `${run}.${inviter}.${number}@example.com`;
      const json = { 'content-type': 'application/json' };
      const answer = await send('POST', '/api/invitations', provider.token, JSON.stringify({ email }), json);
      const [, id] = /"id":"([^"]+)"/.exec(answer?.text ?? '') ?? [];
      if (answer?.status === 200 && id !== undefined) {
        acknowledge();
        acknowledged.invitations.set(id, email);
        if (number % 5 === 0) await signIn(id, email);
      }
      await delay(10);
    }
  }

  /** Accepts the invitation by the first sign-in. */
  async function signIn(invitationId: string, email: string): Promise<void> {
    const token = await provider.issueToken({ sub: email, emails: [email], invitationId });
    const answer = await send('GET', '/api/users/me', token);
    if (answer) acknowledged.people.add(email);
  }

  async function upload(): Promise<void> {
    const tus = { 'tus-resumable': '1.0.0' };
    const bytes = new Uint8Array(100_000);
    for (let number = 0; !over.signal.aborted; number += 1) {
      const name = `${run} ${number}`;
      const created = await send('POST', '/api/attachments/uploads', provider.token, undefined, {
        ...tus,
        'upload-length': String(bytes.length),
        'upload-metadata': `name ${btoa(name)}`,
      });
      const location = created?.headers.get('location');
      for (let offset = 0; location && offset < bytes.length && !over.signal.aborted;) {
        const sent = await send('PATCH', location, provider.token, bytes.subarray(offset), {
          ...tus,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
        });
        if (sent?.status === 204) offset = bytes.length;
        else
          offset = Number(
            (await send('HEAD', location, provider.token, undefined, tus))?.headers.get('upload-offset') ??
              offset,
          );
        if (offset === bytes.length) acknowledged.uploads.add(name);
      }
      await delay(100);
    }
  }

  async function exportLists(): Promise<void> {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      try {
        const answer = await provider.call(port, 'POST', '/api/invitations/export', {
          columns: ['email'],
          sort: 'email',
        });
        await answer.text();
        counts.exports += 1;
        if (!answer.ok) counts.exportsFailed += 1;
      } catch {
        counts.exports += 1;
        counts.exportsFailed += 1;
      }
      slowest.export = Math.max(slowest.export, performance.now() - startedAt);
      await delay(300);
    }
  }

  /** Time of the last event. Reconnects as the browser does. */
  let lastEventAt = 0;
  async function followEvents(): Promise<void> {
    while (!over.signal.aborted) {
      try {
        const answer = await fetch(`${origin}/api/events`, {
          headers: { authorization: `Bearer ${provider.token}` },
          signal: over.signal,
        });
        if (answer.ok) counts.streams += 1;
        for await (const _ of answer.body ?? []) lastEventAt = performance.now();
      } catch {
        // The stream has ended.
      }
      await delay(1_000);
    }
  }

  async function checkHealth(): Promise<void> {
    while (!over.signal.aborted) {
      const [ready, healthy] = await Promise.all(
        ['/readyz', '/healthz'].map((at) =>
          fetch(origin + at).then(
            ({ status }) => status,
            () => 0,
          ),
        ),
      );
      if (ready === 503) counts.notReady += 1;
      if (healthy !== 200) counts.unhealthy += 1;
      await delay(500);
    }
  }

  const webhook = await provider.call(port, 'POST', '/api/webhooks', {
    url: receiver.url,
    description: run,
    events: ['invitation.created'],
  });
  if (!webhook.ok) throw new Error(await webhook.text());
  const working = Promise.all([
    ...Array.from({ length: inviters }, (_, inviter) => invite(inviter)),
    upload(),
    exportLists(),
    followEvents(),
    checkHealth(),
  ]);

  return {
    acknowledged,
    counts,
    unexpected,
    slowest,
    longestGapMs: () => Math.max(longestGapMs, performance.now() - lastWriteAt),
    lastEventAt: () => lastEventAt,
    async stop(): Promise<void> {
      over.abort();
      await working;
    },
    /** Returns descriptions of acknowledged changes that the database does not have, and of webhook messages that did not arrive. */
    async findLost(url: string): Promise<string[]> {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const missing = async (kind: string, text: string, values: string[]) => {
        const { rows } = await client.query<{ value: string }>(
          `select value from unnest($1::text[]) value where value not in (${text})`,
          [values],
        );
        return rows.map(({ value }) => `${kind} ${value}`);
      };
      const { invitations, people, uploads } = acknowledged;
      const lost = [
        ...(await missing('invitation', 'select id::text from invitations', [...invitations.keys()])),
        ...(await missing('person', 'select email from people', [...people])),
        ...(await missing('upload', 'select name from attachments', [...uploads])),
      ];
      await client.end();
      const undelivered = () => [...invitations.values()].filter((email) => !receiver.received.has(email));
      const deadline = performance.now() + deliveryTimeoutMs;
      while (undelivered().length > 0 && performance.now() < deadline) await delay(200);
      lost.push(...undelivered().map((email) => `webhook message about ${email}`));
      receiver.close();
      return lost;
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
