/** Sessions on the server: who am I by cookie, beside a bare route; complete sign-ins; and what a million sessions cost. */
import { readSiteKey } from '../../apps/server/src/platform/config/site-key.ts';
import { openDatabase, type Database } from '../../apps/server/src/platform/database/database.ts';
import { newId } from '../../apps/server/src/platform/database/new-id.ts';
import { createTransactions } from '../../apps/server/src/features/sign-in/oidc/under-way/transactions.ts';
import { createSessions, sessionCookie } from '../../apps/server/src/features/sign-in/sessions/sessions.ts';
import { median, withUnit, type Figure } from '../report/figure.ts';
import { options } from '../report/options.ts';
import { answersPerSecond, connections, type Shot } from '../harness/http-load.ts';
import { seededSubject } from '../harness/seed-people.ts';
import { runOnStage, stageSecret, withProcessorTime, type Stage } from '../harness/bench-site.ts';
import { fillWithoutIndexes } from '../harness/fill-without-indexes.ts';

const rounds = 3;
const callers = 50;
/** Who sign in: enough that nobody does it more often than one person may. */
const signers = 1_000;
const siteKey = (database: Database) => readSiteKey(database, { current: stageSecret, previous: null });
const origin = { requestId: '', address: '127.0.0.1' };

export async function measureSessions(stage: Stage): Promise<Figure[]> {
  const database = openDatabase(stage.databaseUrl, { maxConnections: 4 });
  try {
    await stage.database.query(
      `insert into identities (issuer, subject, person_id, way)
       select $1, subject, person_id, 'bench' from identities join people on people.id = person_id
       where issuer = $2 and status = 'active' order by identities.created_at limit $3
       on conflict do nothing`,
      [stage.provider.oidcIssuer, stage.provider.issuer, signers],
    );
    const cookies = await beginSessions(database, stage);
    const few = await shareOfCeiling(stage, cookies);
    await signInsPerSecond(database, stage, 500);
    // What autovacuum does a minute later in life.
    await stage.database.query('analyze');
    const signIns = await signInsPerSecond(database, stage, options.seconds * 1_000);
    const bare = await answersPerSecond(stage.ceilingUrl, {
      next: () => ({
        method: 'POST',
        path: '/signed-rows',
        headers: { 'content-type': 'application/json' },
        body: '{"email":"one@example.com"}',
      }),
      seconds: options.seconds,
    });
    await seedSessions(stage, options.people);
    const many = await shareOfCeiling(stage, cookies);
    // More than one person may have: whoever signs in next would first be signed out a thousand times.
    await stage.database.query('delete from sessions');
    const beside = `Fastify with one select: ${withUnit(few.ceiling, '/s')}`;
    return [
      {
        name: `who am I by session, ${connections} connections`,
        measured: few.me,
        unit: '/s',
        ceiling: beside,
      },
      {
        name: 'who am I by session, share of the ceiling',
        measured: few.share,
        unit: '%',
        limit: { at: 'least', value: 60 },
        ceiling: beside,
      },
      {
        name: `the same beside ${options.people.toLocaleString('en-US')} sessions, share of the share without them`,
        measured: (many.share / few.share) * 100,
        unit: '%',
        limit: { at: 'least', value: 90 },
      },
      {
        name: 'sign in through a provider that answers at once, from the callback to the session',
        measured: signIns.perSecond,
        unit: '/s',
        limit: { at: 'least', value: 500 },
        ceiling: `Fastify with one signature verified and one insert: ${withUnit(bare, '/s')}`,
      },
      {
        name: 'sign in through a provider, processor time of the server',
        measured: signIns.serverMs,
        unit: 'ms',
      },
    ];
  } finally {
    await database.end();
  }
}

async function shareOfCeiling({ url, ceilingUrl }: Stage, cookies: string[]) {
  const ours = inTurn(cookies.map((cookie) => ({ path: '/api/users/me', headers: { cookie } })));
  const bare = inTurn(cookies.map((_, number) => ({ path: `/people/${seededSubject(number)}` })));
  const round = async (seconds: number) => ({
    ours: await answersPerSecond(url, { next: ours, seconds }),
    bare: await answersPerSecond(ceilingUrl, { next: bare, seconds }),
  });
  await round(2);
  const measured: Awaited<ReturnType<typeof round>>[] = [];
  for (let index = 0; index < rounds; index += 1) measured.push(await round(options.seconds));
  const [me, ceiling] = [median(measured.map((one) => one.ours)), median(measured.map((one) => one.bare))];
  return { me, ceiling, share: (me / ceiling) * 100 };
}

