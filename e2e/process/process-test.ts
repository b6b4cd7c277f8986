/** What journeys of a process stand on: servers of their own, a database that is none of theirs, and which ports take connections. */
import { test as base } from '@playwright/test';
import { connect } from 'node:net';
import path from 'node:path';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import {
  createDataDirectory,
  removeDataDirectory,
  spawnServer,
  type ServerProcess,
} from '../fixtures/start-server.ts';

export { expect } from '@playwright/test';

type Start = typeof spawnServer;
type Fixtures = { start: Start };
type WorkerFixtures = { database: EmbeddedPostgres; runningServer: ServerProcess };

export const secret = 'a secret that these tests alone use';
export const provider = {
  AUTH_BASE_URL: 'https://contoso.b2clogin.com',
  TENANT_NAME: 'contoso',
  CLIENT_ID: '90c0fe63-bcf2-44d5-8fb7-b8bbc0b29dc6',
  API_SCOPES: 'https://contoso.onmicrosoft.com/api/access',
  SIGN_IN_POLICY: 'B2C_1A_signin',
  SIGN_UP_POLICY: 'B2C_1A_signup_invitation',
  RESET_PASSWORD_POLICY: 'B2C_1A_passwordreset',
};
export const test = base.extend<Fixtures, WorkerFixtures>({
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
  runningServer: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from a pattern.
    async ({}, use) => {
      const parent = await createDataDirectory();
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
      const directory = await createDataDirectory();
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
export function isPortOpen(port: number, host = '127.0.0.1'): Promise<boolean> {
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

/** Which of a server's ports take connections at an address. */
export async function findOpenPorts({ ports }: ServerProcess, host?: string): Promise<string[]> {
  const answers = await Promise.all(
    Object.entries(ports).map(async ([name, port]) => ((await isPortOpen(port, host)) ? [name] : [])),
  );
  return answers.flat();
}
