/** Restarts two processes one after the other under reads, invitations and uploads. Every request has to succeed and take effect once. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from '../../../bench/report/figure.ts';
import type { ProxyKind } from '../start-proxy.ts';
import { readLoggedErrors } from '../fixture.ts';
import type { SiteBehindProxy } from './site.ts';
import { upload, type Progress } from './tus-upload.ts';

const rounds = 2;
const callers = 16;
/** Time until a proxy with health checks every two seconds uses a restarted process. */
const detectionMs = 2_500;
/** Default of SHUTDOWN_DELAY_SECONDS, less the polling interval. */
const minPortOpenMs = 4_500;
const uploadBytes = 10 * 2 ** 20;
/** A 10 MB request takes two seconds. */
const partMs = 200;

function createLoad({ send }: SiteBehindProxy) {
  const over = new AbortController();
  const lost: string[] = [];
  const invited = new Set<string>();
  const uploads: Progress = { id: '', pieces: 0, interrupted: 0 };
  let requests = 0;

  async function call(method: string, at: string, body?: unknown): Promise<boolean> {
    requests += 1;
    try {
      const { status, text } = await send(
        method,
        at,
        body === undefined ? {} : { body: JSON.stringify(body) },
      );
      if (status === 200) return true;
      lost.push(`${method} ${at}: ${status} ${text.slice(0, 200)}`);
    } catch (error) {
      lost.push(`${method} ${at}: ${String(error)}`);
    }
    return false;
  }

  /** Every fourth caller pauses so long that connections of the proxy become idle. */
  async function work(name: number): Promise<void> {
    const pauseMs = name % 4 === 0 ? 1_500 : 40;
    for (let round = 0; !over.signal.aborted; round += 1) {
      await call('GET', '/api/users/me');
      const email = `invited.${name}.${round}@example.com`;
      if (await call('POST', '/api/invitations', { email })) invited.add(email);
      await delay(Math.random() * pauseMs);
      for (const list of ['invitations', 'people', 'activity']) await call('GET', `/api/${list}?limit=20`);
      await delay(Math.random() * pauseMs);
    }
  }

  async function uploadAlways(): Promise<void> {
    for (let number = 0; !over.signal.aborted; number += 1)
      await upload(
        [send],
        { size: uploadBytes, name: `file ${number}.bin`, pace: () => delay(partMs) },
        uploads,
      );
  }

  return {
    run: async () =>
      void (await Promise.all([uploadAlways(), ...Array.from({ length: callers }, (_, name) => work(name))])),
    stop: () => over.abort(),
    requests: () => requests,
    lost,
    invited,
    uploads,
  };
}

/** Stops a process and checks that `/readyz` returns 503 while the port stays open for the configured delay. */
async function stopAndCheckReadiness(
  { processes, sendDirectly }: SiteBehindProxy,
  index: number,
): Promise<void> {
  const [process, send] = [processes[index], sendDirectly[index]];
  assert.ok(process && send);
  const startedAt = performance.now();
  const ended = process.stop();
  const seen: number[] = [];
  let refusedAt = 0;
  while (refusedAt === 0) {
    const status = await send('GET', '/readyz').then(
      (answer) => answer.status,
      () => null,
    );
    if (status === null) refusedAt = performance.now();
    else seen.push(status);
    await delay(50);
  }
  await ended;
  assert.equal(await process.exited, 0, process.output());
  assert.equal(seen.at(-1), 503);
  const portOpenMs = refusedAt - startedAt;
  assert.ok(portOpenMs >= minPortOpenMs, `the port closed after ${portOpenMs} ms`);
}

export async function measureRollingRestart(kind: ProxyKind, site: SiteBehindProxy): Promise<Figure[]> {
  const load = createLoad(site);
  const running = load.run();
  await delay(detectionMs);
  for (let round = 0; round < rounds; round += 1)
    for (const index of site.processes.keys()) {
      await stopAndCheckReadiness(site, index);
      await site.restart(index);
      await delay(detectionMs);
    }
  load.stop();
  await running;
  for (const what of load.lost.slice(0, 20)) console.error(`  lost: ${what}`);

  const { rows } = await site.database.query<{ email: string }>(
    `select email from invitations where email like 'invited.%'`,
  );
  assert.deepEqual(rows.map(({ email }) => email).toSorted(), [...load.invited].toSorted());
  assert.deepEqual(readLoggedErrors(site.processes), []);
  const { pieces, interrupted } = load.uploads;
  return [
    {
      name: `${kind}: ${rounds * site.processes.length} restarts of two processes in turn, requests lost`,
      measured: load.lost.length,
      unit: 'times',
      limit: { at: 'most', value: 0 },
      note: `${load.requests()} requests, ${load.invited.size} of them invitations; ${interrupted} of ${pieces} upload requests were resumed on the other process`,
    },
  ];
}