/** Cookies of people who are inside, written as the server writes them. */
async function beginSessions(database: Database, stage: Stage): Promise<string[]> {
  const sessions = createSessions({
    database,
    secret: await siteKey(database),
    ways: new Set(['bench']),
    limits: () => Promise.resolve({ idleMs: 3_600_000, absoluteMs: 7 * 24 * 3_600_000 }),
    now: Date.now,
  });
  const { rows } = await stage.database.query<{ subject: string; id: string }>(
    'select subject, person_id as id from identities where issuer = $1 order by created_at, subject limit $2',
    [stage.provider.oidcIssuer, callers],
  );
  const written: string[] = [];
  for (const { id, subject } of rows)
    await sessions.begin(
      { id, tokens_valid_after: null },
      {
        id: newId(),
        issuer: stage.provider.oidcIssuer,
        subject,
        way: 'bench',
        idToken: null,
        refreshToken: null,
        sid: null,
        origin,
        cookies: { ...noCookies, set: (_name, value) => void written.push(`${sessionCookie}=${value}`) },
      },
    );
  return written;
}

/** Callbacks of so many browsers that come back from the provider, each once. */
async function signInsPerSecond(database: Database, stage: Stage, count: number) {
  const transactions = createTransactions({ database, secret: await siteKey(database), now: Date.now });
  const { rows: subjects } = await stage.database.query<{ subject: string }>(
    'select subject from identities where issuer = $1',
    [stage.provider.oidcIssuer],
  );
  const shots: Shot[] = [];
  for (let index = 0; index < count; index += 1) {
    let cookie = '';
    const begun = await transactions.begin(
      { way: 'bench', returnTo: '/layout/dashboard', invitationId: null },
      { ...noCookies, set: (name, value) => void (cookie = `${name}=${value}`) },
    );
    const code = `code-${count}-${index}`;
    await stage.provider.prepareCode(code, {
      sub: subjects[index % subjects.length]?.subject ?? '',
      nonce: begun.nonce,
    });
    shots.push({ path: `/auth/bench/callback?code=${code}&state=${begun.state}`, headers: { cookie } });
  }
  const sessions = async () =>
    (await stage.database.query<{ count: number }>('select count(*)::int from sessions')).rows[0]?.count ?? 0;
  const before = await sessions();
  let index = 0;
  const found = await withProcessorTime(stage, count, () =>
    answersPerSecond(stage.url, {
      amount: count,
      redirects: true,
      next: () => shots[index++ % count] as Shot,
    }),
  );
  const begun = (await sessions()) - before;
  if (begun !== count) throw new Error(`${begun} of ${count} sign-ins began a session`);
  return found;
}

/** So many sessions of the same people, most of them of earlier days. */
async function seedSessions({ database, provider }: Stage, count: number): Promise<void> {
  await fillWithoutIndexes(database, 'sessions', (client) =>
    client.query(
      `insert into sessions (id_hash, id, person_id, issuer, subject, way, created_at, seen_at, address, user_agent, refreshed_at)
       select sha256(n::text::bytea), gen_random_uuid(), person_id, issuer, subject, way, at, at, '203.0.113.7', 'Firefox', at
       from (select *, row_number() over (order by created_at, subject) - 1 as place from identities where issuer = $1) identity
       join generate_series(1, $2) n on n % $3 = place, lateral (select now() - n % 10000 * interval '1 minute' as at) moment`,
      [provider.oidcIssuer, count, callers],
    ),
  );
}

const noCookies = { get: () => null, names: () => [], set: () => {}, clear: () => {} };

function inTurn(shots: Shot[]): () => Shot {
  let index = 0;
  return () => shots[(index += 1) % shots.length] as Shot;
}

if (import.meta.main) await runOnStage(measureSessions);
