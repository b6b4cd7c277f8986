/**
 * Measures server-side sessions: `GET /api/users/me` by cookie compared with a bare route, complete sign-ins, and the effect of a
 * million sessions.
 */
import { readSiteKey } from '../../apps/server/src/platform/config/site-key.ts';
import { openDatabase, type Database } from '../../apps/server/src/platform/database/database.ts';
import { newId } from '../../apps/server/src/platform/database/new-id.ts';
import { createAuthorizationRequests } from '../../apps/server/src/features/auth/oidc/authorization-requests/request-store.ts';
import { createSessions, sessionCookie } from '../../apps/server/src/features/auth/sessions/sessions.ts';
import { median, formatWithUnit, type Figure } from '../report/figure.ts';
import { options } from '../report/options.ts';
import { measureRequestsPerSecond, connections, type LoadRequest } from '../harness/http-load.ts';
import { seededSubject } from '../harness/seed-people.ts';
import {
  runOnBenchSite,
  benchSecret,
  measureWithProcessorTime,
  type BenchSite,
} from '../harness/bench-site.ts';
import { fillWithoutIndexes } from '../harness/fill-without-indexes.ts';

const rounds = 3;
const sessionCount = 50;
/** Enough people that the rate limit per person is not reached. */
const userCount = 1_000;
const readKey = (database: Database) => readSiteKey(database, { current: benchSecret, previous: null });
const origin = { requestId: '', address: '127.0.0.1' };

export async function measureSessions(site: BenchSite): Promise<Figure[]> {
  const database = openDatabase(site.databaseUrl, { maxConnections: 4 });
  try {
    await site.database.query(
      `insert into identities (issuer, subject, person_id, way)
       select $1, subject, person_id, 'bench' from identities join people on people.id = person_id
       where issuer = $2 and status = 'active' order by identities.created_at limit $3
       on conflict do nothing`,
      [site.provider.oidcIssuer, site.provider.issuer, userCount],
    );
    const cookies = await createSessionCookies(database, site);
    const withFewSessions = await compareWithBaseline(site, cookies);
    await signInsPerSecond(database, site, 500);
    // Updates statistics as autovacuum would.
    await site.database.query('analyze');
    const signInResult = await signInsPerSecond(database, site, options.seconds * 1_000);
    const baseline = await measureRequestsPerSecond(site.baselineUrl, {
      createRequest: () => ({
        method: 'POST',
        path: '/signed-rows',
        headers: { 'content-type': 'application/json' },
        body: '{"email":"one@example.com"}',
      }),
      seconds: options.seconds,
    });
    await seedSessions(site, options.people);
    const withManySessions = await compareWithBaseline(site, cookies);
    // Exceeds the limit per person: the next sign-in would delete them one by one.
    await site.database.query('delete from sessions');
    const baselineLabel = `Fastify with one select: ${formatWithUnit(withFewSessions.baselineRate, '/s')}`;
    return [
      {
        name: `who am I by session, ${connections} connections`,
        measured: withFewSessions.serverRate,
        unit: '/s',
        baseline: baselineLabel,
      },
      {
        name: 'who am I by session, share of the ceiling',
        measured: withFewSessions.share,
        unit: '%',
        limit: { at: 'least', value: 60 },
        baseline: baselineLabel,
      },
      {
        name: `the same beside ${options.people.toLocaleString('en-US')} sessions, share of the share without them`,
        measured: (withManySessions.share / withFewSessions.share) * 100,
        unit: '%',
        limit: { at: 'least', value: 90 },
      },
      {
        name: 'sign in through a provider that answers at once, from the callback to the session',
        measured: signInResult.perSecond,
        unit: '/s',
        limit: { at: 'least', value: 500 },
        baseline: `Fastify with one signature verified and one insert: ${formatWithUnit(baseline, '/s')}`,
      },
      {
        name: 'sign in through a provider, processor time of the server',
        measured: signInResult.serverMs,
        unit: 'ms',
      },
    ];
  } finally {
    await database.end();
  }
}

