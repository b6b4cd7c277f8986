/**
 * `node tools/integration/create.ts [STEP…]`: packs all packages, creates a portal from them in an empty directory and installs it. Then, or
 * only in the named steps, it starts, tests and builds the portal, restores a backup of it, removes its extension, and updates it to the
 * next minor and major version. Third-party packages come from the npm registry. Part of the release (tools/release).
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findBrowser } from '../../packages/cli/src/browser.ts';
import { root } from '../install.mjs';
import { packAll } from '../release/pack.ts';
import { checkMajorUpdate, checkMinorUpdate } from './create/check-updates.ts';
import { createPortal } from './create/portal.ts';
import { addMigration, breakExtensionApi, deriveRelease } from './create/releases.ts';
import { report, runTest } from './fixture.ts';
import { startRegistry } from './registry.ts';

const localSteps = path.join(import.meta.dirname, 'create', 'local-steps.ts');
const selected = process.argv.slice(2);
const isSelected = (step: string) => selected.length === 0 || selected.includes(step);

await runTest(async (directory, cleanup) => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const [major, minor] = version.split('.').map(Number) as [number, number];
  const nextMinor = `${major}.${minor + 1}.0`;
  const nextMajor = `${major + 1}.0.0`;
  const registry = await startRegistry();
  cleanup.defer(() => registry.close());
  const tarballs = await packAll(path.join(directory, 'tarballs'), version);
  await registry.add(tarballs.values());
  report('all packages are packed');
  const portal = await createPortal(directory, registry.url);
  // Installs it if it is missing, which needs a network.
  await findBrowser();

  await runWithoutNetwork([process.execPath, localSteps, portal.directory, ...selected]);
  if (isSelected('minor')) {
    await registry.add(deriveRelease(tarballs, path.join(directory, 'minor'), nextMinor, addMigration));
    await checkMinorUpdate(portal, nextMinor);
  }
  if (isSelected('major')) {
    await registry.add(deriveRelease(tarballs, path.join(directory, 'major'), nextMajor, breakExtensionApi));
    await checkMajorUpdate(portal, nextMajor);
  }
});

/** Runs a program with a loopback interface only. With network if this machine does not permit that: Linux does for root. */
async function runWithoutNetwork(command: string[]): Promise<void> {
  const enable = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const [program = '', ...parameters] = enable;
  const isPermitted = spawnSync(program, [...parameters, 'true']).status === 0;
  report(`the next steps run ${isPermitted ? 'without' : 'with'} network`);
  const [first = '', ...rest] = isPermitted ? [...enable, ...command] : command;
  const child = spawn(first, rest, { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The steps of ${command[1]} failed.`);
}
