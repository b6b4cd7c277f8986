/**
 * `node tools/integration/rolling-update.ts [REF] [--write]`: tests a rolling update under load. A server of an earlier release
 * (the newest tag `v*` not on this commit, or REF) and one of this checkout share a database for a minute; the new one migrates it
 * while the old one runs. Then the old one is stopped. No request may fail. `--write` updates docs/benchmarks.md.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { printFigures, type Figure } from '../../bench/report/figure.ts';
import {
  createDataDirectory,
  removeDataDirectory,
  type ServerProcess,
} from '../../e2e/fixtures/start-server.ts';
import { root } from '../install.mjs';
import { linkPackages } from '../link-packages.ts';
import {
  createCaller,
  readLoggedErrors,
  withTemporaryDirectory,
  storeFigures,
  startProvider,
  startServer,
} from './fixture.ts';

const overlapMs = 60_000;
const callers = 4;
/** Time until a load balancer notices that a process is stopping. */
const detectionMs = 2_000;

async function update(ref: string, earlier: string): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const archive = execFileSync('git', ['archive', ref], { cwd: root, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['--extract', '--directory', earlier], { input: archive });
  await linkPackages(earlier);
  const directory = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(directory));
  const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(directory, 'postgres') });
  cleanup.defer(() => postgres.stop());
  const { token, environment } = await startProvider(cleanup);
  const start = async (of: string): Promise<ServerProcess> => {
    const server = await startServer(cleanup, {
      root: of,
      env: { ...environment, DATABASE_URL: postgres.url, SHUTDOWN_DELAY_SECONDS: '3' },
    });
    await server.ready();
    return server;
  };

  const old = await start(earlier);
  console.log(`${ref} is ready.`);
  const load = createLoad(token);
  load.sendTo([old]);
  const running = load.run();
  await delay(2_000);
  const next = await start(root);
  const meanwhile = load.answers();
  console.log(`This checkout is ready too; ${meanwhile} requests answered during its start.`);
  load.sendTo([old, next]);
  await delay(overlapMs);
  console.log(`Both for ${overlapMs / 1000} s: ${load.answers()} requests answered.`);
  const stopping = old.stop();
  await delay(detectionMs);
  load.sendTo([next]);
  await stopping;
  await delay(2_000);
  load.stop();
  await running;
  const wrong = [...load.failures(), ...readLoggedErrors([old, next])];
  assert.deepEqual(wrong, []);
  console.log(`${load.answers()} requests, all answered; the logs have no errors.`);
  const commit = execFileSync('git', ['rev-parse', '--short', ref], { cwd: root, encoding: 'utf8' }).trim();
  return [
    {
      name: `rolling update from ${ref.startsWith('v') ? ref : commit}: requests answered while the new process migrated and started`,
      measured: meanwhile,
      unit: 'times',
    },
    { name: '… requests answered in all', measured: load.answers(), unit: 'times' },
    {
      name: '… requests failed, and errors in either log',
      measured: wrong.length,
      unit: 'times',
      limit: { at: 'most', value: 0 },
    },
  ];
}

function createLoad(token: string) {
  const call = createCaller(token);
  let targets: ServerProcess[] = [];
  const over = new AbortController();
  let answered = 0;
  const failures: string[] = [];

  async function request(method: string, at: string, body?: unknown): Promise<Record<string, unknown>> {
    const target = targets[Math.floor(Math.random() * targets.length)];
    const what = `${method} ${at}`;
    try {
      const answer = await call(target, method, at, body);
      const text = await answer.text();
      answered += 1;
      if (answer.status !== 200) failures.push(`${what}: ${answer.status} ${text}`);
      return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    } catch (error) {
      failures.push(`${what}: ${String((error as Error).cause ?? error)}`);
      return {};
    }
  }

  async function caller(name: number): Promise<void> {
    for (let round = 0; !over.signal.aborted; round += 1) {
      await request('GET', '/api/users/me');
      const { id } = await request('POST', '/api/invitations', { email: `${name}.${round}@example.com` });
      for (const list of ['invitations', 'people', 'activity']) await request('GET', `/api/${list}`);
      await request('GET', `/api/invitations/${String(id)}`);
      await request('POST', `/api/invitations/${String(id)}/link`);
      await request('POST', `/api/invitations/${String(id)}/revoke`);
      await delay(50);
    }
  }

  return {
    sendTo: (servers: ServerProcess[]) => void (targets = servers),
    run: async () => {
      await request('GET', '/api/users/me');
      await Promise.all(Array.from({ length: callers }, (_, name) => caller(name)));
    },
    stop: () => over.abort(),
    answers: () => answered,
    failures: () => [...new Set(failures)].slice(0, 20),
  };
}

function newestTag(): string {
  const [tag] = execFileSync(
    'git',
    ['tag', '--list', 'v*', '--no-contains', 'HEAD', '--sort=-version:refname'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  ).split('\n');
  if (!tag) throw new Error('There is no release before this commit. Name a commit: rolling-update.ts REF');
  return tag;
}

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});
const ref = positionals[0] ?? newestTag();
const figures = await withTemporaryDirectory('earlier', (directory) => update(ref, directory));
printFigures(figures);
if (given.write) storeFigures('update', figures);
