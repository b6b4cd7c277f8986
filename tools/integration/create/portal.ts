/** Part of create.ts: a portal that `npm create` has made from the packed packages, and its commands. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectToSite } from '../../../packages/testing/src/site.ts';
import { spawnServer, type Environment } from '../../../packages/testing/src/start-server.ts';
import { report } from '../fixture.ts';

export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const maxFiles = 15;
/** A start may include a build of the web application, which takes minutes if other programs use the processors. */
const startTimeoutMs = 10 * 60_000;
const stopTimeoutMs = 60_000;

export type PortalSite = Awaited<ReturnType<typeof connectToSite>>;
export type Portal = ReturnType<typeof openPortal>;
type StartOptions = { dataDirectory?: string; env?: Environment; command?: string[] };

/** Creates a portal as a user does and installs its packages. */
export async function createPortal(directory: string, registryUrl: string): Promise<Portal> {
  const created = await runNpm(
    directory,
    {},
    'create',
    '--yes',
    `--registry=${registryUrl}`,
    'vestibule@latest',
    'my-portal',
  );
  assert.match(created, /cd my-portal\s+npm install\s+npm start/);
  const portal = path.join(directory, 'my-portal');
  const files = readdirSync(portal, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  assert.ok(files.length <= maxFiles, `At most ${maxFiles} files are expected, not ${files.length}.`);
  report(`npm create: ${files.length} files`);
  writeFileSync(path.join(portal, '.npmrc'), `@vestibule:registry=${registryUrl}\n`);
  // Third-party packages that this machine has downloaded already are not requested again.
  await runNpm(portal, {}, 'install', '--no-audit', '--no-fund', '--prefer-offline');
  report('npm install');
  return openPortal(portal);
}

/** Returns the operations on an installed portal. Its data is in a directory next to it. */
export function openPortal(directory: string) {
  const dataDirectory = path.join(directory, '..', 'data');
  const start = ({ command = [npm, 'start'], ...options }: StartOptions = {}) =>
    spawnServer({ root: directory, command, dataDirectory, ...options });

  return {
    directory,
    dataDirectory,
    file: (...names: string[]) => path.join(directory, ...names),
    /** Runs npm and returns its output. Throws the output if it fails. */
    npm: (...parameters: string[]) => runNpm(directory, {}, ...parameters),
    npmWith: (env: Environment, ...parameters: string[]) => runNpm(directory, env, ...parameters),
    start,

    /** Runs `use` with the started portal, and stops it. */
    async withSite<Result>(
      use: (site: PortalSite) => Promise<Result>,
      options?: StartOptions,
    ): Promise<Result> {
      const server = await start(options);
      try {
        await server.ready(startTimeoutMs);
        return await use(await connectToSite(server));
      } finally {
        await server.stop();
        await waitUntilDatabaseStopped(server.dataDirectory);
      }
    },

    /** Starts the portal, which has to fail without a stack trace. Returns its output. */
    async readStartError(): Promise<string> {
      const server = await start();
      assert.equal(await server.exited, 1, `The start has to fail: ${server.output()}`);
      return server.output();
    },

    /** Replaces text in a file. Throws if the file does not contain it. */
    edit(file: string, from: string, to: string): void {
      const content = readFileSync(path.join(directory, file), 'utf8');
      assert.ok(content.includes(from), `${file} has to contain ${from}.`);
      writeFileSync(path.join(directory, file), content.replaceAll(from, to));
    },
  };
}

/** npm may exit before the server: its shell ends at a signal without waiting for the program. */
async function waitUntilDatabaseStopped(data: string): Promise<void> {
  const deadline = Date.now() + stopTimeoutMs;
  while (existsSync(path.join(data, 'postgres', 'postmaster.pid'))) {
    assert.ok(Date.now() < deadline, 'The database has to stop with the portal.');
    await delay(100);
  }
}

/** Asynchronous, because this process serves the packages. */
async function runNpm(cwd: string, env: Environment, ...parameters: string[]): Promise<string> {
  try {
    const options = {
      cwd,
      env: { ...process.env, ...env },
      maxBuffer: 2 ** 28,
      shell: process.platform === 'win32',
    };
    return (await promisify(execFile)(npm, parameters, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`npm ${parameters.join(' ')}:\n${stdout}${stderr}`, { cause: error });
  }
}
