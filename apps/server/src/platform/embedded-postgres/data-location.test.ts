// Location of PostgreSQL's files when Vestibule runs as root. Only root can create directories of other users, so other
// users skip these tests; embedded-postgres.test.ts covers their case.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../database/database.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { readPostmasterFile } from './postgres-lock.ts';
import { prepareDataLocation, recordLocation } from './data-location.ts';
import { getPostgresUser, isRoot } from './postgres-user.ts';

/** Time limit for copying PostgreSQL's 1,000 files on a busy machine. */
const copyTimeout = 60_000;

let directory: string;
let shared: string;

async function newDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'vestibule-place-'));
  await chmod(path, 0o711);
  return path;
}

// Shared by all tests: PostgreSQL's programs are copied there once if only root can enter the checkout.
beforeAll(async () => {
  shared = await newDirectory();
  if (isRoot())
    await prepareDataLocation(join(shared, 'unused', 'postgres'), await findPostgresBinaries(), shared);
}, copyTimeout);
afterAll(() => rm(shared, { recursive: true, force: true }));

beforeEach(async () => {
  directory = await newDirectory();
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe.runIf(isRoot())('as root', () => {
  test('the database server runs as another user, and does not start if that user can no longer reach existing data', async () => {
    const dataDirectory = join(directory, 'postgres');
    const server = await startEmbeddedPostgres(
      { dataDirectory },
      { sharedDirectory: shared, durable: false },
    );
    const file = await readPostmasterFile(dataDirectory);
    expect((await stat(`/proc/${file?.pid}`)).uid).toBe(getPostgresUser().uid);
    expect((await stat(dataDirectory)).uid).toBe(getPostgresUser().uid);
    await server.stop();
    // The notice may mention the location of the programs, depending on the permissions of the checkout.
    expect(server.notice ?? '').not.toContain('its data is in');
    await chmod(directory, 0o700);
    const again = startEmbeddedPostgres({ dataDirectory }, { sharedDirectory: shared, durable: false });
    await expect(again).rejects.toThrow(/cannot enter .* or set DATA_DIR/);
  });

  test('if only root can enter the configured directory, the data is stored elsewhere; the server reports the location and finds the data at the next start', async () => {
    const locked = join(directory, 'locked');
    await mkdir(locked, { mode: 0o700 });
    const start = () =>
      startEmbeddedPostgres(
        { dataDirectory: join(locked, 'postgres') },
        { sharedDirectory: shared, durable: false },
      );
    const first = await start();
    expect(first.notice).toContain(`its data is in ${shared}`);
    await run(first.url, 'create table kept as select 1 as one');
    await first.stop();
    // The permissions of the directory change in between: this must not create an empty database.
    await chmod(locked, 0o755);
    const second = await start();
    expect(await run(second.url, 'select one from kept')).toEqual([{ one: 1 }]);
    expect(second.notice).toBe(first.notice);
    await second.stop();
    expect(existsSync(join(locked, 'postgres'))).toBe(false);
  });

  describe('data stored outside of the configured directory', () => {
    let locked: string;
    beforeEach(() => {
      locked = join(directory, 'locked');
    });
    /** Places data for a directory that only root can enter, and returns its location. */
    async function place(parent = locked): Promise<string> {
      await mkdir(parent, { mode: 0o700, recursive: true });
      const requestedDirectory = join(parent, 'postgres');
      const placed = await prepareDataLocation(requestedDirectory, await findPostgresBinaries(), shared);
      await mkdir(placed.dataDirectory, { recursive: true });
      await writeFile(join(placed.dataDirectory, 'PG_VERSION'), '18\n');
      await recordLocation(placed, requestedDirectory);
      return placed.dataDirectory;
    }

    test('is found again until the configured directory is deleted', async () => {
      const first = await place();
      expect(await place()).toBe(first);
      await rm(locked, { recursive: true });
      const second = await place();
      expect(second).not.toBe(first);
      expect(await place()).toBe(second);
    });

    test('is found if version 1.0.0 stored it there', async () => {
      const name = createHash('sha256').update(join(locked, 'postgres')).digest('hex').slice(0, 12);
      const earlier = join(shared, name, 'postgres');
      await mkdir(earlier, { recursive: true });
      expect(await place()).toBe(earlier);
    });

    test('is found after the configured directory is renamed, and through a link to that directory', async () => {
      const first = await place();
      await symlink(locked, join(directory, 'link'));
      expect(await place(join(directory, 'link'))).toBe(first);
      await rm(join(directory, 'link'));
      await rename(locked, join(directory, 'moved'));
      expect(await place(join(directory, 'moved'))).toBe(first);
    });

    test('belongs to one directory: a copy of that directory is refused until one of the two `postgres.place` files is deleted', async () => {
      const original = await place();
      const copy = join(directory, 'copy');
      await cp(locked, copy, { recursive: true });
      await expect(place(copy)).rejects.toThrow(`belongs to ${join(locked, 'postgres')}, of which`);
      expect(await place()).toBe(original);

      await cp(copy, join(directory, 'empty'), { recursive: true });
      await rm(join(directory, 'empty', 'postgres.place'));
      expect(await place(join(directory, 'empty'))).not.toBe(original);
      await rm(join(locked, 'postgres.place'));
      expect(await place(copy)).toBe(original);
    });

    test('is not replaced by an empty database if it is missing; the server does not start', async () => {
      await rm(await place(), { recursive: true });
      await expect(place()).rejects.toThrow(/finds none\. Put it back there/);
    });
  });

  test(
    'PostgreSQL programs that the user of the database server cannot reach are copied, and the data stays in the configured directory',
    async () => {
      const binaries = await findPostgresBinaries();
      const locked = join(directory, 'locked');
      await mkdir(locked, { mode: 0o700 });
      await cp(binaries.directory, join(locked, 'native'), { recursive: true, verbatimSymlinks: true });
      const inLocked = (path: string) => path.replace(binaries.directory, join(locked, 'native'));
      const lockedBinaries = {
        directory: inLocked(binaries.directory),
        postgres: inLocked(binaries.postgres),
        initdb: inLocked(binaries.initdb),
        pgCtl: inLocked(binaries.pgCtl),
        version: binaries.version,
      };
      const place = await prepareDataLocation(join(directory, 'postgres'), lockedBinaries, shared);
      expect(place.notice).toContain(`its programs are in ${shared}`);
      expect(place.notice).not.toContain('its data is in');
      expect(place.dataDirectory).toBe(join(directory, 'postgres'));
      const asUser = { uid: place.user?.uid, gid: place.user?.gid, cwd: '/', encoding: 'utf8' } as const;
      expect(spawnSync(lockedBinaries.postgres, ['--version'], asUser).error).toBeDefined();
      expect(execFileSync(place.binaries.postgres, ['--version'], asUser)).toContain(binaries.version);
    },
    copyTimeout,
  );

  test('the database server runs as the user that owns existing data', async () => {
    const dataDirectory = join(directory, 'postgres');
    const uid = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
    await mkdir(dataDirectory);
    await writeFile(join(dataDirectory, 'PG_VERSION'), '18\n');
    await chown(dataDirectory, uid, uid);
    const place = await prepareDataLocation(dataDirectory, await findPostgresBinaries(), shared);
    expect(place.user?.uid).toBe(uid);
  });
});

async function run(url: string, text: string): Promise<unknown[]> {
  const database = openDatabase(url);
  try {
    return (await database.query({ text })).rows;
  } finally {
    await database.end();
  }
}
