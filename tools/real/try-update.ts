/**
 * `node tools/real/try-update.ts [REF] [--write]`: a rolling update under load. The server of an earlier release (the newest tag `v*` that is not this commit, or REF) and that of this
 * checkout work on one database for a minute, the new one migrating it under the old one; then the old one is stopped. No request
 * may fail. `--write` puts the figures into docs/benchmarks.md.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { benchmarksPage, describeMachine, writeFigures } from '../../bench/report/benchmarks-page.ts';
import { printFigures, type Figure } from '../../bench/report/figure.ts';
import { startLocalProvider } from '../../bench/stage/local-provider.ts';
import {
  newDataDirectory,
  removeDataDirectory,
  spawnServer,
  type ServerProcess,
} from '../../e2e/site/start-server.ts';
import { root } from '../install.mjs';
import { linkPackages } from '../link-packages.ts';

const togetherMs = 60_000;
const callers = 4;
/** Until a load balancer has noticed that a process is about to stop. */
const noticeMs = 2_000;

async function main(ref: string): Promise<Figure[]> {
  await using opened = new AsyncDisposableStack();
  const earlier = mkdtempSync(path.join(tmpdir(), 'vestibule-earlier-'));
  opened.defer(() => rmSync(earlier, { recursive: true }));
  const archive = execFileSync('git', ['archive', ref], { cwd: root, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['--extract', '--directory', earlier], { input: archive });
  await linkPackages(earlier);
  const directory = await newDataDirectory();
  opened.defer(() => removeDataDirectory(directory));
  const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(directory, 'postgres') });
  opened.defer(() => postgres.stop());
  const provider = await startLocalProvider();
  opened.defer(() => void provider.close());
  const token = await provider.issueToken({
    sub: 'administrator',
    emails: ['admin@example.com'],
    email_verified: true,
  });
  const start = async (of: string): Promise<ServerProcess> => {
    const server = await spawnServer({
      root: of,
      env: {
        ...provider.environment,
        DATABASE_URL: postgres.url,
        SECRET: 'a secret of a trial, 32 characters or more',
        SIGN_IN_WITH: 'b2c',
        SMTP_URL: 'off',
        SHUTDOWN_DELAY_SECONDS: '3',
        LOG_LEVEL: 'warn',
      },
    });
    opened.defer(() => removeDataDirectory(server.dataDirectory));
    opened.defer(() => server.stop());
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
  console.log(`This checkout is ready, beside it; ${meanwhile} requests answered meanwhile.`);
  load.sendTo([old, next]);
  await delay(togetherMs);
  console.log(`Both for ${togetherMs / 1000} s: ${load.answers()} requests answered.`);
  const stopping = old.stop();
  await delay(noticeMs);
  load.sendTo([next]);
  await stopping;
  await delay(2_000);
  load.stop();
  await running;
  const trouble = [old, next].flatMap(({ output }) =>
    output()
      .split('\n')
      .filter((line) => line.includes('"level":50')),
  );
  const wrong = [...load.failures(), ...trouble];
  assert.deepEqual(wrong, []);
  console.log(`${load.answers()} requests, and each was answered; no line of the log is an error.`);
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

/** What people do all day, sent to any of the processes. */
function createLoad(token: string) {
  let targets: ServerProcess[] = [];
  const over = new AbortController();
  let answered = 0;
  const failures: string[] = [];

  async function ask(method: string, at: string, body?: unknown): Promise<Record<string, unknown>> {
    const target = targets[Math.floor(Math.random() * targets.length)];
    const what = `${method} ${at}`;
    try {
      const answer = await fetch(`http://127.0.0.1:${target?.ports.web}${at}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
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
      await ask('GET', '/api/users/me');
      const { id } = await ask('POST', '/api/invitations', { email: `${name}.${round}@example.com` });
      for (const list of ['invitations', 'people', 'activity']) await ask('GET', `/api/${list}`);
      await ask('GET', `/api/invitations/${String(id)}`);
      await ask('POST', `/api/invitations/${String(id)}/link`);
      await ask('POST', `/api/invitations/${String(id)}/revoke`);
      await delay(50);
    }
  }

  return {
    sendTo: (servers: ServerProcess[]) => void (targets = servers),
    run: async () => {
      await ask('GET', '/api/users/me');
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
  if (!tag) throw new Error('There is no release before this commit. Name a commit: try-update.ts REF');
  return tag;
}

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});
const figures = await main(positionals[0] ?? newestTag());
printFigures(figures);
if (given.write)
  writeFileSync(
    benchmarksPage,
    writeFigures(readFileSync(benchmarksPage, 'utf8'), 'update', figures, describeMachine()),
  );
