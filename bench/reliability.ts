/**
 * Kills, races and restarts under load, with a ledger outside of the server: `node bench/reliability.ts [part …]
 * [--kills N]`. Nothing is repeated to make it pass; a figure is how often something went wrong, and the limit is 0.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startDevMailbox } from '@vestibule/dev-mailbox';
import { invite } from '@vestibule/contract/invitations';
import pg from 'pg';
import { startEmbeddedPostgres } from '../apps/server/src/platform/database/embedded-postgres.ts';
import { freePorts, newDataDirectory, removeDataDirectory } from '../e2e/start-server.ts';
import { serverFlags } from '../tools/server-flags.mjs';
import { root, startChild } from './child.ts';
import { printFigures, type Figure } from './figure.ts';
import { startLocalProvider } from './local-provider.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '20' } },
});
const kills = Number(given.kills);
const writers = 32;

type Server = Awaited<ReturnType<typeof startChild>>;
type Site = {
  urls: [string, string];
  token: string;
  database: pg.Pool;
  postmaster(): Promise<number>;
  start(which: 0 | 1): Promise<Server>;
};

/** Many who invite without a pause, each noting what the server has confirmed. */
function startWriters(site: Site, run: string) {
  const confirmed = new Set<string>();
  const unexpected: string[] = [];
  const stopping = new AbortController();
  let slowest = 0;
  async function write(writer: number): Promise<void> {
    for (let number = 0; !stopping.signal.aborted; number += 1) {
      const email = `${run}.${writer}.${number}@example.com`;
      // An unknown outcome is asked for again, as a person would: "already invited" then says that it had worked.
      for (let settled = false, tried = 0; !settled && !stopping.signal.aborted; tried += 1) {
        const startedAt = performance.now();
        const status = await sendInvitation(site, email, 0);
        slowest = Math.max(slowest, performance.now() - startedAt);
        settled = status === 200 || (status === 409 && tried > 0);
        if (settled) confirmed.add(email);
        else if (status === 503 || status === 'no answer') await delay(20);
        else unexpected.push(`${status}`);
      }
    }
  }
  const all = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return {
    confirmed,
    unexpected,
    async stop() {
      stopping.abort();
      await all;
      return slowest;
    },
  };
}

