/**
 * What the API's measurements have in common: the embedded PostgreSQL with so many people, the application as in
 * production (DATABASE_URL, a sign-in service and a mail server of its own) in one process, the bare ceiling in another.
 */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { compileCache, serverFlags } from '../../tools/server-flags.mjs';
import { freePorts, newDataDirectory, removeDataDirectory } from '../../e2e/site/start-server.ts';
import { processorSeconds, residentMegabytes, root, startChild } from './child-process.ts';
import { databaseWritten } from './prepare-machine.ts';
import { startDistantMailServer } from './delayed-mail-server.ts';
import { printFigures, type Figure } from '../report/figure.ts';
import { startLocalProvider, type LocalProvider } from './local-provider.ts';
import { isTrial, options } from '../report/options.ts';
import { seededSubject, seedPeople } from './seed-people.ts';

export type Stage = {
  /** Addresses of the application and of the ceiling. */
  url: string;
  ceilingUrl: string;
  database: pg.Pool;
  databaseUrl: string;
  provider: LocalProvider;
  /** Tokens of administrators who are inside. */
  tokens: string[];
  /** MB of the application's process, a few seconds after its start and at most since. */
  memory: { afterStart: number; peak: number };
  /** Seconds that the application's process has had a processor until now. */
  processorSeconds: () => Promise<number>;
};

const callers = 50;
/** Of the application. */
export const stageSecret = Buffer.from('a secret of the bench, 32 characters or more');

/** Sets the stage, measures on it and clears it away, also when something fails. */
export async function onStage<Result>(measure: (stage: Stage) => Promise<Result>): Promise<Result> {
  await using closing = new AsyncDisposableStack();
  const directory = await newDataDirectory();
  closing.defer(() => removeDataDirectory(directory));
  const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(directory, 'postgres') });
  closing.defer(() => postgres.stop());
  const provider = await startLocalProvider();
  closing.defer(() => void provider.close());
  const mailServer = await startDistantMailServer();
  closing.defer(() => mailServer.close());

  const { web: port } = await freePorts();
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
        SECRET: stageSecret.toString(),
        SMTP_URL: mailServer.smtpUrl,
        WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes',
      },
    },
  );
  closing.defer(async () => void (await application.stop()));
  await delay(3_000);
  const memory = { afterStart: await residentMegabytes(application.pid), peak: 0 };
  const sampling = setInterval(() => {
    void residentMegabytes(application.pid).then((now) => (memory.peak = Math.max(memory.peak, now)));
  }, 200);
  closing.defer(() => clearInterval(sampling));

  const database = new pg.Pool({ connectionString: postgres.url, max: 4 });
  closing.defer(() => database.end());
  const seededAt = performance.now();
  await seedPeople(database, { people: options.people, issuer: provider.issuer });
  console.log(
    `${options.people.toLocaleString('en-US')} people, written in ${Math.round((performance.now() - seededAt) / 1000)} s.`,
  );
  await databaseWritten(postgres.administratorUrl);
  const ceiling = await startChild(
    process.execPath,
    [path.join(root, 'bench/harness/baseline-server.ts'), postgres.url, provider.issuer],
    { ready: /http:\S+/ },
  );
  closing.defer(async () => void (await ceiling.stop()));

  const tokens = await Promise.all(
    Array.from({ length: callers }, (_, number) => provider.issueToken({ sub: seededSubject(number) })),
  );
  return await measure({
    url,
    ceilingUrl: ceiling.match[0],
    database,
    databaseUrl: postgres.url,
    provider,
    tokens,
    memory,
    processorSeconds: () => processorSeconds(application.pid),
  });
}

/** Answers a second, and the milliseconds of a processor that the application took for each of `count`: other work disturbs it less. */
export async function withProcessorTime(
  { processorSeconds: read }: Stage,
  count: number,
  load: () => Promise<number>,
): Promise<{ perSecond: number; serverMs: number }> {
  const before = await read();
  const perSecond = await load();
  return { perSecond, serverMs: (((await read()) - before) * 1000) / count };
}

/** Takes back the mails that the measurement before has queued: sending tens of thousands would be a part of the next one. */
export async function takeBackMails({ database }: Stage): Promise<void> {
  await database.query(`delete from jobs.job where data->>'template' is not null and state < 'active'`);
  // Those that are on their way.
  await delay(2_000);
}

/** Runs one of the API's measurements by itself. */
export async function runOnStage(measure: (stage: Stage) => Promise<Figure[]>): Promise<void> {
  if (isTrial) console.log('A trial run: the figures do not count.');
  printFigures(await onStage(measure));
}
