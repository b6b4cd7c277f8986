/** `test` for server processes, with a separate database, and port checks. */
import { test as base } from '@playwright/test';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
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
} from '../../packages/testing/src/start-server.ts';

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
  /** Starts servers, in new data directories by default; stops them and deletes their data after the test. */
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
  /** A server with the embedded defaults in a data directory that it created. */
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
  /** A database outside the server's data directory. */
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

export function isPortOpen(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 2_000 });
    const response = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => response(true));
    socket.once('timeout', () => response(false));
    socket.once('error', () => response(false));
  });
}

/** Returns the server's ports that accept connections at an address. */
export async function findOpenPorts({ ports }: ServerProcess, host?: string): Promise<string[]> {
  const responses = await Promise.all(
    Object.entries(ports).map(async ([name, port]) => ((await isPortOpen(port, host)) ? [name] : [])),
  );
  return responses.flat();
}

/** Returns addresses of this machine other than 127.0.0.1. */
export function otherAddresses(): string[] {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
  // On Linux all of 127.0.0.0/8 is local, also without a network.
  return ['127.0.0.2', ...outside];
}
