/**
 * The site of all measurements: a database, an identity provider, a mail server, and up to two server processes configured as in
 * production.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { startLocalProvider, type LocalProvider } from '../../e2e/fixtures/local-provider.ts';
import {
  createDataDirectory,
  findFreePorts,
  removeDataDirectory,
} from '../../packages/testing/src/start-server.ts';
import { root } from '../../tools/install.mjs';
import { compileCacheOf, serverFlags } from '../../apps/server/src/server-flags.mjs';
import { options } from '../options.ts';
import { startMailServer, type MailServer } from './mail-server.ts';
import { residentMegabytes, startChild, type Child } from './process.ts';
import { adoptIssuer, hasSeeds, seed, seededSubject } from './seed.ts';

/** SECRET of the servers, from which keys and codes are derived. */
export const secret = 'a secret of the bench, 32 characters or more';

type Role = 'member' | 'admin';

export type Site = {
  urls: [string, string];
  /** Access token of an administrator. */
  token: string;
  provider: LocalProvider;
  mails: MailServer;
  database: pg.Pool;
  databaseUrl: string;
  /** The same database as superuser. */
  administratorUrl: string;
  postmaster(): Promise<number>;
  /** Starts one of the two processes. */
  start(which: 0 | 1): Promise<Child>;
  /** Creates a person. Returns an access token. */
  join(email: string, role?: Role): Promise<string>;
};

/** A site with one process, `--people` people, and the bare server for comparison. */
export type LoadedSite = Site & {
  url: string;
  ceilingUrl: string;
  tokens: string[];
  /** MB of the server process: three seconds after its start, and the peak since. */
  memory: { afterStart: number; peak: number };
  /** Time to insert people and invitations, with their indexes; null if the directory has them from an earlier run. */
  seedingSeconds: number | null;
};

export async function withSite<Result>(run: (site: Site) => Promise<Result>): Promise<Result> {
  await using cleanup = new AsyncDisposableStack();
  const directory = options.directory ?? (await createDataDirectory());
  if (options.directory) await mkdir(directory, { recursive: true });
  else cleanup.defer(() => removeDataDirectory(directory));
  const dataDirectory = path.join(directory, 'postgres');
  const isKept = existsSync(dataDirectory);
  if (!isKept) await createForSeeding(dataDirectory);
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  cleanup.defer(() => postgres.stop());
  const provider = await startLocalProvider();
  cleanup.defer(() => void provider.close());
  const mails = await startMailServer();
  cleanup.defer(() => mails.close());
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 });
  database.on('error', () => {});
  cleanup.defer(() => database.end());
  const ports = [(await findFreePorts()).web, (await findFreePorts()).web];
  const running = new Set<Child>();
  cleanup.defer(async () => void (await Promise.all([...running].map((server) => server.stop('SIGKILL')))));

  const site: Site = {
    urls: ports.map((port) => `http://127.0.0.1:${port}`) as Site['urls'],
    provider,
    mails,
    database,
    databaseUrl: postgres.url,
    administratorUrl: postgres.administratorUrl,
    token: await provider.issueToken({
      sub: 'administrator',
      emails: ['admin@example.com'],
      email_verified: true,
    }),
    async postmaster() {
      return Number((await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    },
    async start(which) {
      const server = await startChild(
        process.execPath,
        [...serverFlags, path.join(root, 'apps/server/src/main.ts')],
        (output) => output.includes(' is ready: '),
        {
          env: {
            ...provider.environment,
            NODE_COMPILE_CACHE: compileCacheOf(root),
            PORT: String(ports[which]),
            // WebAuthn needs a domain name.
            PUBLIC_URL: `http://localhost:${ports[0]}`,
            DATABASE_URL: postgres.url,
            DATA_DIR: directory,
            SECRET: secret,
            // The load generator acts as the reverse proxy of an application.
            TRUST_PROXY: '127.0.0.1',
            SMTP_URL: mails.smtpUrl,
          },
        },
      );
      running.add(server);
      return server;
    },
    async join(email, role) {
      const invitationId = await insertInvitation(site, email, role);
      const token = await provider.issueToken({
        sub: `subject of ${email}`,
        emails: [email],
        invitationId,
        auth_time: Math.floor(Date.now() / 1000),
      });
      await getMe(site, token);
      return token;
    },
  };

  if (isKept) await adoptIssuer(database, provider.issuer);
  // The first call creates the administrator from the invitation of the first start.
  const server = await site.start(0);
  await getMe(site, site.token);
  await server.stop();
  return await run(site);
}

export async function withLoadedSite<Result>(run: (site: LoadedSite) => Promise<Result>): Promise<Result> {
  return withSite(async (site) => {
    await using cleanup = new AsyncDisposableStack();
    const server = await site.start(0);
    await delay(3_000);
    const memory = { afterStart: await residentMegabytes(server.pid), peak: 0 };
    const sampling = setInterval(() => {
      void residentMegabytes(server.pid).then((now) => (memory.peak = Math.max(memory.peak, now)));
    }, 200);
    cleanup.defer(() => clearInterval(sampling));
    const { databaseUrl, provider } = site;
    const seedingSeconds = await seedOnce(site);
    const ceiling = await startChild(
      process.execPath,
      [path.join(import.meta.dirname, 'ceiling-server.ts'), databaseUrl, provider.issuer],
      (output) => /http:\S+\n/.test(output),
    );
    cleanup.defer(async () => void (await ceiling.stop()));
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, number) => provider.issueToken({ sub: seededSubject(number) })),
    );
    const [ceilingUrl = ''] = /http:\S+/.exec(await ceiling.output()) ?? [];
    return await run({ ...site, url: site.urls[0], ceilingUrl, tokens, memory, seedingSeconds });
  });
}

