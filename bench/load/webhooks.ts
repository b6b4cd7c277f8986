/**
 * Measures webhooks: events accepted per second while one receiver hangs, and deliveries to another receiver. Compared with the
 * same batches without webhooks and with a loop that only posts.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createBatch } from '@vestibule/contract/invitations/batches';
import { createWebhook } from '@vestibule/contract/webhooks';
import { formatWithUnit, type Figure } from '../report/figure.ts';
import { isTrial } from '../report/options.ts';
import { root, startChild } from '../harness/child-process.ts';
import { runOnBenchSite, drainMailQueue, type BenchSite } from '../harness/bench-site.ts';

const batchSize = isTrial ? 100 : 2_000;
const rounds = isTrial ? 2 : 5;
const events = rounds * batchSize;

export async function measureWebhooks(site: BenchSite): Promise<Figure[]> {
  const { url, tokens, database } = site;
  const receiver = { received: 0 };
  const hangingServer = createServer((request) => void request.resume());
  const workingServer = createServer((request, answer) => {
    receiver.received += 1;
    request.resume();
    answer.writeHead(204).end();
  });
  const call = async (route: { path: string }, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(url + route.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  const createBatches = async () => {
    for (let round = 0; round < rounds; round += 1) {
      const run = randomBytes(4).toString('hex');
      const rows = Array.from({ length: batchSize }, (_, number) => ({
        email: `webhook.${run}.${number}@example.com`,
      }));
      await call(createBatch, { rows }, { 'idempotency-key': run });
    }
  };
  try {
    const bareStartedAt = performance.now();
    await createBatches();
    const withoutWebhooks = events / ((performance.now() - bareStartedAt) / 1000);
    await drainMailQueue(site);
    for (const server of [hangingServer, workingServer]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      await call(createWebhook, {
        url: `http://127.0.0.1:${port}/`,
        description: 'Bench',
        events: ['invitation.created'],
      });
    }
    // Send one event first, so that the hanging receiver is known to hang.
    await call(
      createBatch,
      { rows: [{ email: `first.${randomBytes(4).toString('hex')}@example.com` }] },
      { 'idempotency-key': randomBytes(8).toString('hex') },
    );
    await delay(2_000);
    receiver.received = 0;
    const startedAt = performance.now();
    await createBatches();
    const acceptSeconds = (performance.now() - startedAt) / 1000;
    while (receiver.received < events) {
      if (performance.now() - startedAt > 300_000)
        throw new Error(`of ${events} events ${receiver.received} arrived`);
      await delay(20);
    }
    const deliverySeconds = (performance.now() - startedAt) / 1000;
    const { rows: waiting } = await database.query<{ count: number }>(
      `select count(*)::int as count from webhook_messages where state = 'waiting'`,
    );
    if ((waiting[0]?.count ?? 0) < events) throw new Error('messages for the hanging receiver were not kept');
    const barePostsPerSecond = await measureBarePosts((workingServer.address() as AddressInfo).port);
    return [
      {
        name: 'webhooks: events accepted while a receiver hangs',
        measured: events / acceptSeconds,
        unit: '/s',
        limit: { at: 'least', value: 1_000 },
        baseline: `the same lists without a webhook: ${formatWithUnit(withoutWebhooks, '/s')}`,
      },
      {
        name: 'webhooks: delivered to another receiver meanwhile',
        measured: events / deliverySeconds,
        unit: '/s',
        baseline: `signed and posted by a bare loop, alone: ${formatWithUnit(barePostsPerSecond, '/s')}`,
      },
    ];
  } finally {
    for (const server of [hangingServer, workingServer]) server.close().closeAllConnections();
    await database.query('delete from webhooks');
  }
}

async function measureBarePosts(port: number): Promise<number> {
  const baseline = await startChild(
    process.execPath,
    [path.join(root, 'bench/harness/webhook-baseline.ts'), `http://127.0.0.1:${port}/`, String(events)],
    { ready: /(\S+) messages a second/ },
  );
  await baseline.stop();
  return Number(baseline.match[1]);
}

if (import.meta.main) await runOnBenchSite(measureWebhooks);
