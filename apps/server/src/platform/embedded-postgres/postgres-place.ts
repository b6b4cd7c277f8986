/**
 * Decides where PostgreSQL's data and programs are. Usually where they were asked for; as root, PostgreSQL runs
 * as another user, and what that user cannot reach (a checkout below /root) is placed where it can. It moves no
 * data that exists already.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StartUpError } from '../config/start-up-error.ts';
import { newId } from '../database/new-id.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { canReach, findUser, getPostgresUser, isRoot, type PostgresUser } from './postgres-user.ts';

/** Where to run PostgreSQL, as whom (undefined: as ourselves), and what to tell the person about it. */
export type PostgresPlace = {
  dataDirectory: string;
  binaries: PostgresBinaries;
  user: PostgresUser | undefined;
  notice: string | undefined;
};

/** Where everyone may enter, for what the database's user cannot reach elsewhere. */
const sharedDirectory = '/var/lib/vestibule';

/** Finds or makes the place; the parent of the data directory exists afterwards. */
export async function preparePlace(
  dataDirectory: string,
  binaries: PostgresBinaries,
  shared: string = sharedDirectory,
): Promise<PostgresPlace> {
  await mkdir(dirname(dataDirectory), { recursive: true });
  if (!isRoot()) {
    await requireOwnData(dataDirectory);
    return { dataDirectory, binaries, user: undefined, notice: undefined };
  }
  const placedData = await findPlaced(dataDirectory, shared);
  const exists = existsSync(join(dataDirectory, 'PG_VERSION'));
  const user = await chooseUser(exists ? dataDirectory : placedData);
  const reachable = canReach(user, dirname(dataDirectory));
  if (exists && !reachable) {
    throw new StartUpError(
      `The database's user ${user.name} cannot enter ${dirname(dataDirectory)}. Let it (\`chmod o+x\` on that directory and those above), or set DATA_DIR to another directory.`,
    );
  }
  const useShared = existsSync(placedData) || !reachable;
  const place: PostgresPlace = {
    dataDirectory: exists || !useShared ? dataDirectory : placedData,
    binaries: canReach(user, binaries.postgres) ? binaries : await copyBinaries(binaries, shared),
    user,
    notice: undefined,
  };
  if (place.dataDirectory === placedData)
    await writeFile(placeFile(dataDirectory), placedData, { mode: 0o600 });
  await makeEnterable(shared, dirname(place.dataDirectory));
  await giveToUser(place.dataDirectory, user);
  return { ...place, notice: describePlace(place, dataDirectory, binaries) };
}

/** Says where data is that is not where it was asked for. It stands beside that, so that whoever deletes all of it begins anew. */
const placeFile = (dataDirectory: string) => `${dataDirectory}.place`;

/** Where data is, or would be, that its user cannot reach. */
async function findPlaced(dataDirectory: string, shared: string): Promise<string> {
  const named = (name: string) => join(shared, name, basename(dataDirectory));
  const file = placeFile(dataDirectory);
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  // Of earlier versions, which left no file.
  const unnamed = named(hash(dataDirectory));
  return existsSync(unnamed) ? unnamed : named(newId());
}

async function requireOwnData(dataDirectory: string): Promise<void> {
  const owner = await findOwner(dataDirectory);
  if (owner === undefined || process.getuid === undefined || owner === process.getuid()) return;
  throw new StartUpError(
    `The data directory ${dataDirectory} belongs to another user (${findUser(String(owner))?.name ?? owner}). Start Vestibule as that user or as root, give the directory to yourself with chown, or set DATA_DIR to another directory.`,
  );
}

/** Data that an ordinary user created stays theirs, so that they can start it again without root. */
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
    await makeEnterable(shared, shared);
    // Copied beside and renamed, so that a copy that was interrupted is never taken for a whole one.
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

/** Makes our shared directory and, when `directory` is below it, that too; others may enter but not list it. */
async function makeEnterable(shared: string, directory: string): Promise<void> {
  if (directory !== shared && !directory.startsWith(join(shared, '/'))) return;
  for (const path of new Set([shared, directory])) {
    await mkdir(path, { recursive: true });
    await chmod(path, 0o711);
  }
}

function describePlace(
  place: PostgresPlace,
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
