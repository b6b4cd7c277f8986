/** Shared setup of the integration tests: programs, temporary directories, servers, and calls as administrator. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startLocalProvider } from '../../e2e/fixtures/local-provider.ts';
import {
  removeDataDirectory,
  spawnServer,
  type ServerProcess,
} from '../../packages/testing/src/start-server.ts';

const secret = 'a secret of a trial, 32 characters or more';

const timeoutMs = 60_000;

export const report = (text: string) => console.log(`${new Date().toLocaleTimeString('en-GB')} ${text}`);

/** Runs a program and returns its stdout. Throws its output if it fails. */
export function run(command: string, parameters: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, parameters, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

/** Returns whether a port accepts connections. */
export async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

/** Runs a test in a temporary directory that other users may enter, then cleans up. */
export async function runTest(
  test: (directory: string, cleanup: AsyncDisposableStack) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'vestibule-integration-'));
  chmodSync(directory, 0o711);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rmSync(directory, { recursive: true, force: true }));
  await test(directory, cleanup);
}

/** Starts an identity provider. Returns the environment of a server that uses it, and a function that calls a server as administrator. */
export async function startProvider(cleanup: AsyncDisposableStack) {
  const provider = await startLocalProvider();
  cleanup.defer(() => void provider.close());
  const claims = { sub: 'administrator', emails: ['admin@example.com'], email_verified: true };
  const token = await provider.issueToken(claims);
  const settings = { SIGN_IN_WITH: 'b2c', SECRET: secret, SMTP_URL: 'off', LOG_LEVEL: 'warn' };
  return {
    environment: { ...provider.environment, ...settings },
    token,
    issueToken: (one: Parameters<typeof provider.issueToken>[0]) => provider.issueToken(one),
    call: (port: number, method: string, at: string, body?: unknown): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}${at}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      }),
  };
}

/** Starts a server and waits until it is ready; stops it and deletes its data with `cleanup`. */
export async function startServer(
  cleanup: AsyncDisposableStack,
  options: Parameters<typeof spawnServer>[0],
): Promise<ServerProcess> {
  const server = await spawnServer(options);
  cleanup.defer(() => removeDataDirectory(server.dataDirectory));
  cleanup.defer(() => server.stop());
  await server.ready();
  return server;
}
