/**
 * Chooses the directories of PostgreSQL's data and programs: normally the requested ones. As root, PostgreSQL runs as
 * another user, and files that this user cannot reach (such as a checkout below /root) are placed elsewhere. Existing
 * data is not moved.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StartUpError } from '../config/start-up-error.ts';
import { newId } from '../database/new-id.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { canExecute, findUser, getPostgresUser, isRoot, type PostgresUser } from './postgres-user.ts';

/** Directories, the user to run as (undefined: the current one) and a notice for the operator. */
export type PostgresLocation = {
  dataDirectory: string;
  binaries: PostgresBinaries;
  user: PostgresUser | undefined;
  notice: string | undefined;
};

/** Directory that every user may enter, for files that the database's user cannot reach elsewhere. */
const sharedDirectory = '/var/lib/vestibule';

/** Returns the location of data and programs. Creates the parent of the data directory, and copies programs if necessary. */
export async function prepareDataLocation(
  dataDirectory: string,
  binaries: PostgresBinaries,
  shared: string = sharedDirectory,
): Promise<PostgresLocation> {
  await mkdir(dirname(dataDirectory), { recursive: true });
  const exists = hasData(dataDirectory);
  const recordedLocation = exists ? undefined : await readLocation(dataDirectory);
  if (!isRoot()) {
    await requireOwnData(recordedLocation ?? dataDirectory);
    return { dataDirectory: recordedLocation ?? dataDirectory, binaries, user: undefined, notice: undefined };
  }
  const sharedData = recordedLocation ?? defaultSharedLocation(dataDirectory, shared);
  const user = await chooseUser(exists ? dataDirectory : sharedData);
  const isReachable = canExecute(user, dirname(dataDirectory));
  if (exists && !isReachable) {
    throw new StartUpError(
      `The database's user ${user.name} cannot enter ${dirname(dataDirectory)}. Let it (\`chmod o+x\` on that directory and those above), or set DATA_DIR to another directory.`,
    );
  }
  const usesShared = existsSync(sharedData) || !isReachable;
  const place: PostgresLocation = {
    dataDirectory: exists || !usesShared ? dataDirectory : sharedData,
    binaries: canExecute(user, binaries.postgres) ? binaries : await copyBinaries(binaries, shared),
    user,
    notice: undefined,
  };
  await makeTraversable(shared, dirname(place.dataDirectory));
  await giveToUser(place.dataDirectory, user);
  return { ...place, notice: describeLocation(place, dataDirectory, binaries) };
}

/**
 * Path of the file that contains the path of the data, if that is not the requested directory. The file is next to the
 * requested directory, so that deleting DATA_DIR deletes both.
 */
const locationFile = (dataDirectory: string) => `${dataDirectory}.place`;
/**
 * Path of the file that contains the path of the requested directory. The file is next to the data, so that a copy of the
 * requested directory does not include it.
 */
const ownerFile = (sharedData: string) => `${sharedData}.owner`;

const hasData = (dataDirectory: string) => existsSync(join(dataDirectory, 'PG_VERSION'));

/** Records where the data of a directory is, once it exists there. */
export async function recordLocation(
  { dataDirectory: sharedData }: PostgresLocation,
  dataDirectory: string,
): Promise<void> {
  if (sharedData === dataDirectory || !isRoot()) return;
  await writeFile(locationFile(dataDirectory), sharedData, { mode: 0o600 });
  await writeFile(ownerFile(sharedData), dataDirectory, { mode: 0o600 });
}

/**
 * Returns the place of a directory's data; undefined if the data is in the directory itself. Throws a StartUpError if
 * the place has no data, or if the directory is a copy of another directory that still uses the place. A directory that
 * was moved keeps its data.
 */
async function readLocation(dataDirectory: string): Promise<string | undefined> {
  const sharedData = await readPath(locationFile(dataDirectory));
  if (sharedData === undefined) return undefined;
  const startEmptyAdvice = `delete ${locationFile(dataDirectory)} to start with an empty database, into which a backup can be restored`;
  if (!hasData(sharedData))
    throw new StartUpError(
      `The database of ${dataDirectory} was placed in ${sharedData}, where this user finds none. Put it back there, start Vestibule as root, or ${startEmptyAdvice}.`,
    );
  const owner = (await readPath(ownerFile(sharedData))) ?? dataDirectory;
  const isUsed = (await readPath(locationFile(owner))) === sharedData;
  if (isUsed && !(await isSameDirectory(dirname(owner), dirname(dataDirectory))))
    throw new StartUpError(
      `The database of ${dataDirectory} is in ${sharedData} and belongs to ${owner}, of which this directory is a copy. Use ${owner}; delete ${locationFile(owner)} to give the database to the copy; or ${startEmptyAdvice}.`,
    );
  return sharedData;
}

