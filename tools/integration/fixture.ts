/** Shared setup of the integration tests: temporary directories, servers, API calls as administrator, and stored figures. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { benchmarksPagePath, describeMachine, replaceFigures } from '../../bench/report/benchmarks-page.ts';
import type { Figure } from '../../bench/report/figure.ts';
import { startLocalProvider } from '../../bench/harness/local-provider.ts';
import {
  removeDataDirectory,
  spawnServer,
  type Environment,
  type ServerProcess,
} from '../../e2e/fixtures/start-server.ts';

export const secret = 'a secret of a trial, 32 characters or more';

const timeoutMs = 60_000;

export const report = (text: string) => console.log(text);
export const reportWithTime = (text: string) => report(`${new Date().toLocaleTimeString('en-GB')} ${text}`);

/** Runs `attempt` in a temporary directory that other users may enter, then deletes the directory. */
export async function withTemporaryDirectory<Result>(
  name: string,
  attempt: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(path.join(tmpdir(), `vestibule-${name}-`));
  chmodSync(directory, 0o711);
  try {
    return await attempt(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Starts an identity provider. Returns the environment of a server that uses it, and the token of an administrator. */
export async function startProvider(cleanup: AsyncDisposableStack, email = 'admin@example.com') {
  const provider = await startLocalProvider();
  cleanup.defer(() => void provider.close());
  const token = await provider.issueToken({ sub: 'administrator', emails: [email], email_verified: true });
  const others = { SIGN_IN_WITH: 'b2c', SECRET: secret, SMTP_URL: 'off', LOG_LEVEL: 'warn' };
  return { token, environment: { ...provider.environment, ...others } };
}

/** Starts a server without waiting for it; stops it and deletes its data with `cleanup`. */
export async function startServer(
  cleanup: AsyncDisposableStack,
  options: Parameters<typeof spawnServer>[0],
): Promise<ServerProcess> {
  const server = await spawnServer(options);
  cleanup.defer(() => removeDataDirectory(server.dataDirectory));
  cleanup.defer(() => server.stop());
  return server;
}

export function createCaller(token: string) {
  return (server: ServerProcess | undefined, method: string, at: string, body?: unknown): Promise<Response> =>
    fetch(`http://127.0.0.1:${server?.ports.web}${at}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
}

export async function readStartError(env: Environment): Promise<string> {
  await using cleanup = new AsyncDisposableStack();
  const server = await startServer(cleanup, {
    env: { SECRET: secret, SMTP_URL: 'off', LOG_LEVEL: 'warn', ...env },
  });
  assert.equal(await server.exited, 1, server.output());
  assert.doesNotMatch(server.output(), /node:internal|^ {4}at /m);
  return server.output().trim();
}

export function readLoggedErrors(servers: ServerProcess[]): string[] {
  const lines = servers.flatMap(({ output }) => output().split('\n'));
  return lines.filter((line) => line.includes('"level":50'));
}

export function storeFigures(measurement: string, figures: Figure[]): void {
  const page = readFileSync(benchmarksPagePath, 'utf8');
  writeFileSync(benchmarksPagePath, replaceFigures(page, measurement, figures, describeMachine()));
}
