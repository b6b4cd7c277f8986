/** Measures "who am I" by access token and by session, compared with a bare route, and complete sign-ins through a provider. */
import { readSiteKey } from '../../apps/server/src/platform/config/site-key.ts';
import { openDatabase, type Database } from '../../apps/server/src/platform/database/database.ts';
import { newId } from '../../apps/server/src/platform/database/new-id.ts';
import { createAuthorizationRequests } from '../../apps/server/src/features/auth/oidc/request-store.ts';
import { createSessions, sessionCookie } from '../../apps/server/src/features/auth/sessions/sessions.ts';
import {
  compareWithCeiling,
  connections,
  inTurn,
  measureInserts,
  measureRequestsPerSecond,
  type LoadRequest,
} from '../harness/http-load.ts';
import { fillWithoutIndexes } from '../harness/seed.ts';
import { secret, type LoadedSite } from '../harness/site.ts';
import { options } from '../options.ts';
import { peers } from '../peers.ts';
import { atLeast, figure, type Figure } from '../report.ts';

const path = '/api/users/me';
const sessionCount = 50;
/** Enough people that the rate limit per person is not reached. */
const userCount = 1_000;
export const readKey = (database: Database) =>
  readSiteKey(database, { current: Buffer.from(secret), previous: null });
const noCookies = { get: () => null, names: () => [], set: () => {}, clear: () => {} };

export async function measureWhoAmI(site: LoadedSite): Promise<Figure[]> {
  const requests = site.tokens.map((token) => ({ path, headers: { authorization: `Bearer ${token}` } }));
  const { perSecond, percent, ceiling } = await compareWithCeiling(site, requests);
  return [
    figure(`who am I, ${connections} connections`, perSecond, '/s', undefined, {
      ceiling,
      others: peers.whoAmI,
    }),
    figure('who am I, share of the ceiling', percent, '%', atLeast(60), { ceiling }),
  ];
}

export async function measureSessions(site: LoadedSite): Promise<Figure[]> {
  const database = openDatabase(site.databaseUrl, { maxConnections: 4 });
  try {
    const requests = (await createSessionCookies(database, site)).map((cookie) => ({
      path,
      headers: { cookie },
    }));
    const { perSecond, percent, ceiling } = await compareWithCeiling(site, requests);
    await signInsPerSecond(database, site, 500);
    // Updates statistics as autovacuum would.
    await site.database.query('analyze');
    const signIns = await signInsPerSecond(database, site, options.seconds * 1_000);
    const inserts = await measureInserts(site.ceilingUrl, '/signed-rows');
    await seedSessions(site, options.people);
    const besideMany = await compareWithCeiling(site, requests);
    // The people have more sessions than the limit per person. Otherwise the next sign-in would delete the surplus one by one.
    await site.database.query('delete from sessions');
    const size = options.people.toLocaleString('en-US');
    return [
      figure(`who am I by session, ${connections} connections`, perSecond, '/s', undefined, { ceiling }),
      figure('who am I by session, share of the ceiling', percent, '%', atLeast(60), { ceiling }),
      figure(
        `the same with ${size} stored sessions, relative to the result without them`,
        (besideMany.percent / percent) * 100,
        '%',
        atLeast(90),
      ),
      figure(
        'sign in through a provider that answers at once, from the callback to the session',
        signIns,
        '/s',
        atLeast(500),
        { ceiling: `Fastify with one signature verified and one insert: ${inserts}` },
      ),
    ];
  } finally {
    await database.end();
  }
}

/** Creates sessions of 50 people, and identities of more people for further sign-ins. Returns the values of the header `Cookie`. */
export async function createSessionCookies(database: Database, site: LoadedSite): Promise<string[]> {
  await site.database.query(
    `insert into identities (issuer, subject, person_id, way)
     select $1, subject, person_id, 'bench' from identities join people on people.id = person_id
     where issuer = $2 and status = 'active' order by identities.created_at limit $3
     on conflict do nothing`,
    [site.provider.oidcIssuer, site.provider.issuer, userCount],
  );
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
        origin: { requestId: '', address: '127.0.0.1' },
        cookies: { ...noCookies, set: (_name, value) => void cookies.push(`${sessionCookie}=${value}`) },
      },
    );
  return cookies;
}

/** Signs in `count` times. Throws if one does not create a session. */
async function signInsPerSecond(database: Database, site: LoadedSite, count: number): Promise<number> {
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
    const sub = subjects[index % subjects.length]?.subject ?? '';
    await site.provider.prepareCode(code, { sub, nonce: started.nonce });
    requests.push({ path: `/auth/bench/callback?code=${code}&state=${started.state}`, headers: { cookie } });
  }
  const sessions = async () =>
    (await site.database.query<{ count: number }>('select count(*)::int from sessions')).rows[0]?.count ?? 0;
  const before = await sessions();
  const perSecond = await measureRequestsPerSecond(site.url, {
    amount: count,
    expectRedirects: true,
    createRequest: inTurn(requests),
  });
  const started = (await sessions()) - before;
  if (started !== count) throw new Error(`${started} of ${count} sign-ins created a session`);
  return perSecond;
}

/** Inserts `count` sessions of the same people over the last days. */
async function seedSessions({ database, provider }: LoadedSite, count: number): Promise<void> {
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
