/**
 * Measures `npm run backup` and `npm run restore` of a large site, including process start. Incompressible files are compared with
 * a plain copy that hashes, people with PostgreSQL's own COPY. Needs four times the size of the files on disk.
 */
import { execFile } from 'node:child_process';
import { createHash, randomFillSync, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { connectForCopy, listTables } from '../../apps/server/src/platform/backup/database-copy.ts';
import { readConfig } from '../../apps/server/src/platform/config/read-config.ts';
import { decryptSiteKey } from '../../apps/server/src/platform/config/site-key.ts';
import { openDatabase } from '../../apps/server/src/platform/database/database.ts';
import { migrate } from '../../apps/server/src/platform/database/migrate.ts';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { installMailQueue } from '../../apps/server/src/platform/mail/mail-queue.ts';
import { createStorage } from '../../apps/server/src/platform/storage/create-storage.ts';
import type { FileStorage } from '../../apps/server/src/platform/storage/storage.ts';
import { createDataDirectory, removeDataDirectory } from '../../e2e/fixtures/start-server.ts';
import { printFigures, formatWithUnit, type Figure, type Unit } from '../report/figure.ts';
import { isTrial, options } from '../report/options.ts';
import { residentMegabytes, root } from '../harness/child-process.ts';
import { seedPeople } from '../harness/seed-people.ts';
import { benchSecret } from '../harness/bench-site.ts';
import { fillWithoutIndexes } from '../harness/fill-without-indexes.ts';

const fileMegabytes = 100;
const fileCount = isTrial ? 2 : 100;
/** Longer than the window of a compressor, so that repetitions cannot be compressed. */
const incompressibleBytes = randomFillSync(Buffer.alloc(64_000_000));
const largeTables = ['people', 'identities'];

type Site = { url: string; database: pg.Pool; environment: Record<string, string> };
type CommandResult = { seconds: number; peakMegabytes: number };

export async function measureBackup(): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const directory = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(directory));
  const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(directory, 'postgres') });
  cleanup.defer(() => postgres.stop());

  /** Creates a database on the same server; migrates it unless `isEmpty`. */
  const createSite = async (name: string, { isEmpty }: { isEmpty: boolean }): Promise<Site> => {
    const administrator = new pg.Client(postgres.administratorUrl);
    await administrator.connect();
    await administrator.query(`create database ${name}`);
    await administrator.end();
    const url = Object.assign(new URL(postgres.administratorUrl), { pathname: `/${name}` }).href;
    const database = new pg.Pool({ connectionString: url, max: 2 });
    cleanup.defer(() => database.end());
    if (!isEmpty) {
      await migrate({ url, variable: 'DATABASE_URL' }, path.join(root, 'apps', 'server', 'migrations'));
      await installMailQueue(url);
      const serverDatabase = openDatabase(url, { maxConnections: 1 });
      await decryptSiteKey(serverDatabase, { current: benchSecret, previous: null });
      await serverDatabase.end();
    }
    const dataDirectory = path.join(directory, name);
    const environment = {
      DATABASE_URL: url,
      SECRET: benchSecret.toString(),
      DATA_DIR: dataDirectory,
    };
    return { url, database, environment };
  };

  return [
    ...(await measureFiles(directory, await createSite('files', { isEmpty: false }), () =>
      createSite('files_restored', { isEmpty: true }),
    )),
    ...(await measurePeople(
      directory,
      await createSite('people', { isEmpty: false }),
      await createSite('people_restored', { isEmpty: true }),
      await createSite('people_copied', { isEmpty: false }),
    )),
  ];
}

async function measureFiles(
  directory: string,
  site: Site,
  createTarget: () => Promise<Site>,
): Promise<Figure[]> {
  const storage = await createStorage(readConfig(site.environment));
  const ids = await storeFiles(storage, site.database);
  const megabytes = fileCount * fileMegabytes;
  const copies = path.join(directory, 'copies');
  await mkdir(copies);
  const plainSeconds = await measureSeconds(async () => {
    for (const id of ids) await copyAndHash((await storage.read(id)) as Readable, path.join(copies, id));
  });
  await rm(copies, { recursive: true });
  const file = path.join(directory, 'files.backup');
  const backup = await runSiteCommand('backup.ts', [file, '--with-files'], site.environment);
  const target = await createTarget();
  const restore = await runSiteCommand('restore.ts', [file], target.environment);
  await rm(file);
  for (const { environment } of [site, target])
    await rm(environment['DATA_DIR'] as string, { recursive: true });
  const baseline = `a copy that hashes: ${formatWithUnit(megabytes / plainSeconds, 'MB/s')}`;
  return [
    ...createFigures(
      `backup of ${formatWithUnit(megabytes / 1000, 'GB')} of files`,
      backup,
      [megabytes, 'MB/s'],
      baseline,
    ),
    ...createFigures(`restore of them`, restore, [megabytes, 'MB/s'], baseline),
  ];
}