async function sendInvitation(site: Site, email: string, which: 0 | 1): Promise<number | 'no answer'> {
  try {
    const answer = await fetch(`${site.urls[which]}${invite.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 'no answer';
  }
}

/** What the ledger says and the database does not, and what the database holds by halves or twice. */
async function compare(site: Site, run: string, confirmed: Set<string>) {
  const { rows } = await site.database.query<{ email: string; audited: number; mails: number }>(
    `select email,
            (select count(*)::int from audit_log where action = 'invitation.created' and target_id = invitations.id::text) as audited,
            (select count(*)::int from jobs.job where name = 'mail' and data ->> 'subjectId' = invitations.id || '/1') as mails
     from invitations where email like $1`,
    [`${run}.%`],
  );
  const there = new Map(rows.map((row) => [row.email, row]));
  return {
    lost: [...confirmed].filter((email) => !there.has(email)).length,
    half: rows.filter(({ audited, mails }) => audited !== 1 || mails !== 1).length,
    twice: rows.length - there.size,
  };
}

const none = { limit: { at: 'most', value: 0 } } as const;
const count = (name: string, measured: number): Figure => ({ name, measured, unit: 'times', ...none });

/** kill -9 of the server, again and again. */
async function killServer(site: Site): Promise<Figure[]> {
  let server = await site.start(0);
  const load = startWriters(site, 'kill');
  let slowestStart = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    await delay(150 + Math.random() * 500);
    await server.kill();
    server = await site.start(0);
    slowestStart = Math.max(slowestStart, server.readyAfter);
  }
  await load.stop();
  const found = await compare(site, 'kill', load.confirmed);
  await server.stop();
  const under = `server killed ${kills} times under ${writers} writers, ${load.confirmed.size} invitations confirmed`;
  return [
    count(`${under}: lost`, found.lost),
    count('… without audit entry or mail', found.half),
    count('… twice', found.twice),
    count('… answers that are neither success nor 503', load.unexpected.length),
    { name: '… slowest start', measured: slowestStart / 1000, unit: 's', limit: { at: 'most', value: 5 } },
  ];
}

/** kill -9 of the whole database server; what watches over it starts it again. */
async function killPostgres(site: Site): Promise<Figure[]> {
  const server = await site.start(0);
  const load = startWriters(site, 'database');
  let slowestReturn = 0;
  for (let kill = 0; kill < Math.ceil(kills / 4); kill += 1) {
    await delay(300 + Math.random() * 500);
    const before = load.confirmed.size;
    process.kill(await site.postmaster(), 'SIGKILL');
    const killedAt = performance.now();
    // What was on its way is confirmed within moments; more than the writers hold at once can only be new.
    while (load.confirmed.size <= before + 2 * writers && performance.now() - killedAt < 30_000)
      await delay(10);
    slowestReturn = Math.max(slowestReturn, performance.now() - killedAt);
  }
  const slowest = await load.stop();
  const found = await compare(site, 'database', load.confirmed);
  await server.stop();
  const under = `PostgreSQL killed ${Math.ceil(kills / 4)} times, ${load.confirmed.size} invitations confirmed`;
  return [
    count(`${under}: lost`, found.lost),
    count('… without audit entry or mail', found.half),
    count('… twice', found.twice),
    count('… answers that are neither success nor 503', load.unexpected.length),
    {
      name: '… until it works again, at most',
      measured: slowestReturn / 1000,
      unit: 's',
      limit: { at: 'most', value: 5 },
    },
    { name: '… slowest answer', measured: slowest / 1000, unit: 's', limit: { at: 'most', value: 15 } },
  ];
}

/** 64 invite the same address at once, through two processes. */
async function race(site: Site): Promise<Figure[]> {
  const servers = [await site.start(0), await site.start(1)];
  const rounds = kills * 10;
  let wrong = 0;
  let other = 0;
  for (let round = 0; round < rounds; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        sendInvitation(site, `race.${round}@example.com`, (index % 2) as 0 | 1),
      ),
    );
    if (answers.filter((status) => status === 200).length !== 1) wrong += 1;
    other += answers.filter((status) => status !== 200 && status !== 409).length;
  }
  const found = await compare(site, 'race', new Set());
  await Promise.all(servers.map((server) => server.stop()));
  return [
    count(`${rounds} races of 64 through two processes: not exactly one success`, wrong),
    count('… answers other than success and "already invited"', other),
    count('… twice, or without audit entry or mail', found.twice + found.half),
  ];
}

/** SIGTERM while 64 clients keep asking on connections they keep: nobody's request is lost. */
async function terminate(site: Site): Promise<Figure[]> {
  let failed = 0;
  let slowestExit = 0;
  for (let round = 0; round < kills; round += 1) {
    const server = await site.start(0);
    const over = new AbortController();
    let refused = false;
    const answered = new Set<number>();
    const clients = Array.from({ length: 64 }, async (_, client) => {
      while (!over.signal.aborted && !refused) {
        try {
          const answer = await fetch(`${site.urls[0]}/api/users/me`, {
            headers: { authorization: `Bearer ${site.token}` },
          });
          await answer.arrayBuffer();
          if (answer.status === 200) answered.add(client);
          else failed += 1;
        } catch (error) {
          // No connection at all: the server has gone, and took nothing with it. Anything else was on its way.
          if ((error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED') refused = true;
          else failed += 1;
        }
      }
    });
    // A connection that was never accepted carries no request that could be lost.
    while (answered.size < clients.length) await delay(20);
    await delay(300);
    slowestExit = Math.max(slowestExit, await server.stop('SIGTERM'));
    over.abort();
    await Promise.all(clients);
  }
  return [
    count(`stopped ${kills} times under 64 clients: requests lost`, failed),
    { name: '… slowest exit', measured: slowestExit / 1000, unit: 's', limit: { at: 'most', value: 10 } },
  ];
}

const parts: Record<string, (site: Site) => Promise<Figure[]>> = {
  killServer,
  killPostgres,
  race,
  terminate,
};
const unknown = positionals.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(
    `There is no part called ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`,
  );
  process.exit(1);
}

await using closing = new AsyncDisposableStack();
const directory = await newDataDirectory();
closing.defer(() => removeDataDirectory(directory));
const dataDirectory = path.join(directory, 'postgres');
const postgres = await startEmbeddedPostgres({ dataDirectory });
closing.defer(() => postgres.stop());
const provider = await startLocalProvider();
closing.defer(() => void provider.close());
const mailbox = await startDevMailbox({ smtpPort: 0, httpPort: 0 });
closing.defer(() => mailbox.close());
const database = new pg.Pool({ connectionString: postgres.url, max: 2 });
database.on('error', () => {});
closing.defer(() => database.end());
const [first, second] = [await freePorts(), await freePorts()];
const urls: Site['urls'] = [`http://127.0.0.1:${first.web}`, `http://127.0.0.1:${second.web}`];

const site: Site = {
  urls,
  database,
  token: await provider.issueToken({ sub: 'administrator', emails: ['admin@example.com'] }),
  async postmaster() {
    return Number((await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  },
  start: (which) =>
    startChild(process.execPath, [...serverFlags, path.join(root, 'apps/server/src/main.ts')], {
      ready: / is ready: /,
      environment: {
        ...provider.environment,
        PORT: String([first, second][which]?.web),
        PUBLIC_URL: urls[0],
        DATABASE_URL: postgres.url,
        DATA_DIR: directory,
        SECRET: 'a secret of the bench, 32 characters or more',
        SMTP_URL: mailbox.smtpUrl,
      },
    }),
};

// The first administrator comes in by the open invitation that a first start makes.
const server = await site.start(0);
const me = await fetch(`${urls[0]}/api/users/me`, { headers: { authorization: `Bearer ${site.token}` } });
if (!me.ok) throw new Error(await me.text());
await server.stop();

const figures: Figure[] = [];
try {
  for (const [name, part] of Object.entries(parts))
    if (positionals.length === 0 || positionals.includes(name)) figures.push(...(await part(site)));
} finally {
  printFigures(figures);
}
