/** The server process as started by `npm start`, without a browser: shutdown, ports, files and errors. */
import { existsSync, readFileSync } from 'node:fs';
import { chmod, readdir, stat } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, isPortOpen, findOpenPorts, otherAddresses, provider, secret, test } from './process-test.ts';
import {
  createDataDirectory,
  readDatabase,
  type ServerProcess,
} from '../../packages/testing/src/start-server.ts';

const npmStart = ['npm', 'start', '--silent', '--no-update-notifier'];

/** Returns the systemd unit's start command, with the Node.js that runs the tests. */
function systemdStart(): string[] {
  const unit = readFileSync(new URL('../../deploy/vestibule.service', import.meta.url), 'utf8');
  const [, command = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? [];
  return command.replace('/usr/bin/node', process.execPath).split(' ');
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

/** Sends 100 requests a second with keep-alive until the server refuses. Records responses and failures. */
async function sendUntilRefused(port: number, responses: number[], failures: string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    try {
      responses.push(await requestConfig(port, agent));
      await delay(10);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ECONNREFUSED') failures.push(String(error));
      agent.destroy();
      return;
    }
  }
}

function requestConfig(port: number, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/api/config', agent }, (response) => {
      response.once('error', reject);
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    }).once('error', reject);
  });
}

test('the server connects with a database role that can only append to the activity log (security 49)', async ({
  runningServer,
}) => {
  const client = new pg.Client({ connectionString: readDatabase(runningServer.dataDirectory).url });
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

test('a killed server stops its database, the next prints the same link and stops its ports by SIGINT (O1, O3)', async ({
  start,
}) => {
  const killed = await start();
  await killed.ready();
  const embedded = readDatabase(killed.dataDirectory);
  killed.child.kill('SIGKILL');
  await killed.exited;
  await expect.poll(() => isAlive(embedded.processId)).toBe(false);

  const next = await start({ dataDirectory: killed.dataDirectory, ports: killed.ports });
  await next.ready();
  expect(firstLink(next)).toMatch(/^http:\/\/localhost:\d+\/\S+$/);
  expect(firstLink(next)).toBe(firstLink(killed));

  const { port, processId } = readDatabase(next.dataDirectory);
  expect(await findOpenPorts(next)).toEqual(['web', 'provider', 'mailbox', 'smtp']);
  next.child.kill('SIGINT');
  expect(await next.exited).toBe(0);
  expect(await findOpenPorts(next)).toEqual([]);
  expect(await isPortOpen(port)).toBe(false);
  expect(isAlive(processId)).toBe(false);
  expect(existsSync(path.join(next.dataDirectory, 'postgres', 'postmaster.pid'))).toBe(false);
});

test('stopping a server is first reported to load balancers, and drops no requests of clients (O3)', async ({
  start,
  database,
}) => {
  const env = { DATABASE_URL: database.url, SECRET: secret, SHUTDOWN_DELAY_SECONDS: '2' };
  const server = await start({ command: systemdStart(), env: { ...env, LOG_LEVEL: 'silent' } });
  await server.ready();
  const status = async () => (await fetch(`http://127.0.0.1:${server.ports.web}/readyz`)).status;
  expect(await status()).toBe(200);
  const responses: number[] = [];
  const failures: string[] = [];
  const clients = Array.from({ length: 4 }, () => sendUntilRefused(server.ports.web, responses, failures));
  server.child.kill('SIGTERM');
  await expect.poll(status).toBe(503);
  const answeredBefore = responses.length;
  // A repeated SIGTERM of a service manager does not shorten the shutdown.
  server.child.kill('SIGTERM');
  expect(await status()).toBe(503);
  expect(await server.exited).toBe(0);
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(responses.length).toBeGreaterThan(answeredBefore);
  expect(new Set(responses)).toEqual(new Set([200]));
});

test('configured components are not embedded, and permissions of an existing DATA_DIR are tightened (O2, O4; security 15)', async ({
  start,
  database,
}) => {
  const dataDirectory = await createDataDirectory();
  await chmod(dataDirectory, 0o755);
  const server = await start({
    command: npmStart,
    dataDirectory,
    env: {
      ...provider,
      SMTP_URL: 'smtp://127.0.0.1:9',
      DATABASE_URL: database.url,
      SECRET: secret,
    },
  });
  await server.ready();
  expect(await findOpenPorts(server)).toEqual(['web']);
  expect((await fetch(`http://127.0.0.1:${server.ports.web}/readyz`)).status).toBe(200);
  for (const file of ['postgres', 'postgres.password', 'identity-provider.json'])
    expect(existsSync(path.join(dataDirectory, file)), file).toBe(false);
  // The permission to traverse the directory stays, because an existing embedded database may belong to another user.
  expect((await stat(dataDirectory)).mode & 0o777).toBe(0o711);
});

test('with the embedded defaults no port is reachable from other machines (L5)', async ({
  runningServer,
}) => {
  expect(await findOpenPorts(runningServer)).toEqual(['web', 'provider', 'mailbox', 'smtp']);
  for (const host of otherAddresses()) expect(await findOpenPorts(runningServer, host), host).toEqual([]);
});

test('files in DATA_DIR are not readable by other users (security 15)', async ({
  runningServer: { dataDirectory },
}) => {
  const entries = await readdir(dataDirectory, { recursive: true, withFileTypes: true });
  const modes = new Map<string, number>();
  for (const { parentPath, name } of entries) {
    const file = path.join(parentPath, name);
    // Temporary files of the database may be deleted meanwhile.
    const found = await stat(file).catch(() => undefined);
    if (found) modes.set(path.relative(dataDirectory, file), found.mode);
  }
  for (const name of [
    'secret',
    'postgres.password',
    'postgres.log',
    'server.log',
    'attachments',
    'identity-provider.json',
  ])
    expect(modes.has(name), name).toBe(true);
  const readable = [...modes].filter(([, mode]) => (mode & 0o077) !== 0).map(([name]) => name);
  expect(readable).toEqual([]);
  // The server has created the directory. If the server runs as root, the database runs as another user, who needs to traverse the
  // directory (0711) but not to list it.
  expect((await stat(dataDirectory)).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
});

test('with a public address the server refuses to start development components (O7, L5; security 68)', async ({
  start,
}) => {
  const dataDirectory = await createDataDirectory();
  const server = await start({ dataDirectory, env: { PUBLIC_URL: 'https://portal.example.com' } });
  expect(await server.exited).toBe(1);
  const [sentence, ...lines] = server.output().trimEnd().split('\n');
  expect(sentence).toBe('The configuration cannot be used. Correct these environment variables:');
  expect(lines.map((line) => /^ {2}(\w+): (?:is missing;|nothing says) /.exec(line)?.[1])).toEqual([
    'SIGN_IN_WITH',
    'SMTP_URL',
    'ADMIN_EMAIL',
  ]);
  expect(await findOpenPorts(server)).toEqual([]);
  expect(await readdir(server.dataDirectory)).toEqual([]);
});