async function measurePeople(
  directory: string,
  site: Site,
  target: Site,
  copyTarget: Site,
): Promise<Figure[]> {
  await seedPeople(site.database, { people: options.people, issuer: 'https://provider.example' });
  // COPY runs as the postgres user, which can only write to its data directory.
  const copyPath = (table: string) => path.join(directory, 'postgres', `${table}.copy`);
  const connection = await connectForCopy({ url: site.url, variable: 'DATABASE_URL' }, '');
  const tables = (await listTables(connection)).filter(({ name }) => largeTables.includes(name));
  await connection.end();
  const copyOutSeconds = await measureSeconds(async () => {
    for (const { name, columns } of tables)
      await site.database.query(`copy ${name} (${columns.join(', ')}) to '${copyPath(name)}'`);
  });
  const copyInSeconds = await measureSeconds(async () => {
    for (const { name, columns } of tables)
      await fillWithoutIndexes(copyTarget.database, name, async (client) => {
        await client.query(`alter table ${name} disable trigger user`);
        await client.query(`copy ${name} (${columns.join(', ')}) from '${copyPath(name)}'`);
      });
  });
  const file = path.join(directory, 'people.backup');
  const backup = await runSiteCommand('backup.ts', [file], site.environment);
  const restore = await runSiteCommand('restore.ts', [file], target.environment);
  const rows = options.people * largeTables.length;
  const baseline = (seconds: number) => `PostgreSQL's own COPY: ${formatWithUnit(rows / seconds, '/s')}`;
  return [
    ...createFigures(
      `backup of ${options.people.toLocaleString('en-US')} people, rows`,
      backup,
      [rows, '/s'],
      baseline(copyOutSeconds),
    ),
    { name: '… its file', measured: (await stat(file)).size / 1e6, unit: 'MB' },
    ...createFigures('restore of them, rows', restore, [rows, '/s'], baseline(copyInSeconds)),
  ];
}

function createFigures(
  name: string,
  { seconds, peakMegabytes }: CommandResult,
  [amount, unit]: [number, Unit],
  baseline: string,
): Figure[] {
  return [
    { name, measured: amount / seconds, unit, note: formatWithUnit(seconds, 's'), baseline },
    { name: '… memory of the command, at most', measured: peakMegabytes, unit: 'MB' },
  ];
}

async function storeFiles(storage: FileStorage, database: pg.Pool): Promise<string[]> {
  const ids = Array.from({ length: fileCount }, () => randomUUID());
  const size = fileMegabytes * 1_000_000;
  for (const [index, id] of ids.entries()) {
    const hash = createHash('sha256');
    await storage.create(id, size);
    await storage.append(
      id,
      0,
      (async function* () {
        const piece = 1_000_000;
        for (let at = index * size; at < (index + 1) * size; at += piece) {
          const bytes = incompressibleBytes.subarray(
            at % incompressibleBytes.length,
            (at % incompressibleBytes.length) + piece,
          );
          hash.update(bytes);
          yield bytes;
        }
      })(),
    );
    await (await storage.seal(id, false))?.publish();
    await database.query(
      `insert into attachments (id, owner_name, owner_email, name, type, kind, size, sha256, status, created_at, verified_at)
       values ($1, 'Ada', 'ada@example.com', $2, 'application/zip', 'other', $3, $4, 'ready', now(), now())`,
      [id, `${index}.zip`, size, hash.digest()],
    );
  }
  return ids;
}

async function copyAndHash(bytes: Readable, to: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(
    bytes,
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(to, { flush: true }),
  );
}

/** Runs a script of tools/site with only the given environment. Rejects with its output if it fails. */
async function runSiteCommand(
  script: string,
  parameters: string[],
  environment: Record<string, string>,
): Promise<CommandResult> {
  const running = promisify(execFile)(
    process.execPath,
    [path.join(root, 'tools', 'site', script), ...parameters],
    { env: { PATH: process.env['PATH'], ...environment } },
  );
  let peakMegabytes = 0;
  const sampling = setInterval(() => {
    void residentMegabytes(running.child.pid as number).then(
      (now) => (peakMegabytes = now > peakMegabytes ? now : peakMegabytes),
    );
  }, 200);
  try {
    return { seconds: await measureSeconds(() => running), peakMegabytes };
  } finally {
    clearInterval(sampling);
  }
}

async function measureSeconds(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return (performance.now() - startedAt) / 1000;
}

if (import.meta.main) {
  if (isTrial) console.log('Trial run: figures are not comparable.');
  printFigures(await measureBackup());
}
