/**
 * The process as `npm start` runs it, without a browser: what stops it from starting, how it ends, and what it opens.
 * Not for: what it answers (the other journeys) or the installation around it (tools/run.mjs).
 */
import { expect, test as base } from '@playwright/test';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import {
  freePorts,
  newDataDirectory,
  readDatabase,
  removeDataDirectory,
  spawnServer,
  type ServerProcess,
} from './start-server.ts';

type Start = typeof spawnServer;
type Fixtures = { start: Start };
type WorkerFixtures = { database: EmbeddedPostgres; running: ServerProcess };

const secret = 'a secret that these tests alone use';
const provider = {
  AUTH_BASE_URL: 'https://contoso.b2clogin.com',
  TENANT_NAME: 'contoso',
  CLIENT_ID: '90c0fe63-bcf2-44d5-8fb7-b8bbc0b29dc6',
  API_SCOPES: 'https://contoso.onmicrosoft.com/api/access',
  SIGN_IN_POLICY: 'B2C_1A_signin',
  SIGN_UP_POLICY: 'B2C_1A_signup_invitation',
  RESET_PASSWORD_POLICY: 'B2C_1A_passwordreset',
};
const endTimeout = { timeout: 20_000 };

const test = base.extend<Fixtures, WorkerFixtures>({
  /** Starts servers that are gone, with their data, after the test. */
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from a pattern.
  start: async ({}, use) => {
    const started: ServerProcess[] = [];
    await use(async (options) => {
      const server = await spawnServer(options);
      started.push(server);
      return server;
    });
    for (const server of started) await server.stop();
    for (const { dataDirectory } of started) await removeDataDirectory(dataDirectory);
  },
  /** A server on the embedded defaults, in a data directory that it has made itself. */
  running: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from a pattern.
    async ({}, use) => {
      const parent = await newDataDirectory();
      const server = await spawnServer({ dataDirectory: path.join(parent, 'data') });
      await server.ready();
      await use(server);
      await server.stop();
      await removeDataDirectory(parent);
    },
    { scope: 'worker' },
  ],
  /** A database that is not the server's own. */
  database: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from a pattern.
    async ({}, use) => {
      const directory = await newDataDirectory();
      const dataDirectory = path.join(directory, 'postgres');
      const database = await startEmbeddedPostgres({ dataDirectory }, { durable: false });
      await use(database);
      await database.stop();
      await removeDataDirectory(directory);
    },
    { scope: 'worker' },
  ],
});

/** Whether somebody takes connections there. */
function isOpen(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 2_000 });
    const answer = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function firstLink(server: ServerProcess): string | undefined {
  return /^First administrator: (\S+)$/m.exec(server.output())?.[1];
}

/** Which of a server's ports take connections at an address. */
async function openPorts({ ports }: ServerProcess, host?: string): Promise<string[]> {
  const answers = await Promise.all(
    Object.entries(ports).map(async ([name, port]) => ((await isOpen(port, host)) ? [name] : [])),
  );
  return answers.flat();
}

/** Where a server that listens everywhere answers and one that listens at 127.0.0.1 does not. */
function otherAddresses(): string[] {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
  // Linux has all of 127.0.0.0/8, also without a network.
  return ['127.0.0.2', ...outside];
}

/** Asks a server again and again on one keep-alive connection, until it refuses. Gives what it answered, and failures. */
async function keepAsking(port: number, answers: number[], failures: string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    try {
      answers.push(await ask(port, agent));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ECONNREFUSED') failures.push(String(error));
      agent.destroy();
      return;
    }
  }
}

function ask(port: number, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/api/config', agent }, (response) => {
      response.once('error', reject);
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    }).once('error', reject);
  });
}

const takenPorts = [
  { port: 'web', variable: 'PORT' },
  { port: 'provider', variable: 'IDP_PORT' },
  { port: 'mailbox', variable: 'MAILBOX_PORT' },
] as const;

for (const { port, variable } of takenPorts)
  test(`a taken ${variable} ends the start with a sentence that says what to do (O4)`, async ({
    start,
    database,
  }) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const taken = (other.address() as AddressInfo).port;
    try {
      const server = await start({
        ports: { ...(await freePorts()), [port]: taken },
        env: { DATABASE_URL: database.url, SECRET: secret, LOG_LEVEL: 'silent' },
      });
      expect(await server.exited).toBe(1);
      expect(server.output().trim()).toMatch(
        new RegExp(
          String.raw`^Port ${taken} is taken by another program\. Stop that program, or set (?:MAILBOX_SMTP_PORT or )?${variable} to a free port\.$`,
        ),
      );
      expect(await openPorts(server)).toEqual([port]);
    } finally {
      other.close();
    }
  });

