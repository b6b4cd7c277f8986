/**
 * The site of the reliability tests: two server processes configured as in production, a database, an identity provider and a mail server.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts';
import { findFreePorts, createDataDirectory, removeDataDirectory } from '../../e2e/fixtures/start-server.ts';
import { serverFlags } from '../../tools/server-flags.mjs';
import { startChild } from '../harness/child-process.ts';
import type { Figure } from '../report/figure.ts';
import { startLocalProvider, type LocalProvider } from '../harness/local-provider.ts';
import { startRecordingMailServer, type RecordingMailServer } from './recording-mail-server.ts';

/** SECRET of the servers, from which invitation codes are derived. */
export const secret = 'a secret of the bench, 32 characters or more';

type Role = 'member' | 'admin';
type Server = Awaited<ReturnType<typeof startChild>>;

export type Site = {
  urls: [string, string];
  token: string;
  provider: LocalProvider;
  mails: RecordingMailServer;
  database: pg.Pool;
  databaseUrl: string;
  postmaster(): Promise<number>;
  /** Starts one of the processes, optionally with another database address. */
  start(which: 0 | 1, databaseUrl?: string): Promise<Server>;
  join(email: string, role?: Role): Promise<string>;
};

/** A part of the reliability tests; `times` is the number of repetitions. */
export type Part = (site: Site, times: number) => Promise<Figure[]>;

/** Creates a figure that counts failures, with limit 0. */
export const createFailureFigure = (name: string, measured: number): Figure => ({
  name,
  measured,
  unit: 'times',
  limit: { at: 'most', value: 0 },
});

/** Starts the site, runs `run` and cleans up. `root` is the checkout whose server is tested. */
export async function withSite<Result>(root: string, run: (site: Site) => Promise<Result>): Promise<Result> {
  await using cleanup = new AsyncDisposableStack();
  const directory = await createDataDirectory();
  cleanup.defer(() => removeDataDirectory(directory));
  const dataDirectory = path.join(directory, 'postgres');
  const postgres = await startEmbeddedPostgres({ dataDirectory });
  cleanup.defer(() => postgres.stop());
  const provider = await startLocalProvider();
  cleanup.defer(() => void provider.close());
  const mails = await startRecordingMailServer();
  cleanup.defer(() => mails.close());
  const database = new pg.Pool({ connectionString: postgres.url, max: 2 });
  database.on('error', () => {});
  cleanup.defer(() => database.end());
  const ports = [await findFreePorts(), await findFreePorts()];
  const urls = ports.map(({ web }) => `http://127.0.0.1:${web}`) as Site['urls'];
  const running = new Set<Server>();
  cleanup.defer(
    async () => void (await Promise.all([...running].map((server) => server.kill().catch(() => {})))),
  );

  const site: Site = {
    urls,
    provider,
    mails,
    database,
    databaseUrl: postgres.url,
    token: await provider.issueToken({
      sub: 'administrator',
      emails: ['admin@example.com'],
      email_verified: true,
    }),
    async postmaster() {
      return Number((await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    },
    async start(which, databaseUrl = postgres.url) {
      const server = await startChild(
        process.execPath,
        [...serverFlags, path.join(root, 'apps/server/src/main.ts')],
        {
          ready: / is ready: /,
          environment: {
            ...provider.environment,
            PORT: String(ports[which]?.web),
            // WebAuthn needs a domain name.
            PUBLIC_URL: `http://localhost:${ports[0]?.web}`,
            DATABASE_URL: databaseUrl,
            DATA_DIR: directory,
            SECRET: secret,
            TRUST_PROXY: '127.0.0.1',
            SMTP_URL: mails.smtpUrl,
            WEBHOOKS_TO_PRIVATE_ADDRESSES: 'yes',
          },
        },
      );
      running.add(server);
      return server;
    },
    async join(email, role) {
      const id = await insertInvitation(site, email, role);
      const token = await provider.issueToken({
        sub: `subject of ${email}`,
        emails: [email],
        invitationId: id,
        auth_time: Math.floor(Date.now() / 1000),
      });
      await getMe(site, token);
      return token;
    },
  };

  // The first call creates the administrator from the invitation of the first start.
  const server = await site.start(0);
  await getMe(site, site.token);
  await server.stop();
  return await run(site);
}

async function getMe(site: Site, token: string): Promise<void> {
  const answer = await fetch(`${site.urls[0]}/api/users/me`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.arrayBuffer();
}

/** Inserts a pending invitation by SQL. Returns its id. */
export async function insertInvitation(
  { database }: Site,
  email: string,
  role: Role = 'member',
): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `insert into invitations (id, code_hash, email, email_canonical, name, role, message, created_by, expires_at)
     values (uuidv7(), sha256($1::text::bytea), $1, $1, '', $2, '', null, now() + interval '7 days') returning id`,
    [email, role],
  );
  return (rows[0] as { id: string }).id;
}