async function readPath(file: string): Promise<string | undefined> {
  return existsSync(file) ? (await readFile(file, 'utf8')).trim() : undefined;
}

async function isSameDirectory(one: string, other: string): Promise<boolean> {
  const [{ dev, ino }, found] = [await stat(one), await stat(other)];
  return dev === found.dev && ino === found.ino;
}

/**
 * Returns the path of the data if there is no location file: the path that version 1.0.0 used, which wrote no such file,
 * or a new one.
 */
function defaultSharedLocation(dataDirectory: string, shared: string): string {
  const named = (name: string) => join(shared, name, basename(dataDirectory));
  const earlier = named(hash(dataDirectory));
  return existsSync(earlier) ? earlier : named(newId());
}

async function requireOwnData(dataDirectory: string): Promise<void> {
  const owner = await findOwner(dataDirectory);
  if (owner === undefined || process.getuid === undefined || owner === process.getuid()) return;
  throw new StartUpError(
    `The data directory ${dataDirectory} belongs to another user (${findUser(String(owner))?.name ?? owner}). Start Vestibule as that user or as root, give the directory to yourself with chown, or set DATA_DIR to another directory.`,
  );
}

/** Keeps the user of existing data, so that an ordinary user can start it again without root. */
async function chooseUser(dataDirectory: string): Promise<PostgresUser> {
  const owner = await findOwner(dataDirectory);
  const ownerUser = owner === undefined || owner === 0 ? undefined : findUser(String(owner));
  return ownerUser ?? getPostgresUser();
}

async function findOwner(path: string): Promise<number | undefined> {
  return existsSync(path) ? (await stat(path)).uid : undefined;
}

async function giveToUser(dataDirectory: string, user: PostgresUser): Promise<void> {
  if ((await findOwner(dataDirectory)) !== 0) return;
  const answer = spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, dataDirectory], { encoding: 'utf8' });
  if (answer.status !== 0) {
    throw new StartUpError(
      `The data directory ${dataDirectory} could not be given to ${user.name}: ${answer.stderr}`,
    );
  }
}

async function copyBinaries(binaries: PostgresBinaries, shared: string): Promise<PostgresBinaries> {
  const directory = join(shared, `postgresql-${binaries.version}-${hash(binaries.directory)}`);
  if (!existsSync(directory)) {
    await makeTraversable(shared, shared);
    // Copied under a temporary name and renamed, so that an interrupted copy is not used.
    const unfinished = `${directory}.copying-${process.pid}`;
    await cp(binaries.directory, unfinished, { recursive: true, verbatimSymlinks: true });
    await chmod(unfinished, 0o755);
    try {
      await rename(unfinished, directory);
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      if (!existsSync(directory)) throw error;
    }
  }
  const moved = (path: string) => join(directory, path.slice(binaries.directory.length));
  return {
    directory,
    postgres: moved(binaries.postgres),
    initdb: moved(binaries.initdb),
    pgCtl: moved(binaries.pgCtl),
    version: binaries.version,
  };
}

/**
 * Creates the shared directory and, if it is below that, `directory`. Other users may enter these, but not list them.
 */
async function makeTraversable(shared: string, directory: string): Promise<void> {
  if (directory !== shared && !directory.startsWith(join(shared, '/'))) return;
  for (const path of new Set([shared, directory])) {
    await mkdir(path, { recursive: true });
    await chmod(path, 0o711);
  }
}

function describeLocation(
  place: PostgresLocation,
  dataDirectory: string,
  binaries: PostgresBinaries,
): string | undefined {
  const moved = [
    place.dataDirectory === dataDirectory ? undefined : `its data is in ${place.dataDirectory}`,
    place.binaries.directory === binaries.directory
      ? undefined
      : `its programs are in ${place.binaries.directory}`,
  ].filter((part) => part !== undefined);
  if (moved.length === 0) return undefined;
  return `The database runs as the user ${place.user?.name}, who cannot enter the directory asked for: ${moved.join(' and ')}.`;
}

function hash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}
