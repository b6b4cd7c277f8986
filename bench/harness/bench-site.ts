/**
 * The site that API measurements use: embedded PostgreSQL with seeded people, the server configured as in production, and the
 * baseline server in another process.
 */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { compileCache, serverFlags } from '../../tools/server-flags.mjs';
import { findFreePorts, createDataDirectory, removeDataDirectory } from '../../e2e/fixtures/start-server.ts';
import { processorSeconds, residentMegabytes, root, startChild } from './child-process.ts';
import { flushDatabase } from './prepare-machine.ts';
import { startDelayedMailServer } from './delayed-mail-server.ts';
import { printFigures, type Figure } from '../report/figure.ts';
import { startLocalProvider, type LocalProvider } from './local-provider.ts';
import { isTrial, options } from '../report/options.ts';
import { seededSubject, seedPeople } from './seed-people.ts';

export type BenchSite = {
  url: string;
  baselineUrl: string;
  database: pg.Pool;
  databaseUrl: string;
  provider: LocalProvider;
  tokens: string[];
  /** MB of the server process: three seconds after start, and the peak since. */
  memory: { afterStart: number; peak: number };
  processorSeconds: () => Promise<number>;
};

const tokenCount = 50;
export const benchSecret = Buffer.from('a secret of the bench, 32 characters or more');

export async function withBenchSite<Result>(measure: (site: BenchSite) => Promise<Result>): Promise<Result> {
  await using cleanup = new AsyncDisposableStack();
  const directory = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(directory));
  const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(directory, 'postgres') });
  cleanup.defer(() => postgres.stop());
  const provider = await startLocalProvider();
  cleanup.defer(() => void provider.close());
  const mailServer = await startDelayedMailServer();
  cleanup.defer(() => mailServer.close());

  const { web: port } = await findFreePorts();
  const url = `http://127.0.0.1:${port}`;
  const application = await startChild(
    process.execPath,
    [...serverFlags, path.join(root, 'apps/server/src/main.ts')],
    {
      ready: / is ready: /,
      environment: {
        ...provider.environment,
        NODE_COMPILE_CACHE: compileCache,
        PORT: String(port),
        DATABASE_URL: postgres.url,
        DATA_DIR: directory,
        SECRET: benchSecret.toString(),
        SMTP_URL: mailServer.smtpUrl,
        WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes',
      },
    },
  );
  cleanup.defer(async () => void (await application.stop()));
  await delay(3_000);
  const memory = { afterStart: await residentMegabytes(application.pid), peak: 0 };
  const sampling = setInterval(() => {
    void residentMegabytes(application.pid).then((now) => (memory.peak = Math.max(memory.peak, now)));
  }, 200);
  cleanup.defer(() => clearInterval(sampling));

  const database = new pg.Pool({ connectionString: postgres.url, max: 4 });
  cleanup.defer(() => database.end());
  const seededAt = performance.now();
  await seedPeople(database, { people: options.people, issuer: provider.issuer });
  console.log(
    `${options.people.toLocaleString('en-US')} people, written in ${Math.round((performance.now() - seededAt) / 1000)} s.`,
  );
  await flushDatabase(postgres.administratorUrl);
  const baseline = await startChild(
    process.execPath,
    [path.join(root, 'bench/harness/baseline-server.ts'), postgres.url, provider.issuer],
    { ready: /http:\S+/ },
  );
  cleanup.defer(async () => void (await baseline.stop()));

  const tokens = await Promise.all(
    Array.from({ length: tokenCount }, (_, number) => provider.issueToken({ sub: seededSubject(number) })),
  );
  return await measure({
    url,
    baselineUrl: baseline.match[0],
    database,
    databaseUrl: postgres.url,
    provider,
    tokens,
    memory,
    processorSeconds: () => processorSeconds(application.pid),
  });
}

/** Returns responses per second, and the processor time of the server per response, which other load affects less. */
export async function measureWithProcessorTime(
  { processorSeconds: readProcessorSeconds }: BenchSite,
  count: number,
  load: () => Promise<number>,
): Promise<{ perSecond: number; serverMs: number }> {
  const before = await readProcessorSeconds();
  const perSecond = await load();
  return { perSecond, serverMs: (((await readProcessorSeconds()) - before) * 1000) / count };
}

/** Deletes queued mails of the previous measurement: sending them would slow the next one. */
export async function drainMailQueue({ database }: BenchSite): Promise<void> {
  await database.query(`delete from jobs.job where data->>'template' is not null and state < 'active'`);
  await delay(2_000);
}

export async function runOnBenchSite(measure: (site: BenchSite) => Promise<Figure[]>): Promise<void> {
  if (isTrial) console.log('Trial run: figures are not comparable.');
  printFigures(await withBenchSite(measure));
}