test('bad configuration ends the start and names every bad variable at once (O4)', async ({ start }) => {
  const server = await start({
    env: { PORT: 'many', SMTP_URL: 'mail.example.com', ADMIN_EMAIL: 'nobody', TENANT_NAME: 'contoso' },
  });
  expect(await server.exited).toBe(1);
  const [sentence, ...lines] = server.output().trimEnd().split('\n');
  expect(sentence).toBe('The configuration cannot be used. Correct these environment variables:');
  const missing = Object.keys(provider).filter((variable) => variable !== 'TENANT_NAME');
  expect(new Set(lines.map((line) => /^ {2}(\w+): \w+/.exec(line)?.[1]))).toEqual(
    new Set(['PORT', 'SMTP_URL', 'ADMIN_EMAIL', ...missing]),
  );
});

test('a data directory in use ends the second start, and the first server goes on (O1)', async ({
  running,
}) => {
  const second = await spawnServer({ dataDirectory: running.dataDirectory });
  expect(await second.exited).toBe(1);
  expect(second.output().trim()).toMatch(
    new RegExp(
      String.raw`^The data directory \S+ is in use by another Vestibule \(process ${running.child.pid}\)\. Stop it, or set DATA_DIR to another directory\.$`,
    ),
  );
  expect((await fetch(`http://127.0.0.1:${running.ports.web}/readyz`)).status).toBe(200);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`${signal} ends the server, its ports and its database (O3)`, async ({ start }) => {
    const server = await start();
    await server.ready();
    const embedded = readDatabase(server.dataDirectory);
    expect(await openPorts(server)).toEqual(['web', 'provider', 'mailbox', 'smtp']);
    expect(isAlive(embedded.processId)).toBe(true);
    server.child.kill(signal);
    expect(await server.exited).toBe(0);
    expect(await openPorts(server)).toEqual([]);
    expect(await isOpen(embedded.port)).toBe(false);
    expect(isAlive(embedded.processId)).toBe(false);
    expect(existsSync(path.join(server.dataDirectory, 'postgres', 'postmaster.pid'))).toBe(false);
  });

test('a server that runs reaches its database as a role that can only add to the activity log (security 49)', async ({
  running,
}) => {
  const client = new pg.Client({ connectionString: readDatabase(running.dataDirectory).url });
  await client.connect();
  try {
    const { rows } = await client.query<{ role: string; may: boolean }>(
      `select distinct usename as role, rolsuper or pg_has_role(usename, c.relowner, 'member')
         or has_table_privilege(usename, 'audit_log', 'update, delete, truncate') as may
       from pg_stat_activity join pg_roles on rolname = usename, pg_class c
       where application_name = 'vestibule' and c.oid = 'audit_log'::regclass`,
    );
    expect(rows).toEqual([{ role: expect.any(String), may: false }]);
  } finally {
    await client.end();
  }
});

test('a killed server takes its database along, and the next start prints the same link (O1)', async ({
  start,
}) => {
  const killed = await start();
  await killed.ready();
  const embedded = readDatabase(killed.dataDirectory);
  killed.child.kill('SIGKILL');
  await killed.exited;
  await expect.poll(() => isAlive(embedded.processId), endTimeout).toBe(false);

  const next = await start({ dataDirectory: killed.dataDirectory, ports: killed.ports });
  await next.ready();
  expect(firstLink(next)).toMatch(/^http:\/\/localhost:\d+\/\S+$/);
  expect(firstLink(next)).toBe(firstLink(killed));
});

test('a server that is asked to stop drops no request of clients that keep asking (O3)', async ({
  start,
  database,
}) => {
  const server = await start({
    env: { DATABASE_URL: database.url, SECRET: secret, LOG_LEVEL: 'silent' },
  });
  await server.ready();
  const answers: number[] = [];
  const failures: string[] = [];
  const clients = Array.from({ length: 16 }, () => keepAsking(server.ports.web, answers, failures));
  await expect.poll(() => answers.length, endTimeout).toBeGreaterThan(200);
  const answeredBefore = answers.length;
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(answers.length).toBeGreaterThan(answeredBefore);
  expect(new Set(answers)).toEqual(new Set([200]));
});

test('a server that is asked to stop first tells load balancers, and answers until its port closes (O3)', async ({
  start,
  database,
}) => {
  const env = { DATABASE_URL: database.url, SECRET: secret, SHUTDOWN_DELAY_SECONDS: '2' };
  const server = await start({ env: { ...env, LOG_LEVEL: 'silent' } });
  await server.ready();
  const status = async (at: string) => (await fetch(`http://127.0.0.1:${server.ports.web}${at}`)).status;
  expect(await status('/readyz')).toBe(200);
  server.child.kill('SIGTERM');
  await expect.poll(() => status('/readyz')).toBe(503);
  expect(await status('/api/config')).toBe(200);
  // A service manager's signal that comes again is no hurry.
  server.child.kill('SIGTERM');
  expect(await status('/api/config')).toBe(200);
  expect(await server.exited).toBe(0);
});

for (const [what, env, sentence] of [
  ['an address of another machine', { HOST: '203.0.113.9' }, /^HOST is not an address of this machine/],
  ['a host that is nowhere', { HOST: 'nowhere.invalid' }, /^HOST is not an address of this machine/],
  ['a place where no directory can be', { DATA_DIR: '/proc/vestibule/data' }, /^DATA_DIR cannot be made at/],
] as const)
  test(`${what} ends the start with a sentence (O4)`, async ({ start, database }) => {
    const server = await start({
      env: {
        ...provider,
        SMTP_URL: 'off',
        ADMIN_EMAIL: 'admin@contoso.com',
        DATABASE_URL: database.url,
        SECRET: secret,
        LOG_LEVEL: 'silent',
        ...env,
      },
    });
    expect(await server.exited).toBe(1);
    expect(server.output().trim()).toMatch(sentence);
    expect(server.output().trim().split('\n')).toHaveLength(1);
  });

test('what is named by configuration is not embedded: no provider, no mailbox, no database (O2, O4)', async ({
  start,
  database,
}) => {
  const server = await start({
    env: {
      ...provider,
      SMTP_URL: 'smtp://127.0.0.1:9',
      DATABASE_URL: database.url,
      SECRET: secret,
      LOG_LEVEL: 'silent',
    },
  });
  await server.ready();
  expect(await openPorts(server)).toEqual(['web']);
  expect((await fetch(`http://127.0.0.1:${server.ports.web}/readyz`)).status).toBe(200);
  for (const file of ['postgres', 'postgres.password', 'identity-provider.sqlite'])
    expect(existsSync(path.join(server.dataDirectory, file)), file).toBe(false);
});

test('on the embedded defaults nothing can be reached from another machine (L5)', async ({
  start,
  database,
}) => {
  const server = await start({
    env: { DATABASE_URL: database.url, SECRET: secret, LOG_LEVEL: 'silent' },
  });
  await server.ready();
  expect(await openPorts(server)).toEqual(['web', 'provider', 'mailbox', 'smtp']);
  for (const host of otherAddresses()) expect(await openPorts(server, host), host).toEqual([]);
});

test('on an address of the public the server starts nothing that is for development (O7, L5; security 68)', async ({
  start,
}) => {
  const server = await start({ env: { PUBLIC_URL: 'https://portal.example.com' } });
  expect(await server.exited).toBe(1);
  const lines = server.output().trimEnd().split('\n').slice(1);
  expect(lines.map((line) => /^ {2}(\w+): (?:is missing;|nothing says) /.exec(line)?.[1])).toEqual([
    'SIGN_IN_WITH',
    'SMTP_URL',
    'ADMIN_EMAIL',
  ]);
  expect(await openPorts(server)).toEqual([]);
  expect(await readdir(server.dataDirectory)).toEqual([]);
});

test('nobody else on this machine may read what is in DATA_DIR (security 15)', async ({
  running: { dataDirectory },
}) => {
  const entries = await readdir(dataDirectory, { recursive: true, withFileTypes: true });
  const modes = new Map<string, number>();
  for (const { parentPath, name } of entries) {
    const file = path.join(parentPath, name);
    // What the database makes for a moment may be gone again.
    const found = await stat(file).catch(() => undefined);
    if (found) modes.set(path.relative(dataDirectory, file), found.mode);
  }
  for (const name of ['secret', 'postgres.password', 'postgres.log', 'server.log', 'attachments'])
    expect(modes.has(name), name).toBe(true);
  for (const end of ['', '-wal', '-shm']) expect(modes.has(`identity-provider.sqlite${end}`), end).toBe(true);
  const readable = [...modes].filter(([, mode]) => (mode & 0o077) !== 0).map(([name]) => name);
  expect(readable).toEqual([]);
  // As root the database runs as another user, who passes through; nobody may list it.
  expect((await stat(dataDirectory)).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
});

test('opened to the network, the server takes neither its provider nor its mailbox along (L5)', async ({
  start,
  database,
}) => {
  const server = await start({
    env: {
      HOST: '0.0.0.0',
      ALLOW_DEVELOPMENT_PARTS: 'yes',
      DATABASE_URL: database.url,
      SECRET: secret,
      LOG_LEVEL: 'silent',
    },
  });
  await server.ready();
  expect(await openPorts(server)).toEqual(['web', 'provider', 'mailbox', 'smtp']);
  for (const host of otherAddresses())
    expect(['', 'web'], host).toContain((await openPorts(server, host)).join());
});