/** Creates a cluster that does not log the creation of indexes, until its settings are reset and it restarts. */
async function createForSeeding(dataDirectory: string): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  const administrator = new pg.Client(postgres.administratorUrl);
  await administrator.connect();
  await administrator.query(`alter system set wal_level = 'minimal'`);
  await administrator.query('alter system set max_wal_senders = 0');
  await administrator.end();
  await postgres.stop();
}

/** Inserts the people of a measurement. Returns the seconds, or null if the database has them already. */
async function seedOnce({ administratorUrl, database, provider }: Site): Promise<number | null> {
  if (await hasSeeds(database, options.people)) return null;
  const administrator = new pg.Client(administratorUrl);
  await administrator.connect();
  // Checkpoints would write each page several times, and each index would wait for the disk.
  for (const setting of [`max_wal_size = '32GB'`, `checkpoint_timeout = '1h'`, `fsync = 'off'`])
    await administrator.query(`alter system set ${setting}`);
  await administrator.query('select pg_reload_conf()');
  const startedAt = performance.now();
  await seed(database, options.people, provider.issuer);
  // Writes all pending changes to disk now, so that these writes do not slow the measurements.
  await administrator.query('alter system reset all');
  await administrator.query('select pg_reload_conf()');
  await administrator.query('checkpoint');
  await administrator.end();
  return (performance.now() - startedAt) / 1000;
}

/** Deletes queued mails of the previous measurement: sending them would slow the next one. */
export async function drainMailQueue({ database }: Site): Promise<void> {
  await database.query(`delete from jobs.job where data->>'template' is not null and state < 'active'`);
  await delay(2_000);
}

/** Runs `action`. Returns the maximum growth of the server's memory meanwhile, in MB. The memory is sampled five times a second. */
export async function measureGrowth({ memory }: LoadedSite, action: () => Promise<unknown>): Promise<number> {
  const peakSoFar = memory.peak;
  memory.peak = 0;
  await delay(1_000);
  const before = memory.peak;
  await action();
  await delay(300);
  const growth = memory.peak - before;
  memory.peak = Math.max(memory.peak, peakSoFar);
  return growth;
}

async function getMe(site: Site, token: string): Promise<void> {
  const response = await fetch(`${site.urls[0]}/api/users/me`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Inserts a pending invitation by SQL. Returns its id. */
async function insertInvitation({ database }: Site, email: string, role: Role = 'member'): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `insert into invitations (id, code_hash, email, email_canonical, name, role, message, created_by, expires_at)
     values (uuidv7(), sha256($1::text::bytea), $1, $1, '', $2, '', null, now() + interval '7 days') returning id`,
    [email, role],
  );
  return rows[0]?.id ?? '';
}