async function compareWithBaseline({ url, baselineUrl }: BenchSite, cookies: string[]) {
  const server = inTurn(cookies.map((cookie) => ({ path: '/api/users/me', headers: { cookie } })));
  const baseline = inTurn(cookies.map((_, number) => ({ path: `/people/${seededSubject(number)}` })));
  const round = async (seconds: number) => ({
    server: await measureRequestsPerSecond(url, { createRequest: server, seconds }),
    baseline: await measureRequestsPerSecond(baselineUrl, { createRequest: baseline, seconds }),
  });
  await round(2);
  const measured: Awaited<ReturnType<typeof round>>[] = [];
  for (let index = 0; index < rounds; index += 1) measured.push(await round(options.seconds));
  const [serverRate, baselineRate] = [
    median(measured.map((one) => one.server)),
    median(measured.map((one) => one.baseline)),
  ];
  return { serverRate, baselineRate, share: (serverRate / baselineRate) * 100 };
}

async function createSessionCookies(database: Database, site: BenchSite): Promise<string[]> {
  const sessions = createSessions({
    database,
    secret: await readKey(database),
    signInMethodIds: new Set(['bench']),
    limits: () => Promise.resolve({ idleMs: 3_600_000, absoluteMs: 7 * 24 * 3_600_000 }),
    now: Date.now,
  });
  const { rows } = await site.database.query<{ subject: string; id: string }>(
    'select subject, person_id as id from identities where issuer = $1 order by created_at, subject limit $2',
    [site.provider.oidcIssuer, sessionCount],
  );
  const cookies: string[] = [];
  for (const { id, subject } of rows)
    await sessions.create(
      { id, tokens_valid_after: null },
      {
        id: newId(),
        issuer: site.provider.oidcIssuer,
        subject,
        way: 'bench',
        idToken: null,
        refreshToken: null,
        sid: null,
        origin,
        cookies: { ...noCookies, set: (_name, value) => void cookies.push(`${sessionCookie}=${value}`) },
      },
    );
  return cookies;
}

async function signInsPerSecond(database: Database, site: BenchSite, count: number) {
  const authorizationRequests = createAuthorizationRequests({
    database,
    secret: await readKey(database),
    now: Date.now,
  });
  const { rows: subjects } = await site.database.query<{ subject: string }>(
    'select subject from identities where issuer = $1',
    [site.provider.oidcIssuer],
  );
  const requests: LoadRequest[] = [];
  for (let index = 0; index < count; index += 1) {
    let cookie = '';
    const started = await authorizationRequests.create(
      { way: 'bench', returnTo: '/layout/dashboard', invitationId: null },
      { ...noCookies, set: (name, value) => void (cookie = `${name}=${value}`) },
    );
    const code = `code-${count}-${index}`;
    await site.provider.prepareCode(code, {
      sub: subjects[index % subjects.length]?.subject ?? '',
      nonce: started.nonce,
    });
    requests.push({ path: `/auth/bench/callback?code=${code}&state=${started.state}`, headers: { cookie } });
  }
  const sessions = async () =>
    (await site.database.query<{ count: number }>('select count(*)::int from sessions')).rows[0]?.count ?? 0;
  const before = await sessions();
  let index = 0;
  const result = await measureWithProcessorTime(site, count, () =>
    measureRequestsPerSecond(site.url, {
      amount: count,
      expectRedirects: true,
      createRequest: () => requests[index++ % count] as LoadRequest,
    }),
  );
  const started = (await sessions()) - before;
  if (started !== count) throw new Error(`${started} of ${count} sign-ins created a session`);
  return result;
}

/** Inserts `count` sessions of the same people over the last days. */
async function seedSessions({ database, provider }: BenchSite, count: number): Promise<void> {
  await fillWithoutIndexes(database, 'sessions', (client) =>
    client.query(
      `insert into sessions (id_hash, id, person_id, issuer, subject, way, created_at, seen_at, address, user_agent, refreshed_at)
       select sha256(n::text::bytea), gen_random_uuid(), person_id, issuer, subject, way, at, at, '203.0.113.7', 'Firefox', at
       from (select *, row_number() over (order by created_at, subject) - 1 as place from identities where issuer = $1) identity
       join generate_series(1, $2) n on n % $3 = place, lateral (select now() - n % 10000 * interval '1 minute' as at) moment`,
      [provider.oidcIssuer, count, sessionCount],
    ),
  );
}

const noCookies = { get: () => null, names: () => [], set: () => {}, clear: () => {} };

function inTurn(requests: LoadRequest[]): () => LoadRequest {
  let index = 0;
  return () => requests[(index += 1) % requests.length] as LoadRequest;
}

if (import.meta.main) await runOnBenchSite(measureSessions);
