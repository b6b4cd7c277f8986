/**
 * Webhooks: events accepted a second while one receiver hangs, and how many of them reach another one meanwhile; beside the same lists
 * without a webhook, and beside a bare loop that posts to the same receiver.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createBatch } from '@vestibule/contract/invitations/batches';
import { createWebhook } from '@vestibule/contract/webhooks';
import { withUnit, type Figure } from '../report/figure.ts';
import { isTrial } from '../report/options.ts';
import { root, startChild } from '../harness/child-process.ts';
import { runOnStage, takeBackMails, type Stage } from '../harness/bench-site.ts';

const rowsAtOnce = isTrial ? 100 : 2_000;
const rounds = isTrial ? 2 : 5;
const events = rounds * rowsAtOnce;

export async function measureWebhooks(stage: Stage): Promise<Figure[]> {
  const { url, tokens, database } = stage;
  const counts = { taken: 0 };
  // Takes connections and requests, and never answers.
  const hanging = createServer((request) => void request.resume());
  const working = createServer((request, answer) => {
    counts.taken += 1;
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
  const inviteAll = async () => {
    for (let round = 0; round < rounds; round += 1) {
      const run = randomBytes(4).toString('hex');
      const rows = Array.from({ length: rowsAtOnce }, (_, number) => ({
        email: `told.${run}.${number}@example.com`,
      }));
      await call(createBatch, { rows }, { 'idempotency-key': run });
    }
  };
  try {
    const bareAt = performance.now();
    await inviteAll();
    const withoutWebhooks = events / ((performance.now() - bareAt) / 1000);
    await takeBackMails(stage);
    for (const server of [hanging, working]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      await call(createWebhook, {
        url: `http://127.0.0.1:${port}/`,
        description: 'Bench',
        events: ['invitation.created'],
      });
    }
    // Until the first one hangs.
    await call(
      createBatch,
      { rows: [{ email: `first.${randomBytes(4).toString('hex')}@example.com` }] },
      { 'idempotency-key': randomBytes(8).toString('hex') },
    );
    await delay(2_000);
    counts.taken = 0;
    const startedAt = performance.now();
    await inviteAll();
    const acceptedIn = (performance.now() - startedAt) / 1000;
    while (counts.taken < events) {
      if (performance.now() - startedAt > 300_000)
        throw new Error(`of ${events} events ${counts.taken} arrived`);
      await delay(20);
    }
    const deliveredIn = (performance.now() - startedAt) / 1000;
    // Only what is really there counts.
    const { rows: waiting } = await database.query<{ count: number }>(
      `select count(*)::int as count from webhook_messages where state = 'waiting'`,
    );
    if ((waiting[0]?.count ?? 0) < events) throw new Error('what the hanging receiver misses does not wait');
    const posted = await postBare((working.address() as AddressInfo).port);
    return [
      {
        name: 'webhooks: events accepted while a receiver hangs',
        measured: events / acceptedIn,
        unit: '/s',
        limit: { at: 'least', value: 1_000 },
        ceiling: `the same lists without a webhook: ${withUnit(withoutWebhooks, '/s')}`,
      },
      {
        name: 'webhooks: delivered to another receiver meanwhile',
        measured: events / deliveredIn,
        unit: '/s',
        ceiling: `signed and posted by a bare loop, by itself: ${withUnit(posted, '/s')}`,
      },
    ];
  } finally {
    for (const server of [hanging, working]) server.close().closeAllConnections();
    await database.query('delete from webhooks');
  }
}

/** Messages a second. */
async function postBare(port: number): Promise<number> {
  const poster = await startChild(
    process.execPath,
    [path.join(root, 'bench/harness/webhook-baseline.ts'), `http://127.0.0.1:${port}/`, String(events)],
    { ready: /(\S+) messages a second/ },
  );
  await poster.stop();
  return Number(poster.match[1]);
}

if (import.meta.main) await runOnStage(measureWebhooks);
