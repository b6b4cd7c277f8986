// Location of PostgreSQL's files when Vestibule runs as root. Only root can create directories of other users, so other
// users skip these tests; embedded-postgres.test.ts covers their case.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../database/database.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { readPostmasterFile } from './postgres-process.ts';
import { getPostgresUser, isRoot, prepareDataLocation, programFor } from './data-location.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vestibule-place-'));
  await chmod(directory, 0o711);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe.runIf(isRoot())('as root', () => {
  test('the database server runs as another user, also if only root can enter the directory of its data', async () => {
    const dataDirectory = join(directory, 'postgres');
    const start = () => startEmbeddedPostgres({ dataDirectory }, { durable: false });
    const first = await start();
    const file = await readPostmasterFile(dataDirectory);
    expect((await stat(`/proc/${file?.pid}`)).uid).toBe(getPostgresUser().uid);
    expect((await stat(dataDirectory)).uid).toBe(getPostgresUser().uid);
    await run(first.url, 'create table kept as select 1 as one');
    await first.stop();
    await chmod(directory, 0o700);
    const second = await start();
    expect(await run(second.url, 'select one from kept')).toEqual([{ one: 1 }]);
    await second.stop();
  });

  test('PostgreSQL programs that only root can reach run as another user', async () => {
    const { initdb, ...binaries } = await findPostgresBinaries();
    const locked = join(directory, 'locked');
    await mkdir(locked, { mode: 0o700 });
    const native = join(initdb, '..', '..');
    await cp(native, join(locked, 'native'), { recursive: true, verbatimSymlinks: true });
    const lockedInitdb = join(locked, 'native', 'bin', 'initdb');
    const postgres = join(locked, 'native', 'bin', 'postgres');
    const place = await prepareDataLocation(join(directory, 'postgres'), {
      ...binaries,
      initdb: lockedInitdb,
      postgres,
    });
    expect(() => execFileSync(postgres, ['--version'], { uid: place.user?.uid, cwd: '/' })).toThrow();
    const [command, parameters] = programFor(place.runAs, lockedInitdb, ['--version']);
    expect(execFileSync(command, parameters, { ...place.runAs.options, encoding: 'utf8' })).toContain(
      binaries.version,
    );
  });

  test('data that version 1.0.0 stored outside of the configured directory is found', async () => {
    const dataDirectory = join(directory, 'locked', 'postgres');
    const name = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 12);
    const earlier = join(directory, 'shared', name, 'postgres');
    await mkdir(earlier, { recursive: true });
    const binaries = await findPostgresBinaries();
    const place = await prepareDataLocation(dataDirectory, binaries, join(directory, 'shared'));
    expect(place.dataDirectory).toBe(earlier);
  });

  test('the database server runs as the user that owns existing data', async () => {
    const dataDirectory = join(directory, 'postgres');
    const uid = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
    await mkdir(dataDirectory);
    await writeFile(join(dataDirectory, 'PG_VERSION'), '18\n');
    await chown(dataDirectory, uid, uid);
    const place = await prepareDataLocation(dataDirectory, await findPostgresBinaries());
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
