/** Measures sign-in with a passkey (both calls), and requesting an e-mail code including the queued mail. */
import { createTestAuthenticator } from '../../apps/server/src/test/test-authenticator.ts';
import { createChallenges } from '../../apps/server/src/features/auth/passkeys/authenticators/challenges.ts';
import { passkeyIssuer, insertPasskeys } from '../../apps/server/src/features/auth/passkeys/passkey-store.ts';
import { createAuthenticator } from '../../apps/server/src/features/auth/passkeys/authenticators/authenticator.ts';
import { readSiteKey } from '../../apps/server/src/platform/config/site-key.ts';
import { openDatabase, type Database } from '../../apps/server/src/platform/database/database.ts';
import { newId } from '../../apps/server/src/platform/database/new-id.ts';
import { formatWithUnit, type Figure } from '../report/figure.ts';
import { options } from '../report/options.ts';
import { measureRequestsPerSecond, connections, type LoadRequest } from '../harness/http-load.ts';
import {
  runOnBenchSite,
  benchSecret,
  measureWithProcessorTime,
  type BenchSite,
} from '../harness/bench-site.ts';

/** Enough people that the rate limit per person is not reached. */
const passkeyCount = 1_000;
const warmUpCount = 500;
const originHeaders = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
const browserId = 'b'.repeat(43);

export async function measurePasskeys(site: BenchSite): Promise<Figure[]> {
  const database = openDatabase(site.databaseUrl, { maxConnections: 4 });
  try {
    const signIn = await prepareSignIns(database, site);
    await signIn(warmUpCount);
    await analyzeTables(site);
    const signInResult = await signIn(options.seconds * 1_400);
    const verifiedPerSecond = await measureBaseline(site, '/signed-rows');
    await requestCodes(site, warmUpCount);
    await analyzeTables(site);
    const codeResult = await requestCodes(site, options.seconds * 1_500);
    const insertsPerSecond = await measureBaseline(site, '/rows');
    return [
      {
        name: `sign in with a passkey: options and answer, ${connections} connections`,
        measured: signInResult.perSecond,
        unit: '/s',
        limit: { at: 'least', value: 700 },
        baseline: `Fastify with one signature verified and one insert: ${formatWithUnit(verifiedPerSecond, '/s')}`,
      },
      {
        name: 'sign in with a passkey, processor time of the server',
        measured: signInResult.serverMs,
        unit: 'ms',
      },
      {
        name: `ask for a code, with its mail in the queue, ${connections} connections`,
        measured: codeResult.perSecond,
        unit: '/s',
        limit: { at: 'least', value: 1_000 },
        baseline: `Fastify with one insert: ${formatWithUnit(insertsPerSecond, '/s')}`,
      },
      { name: 'ask for a code, processor time of the server', measured: codeResult.serverMs, unit: 'ms' },
    ];
  } finally {
    await database.end();
  }
}

/** Updates statistics as autovacuum would, so that the tables are not planned as empty. */
const analyzeTables = ({ database }: BenchSite) => database.query('analyze');

const measureBaseline = ({ baselineUrl }: BenchSite, path: string) =>
  measureRequestsPerSecond(baselineUrl, {
    createRequest: () => ({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: '{"email":"one@example.com"}',
    }),
    seconds: options.seconds,
  });

async function seedPasskeys(database: Database, { url, database: pool }: BenchSite) {
  // WebAuthn needs a domain name; an IP address is rejected.
  const publicUrl = `http://localhost:${new URL(url).port}`;
  const authenticator = createAuthenticator({ rpId: 'localhost', publicUrl });
  const { rows: people } = await pool.query<{ id: string; handle: string }>(
    `insert into identities (issuer, subject, person_id, way, created_at)
     select $1, translate(encode(sha256(id::text::bytea), 'base64'), '+/=', '-_'), id, 'passkeys', now() from people
     where status = 'active' order by id limit $2
     returning person_id as id, subject as handle`,
    [passkeyIssuer, passkeyCount],
  );
  const devices = people.map(() => createTestAuthenticator({ origin: publicUrl }));
  const challenge = Buffer.alloc(32).toString('base64url');
  const passkeys = await Promise.all(
    people.map(async ({ id, handle }, index) => {
      const registration = {
        productName: 'Bench',
        email: 'a@b.example',
        name: '',
        handle,
        challenge,
        existing: [],
      };
      const response = devices[index]?.create(await authenticator.creationOptions(registration));
      if (!response) throw new Error('one device per person is expected');
      return {
        ...(await authenticator.register(response, challenge, { id: newId(), name: () => 'Bench' })),
        personId: id,
      };
    }),
  );
  await insertPasskeys(database, passkeys, new Date());
  return { authenticator, devices };
}

/** Returns a function that signs in `count` people, each with a new challenge. */
async function prepareSignIns(database: Database, site: BenchSite) {
  const { authenticator, devices } = await seedPasskeys(database, site);
  const challenges = createChallenges({
    secret: await readSiteKey(database, { current: benchSecret, previous: null }),
    now: Date.now,
  });
  const headers = { ...originHeaders, cookie: `__Host-vestibule-passkey=${browserId}` };
  const countSessions = () =>
    countRows(site, 'select count(*)::int from sessions where issuer = $1', passkeyIssuer);

  return async (count: number) => {
    const requests: LoadRequest[] = [];
    for (let index = 0; index < count; index += 1) {
      const requestOptions = await authenticator.requestOptions(challenges.create(`sign-in ${browserId}`));
      const body = JSON.stringify({ response: devices[index % passkeyCount]?.get(requestOptions) });
      requests.push(
        { method: 'POST', path: '/api/sign-in/passkey/options', headers, body: '{}' },
        { method: 'POST', path: '/api/sign-in/passkey', headers, body },
      );
    }
    const before = await countSessions();
    let index = 0;
    const result = await measureWithProcessorTime(site, count, () =>
      measureRequestsPerSecond(site.url, {
        amount: requests.length,
        // autocannon may create one more request per connection than it sends.
        createRequest: () => requests[index++] ?? (requests[0] as LoadRequest),
      }),
    );
    const signedIn = (await countSessions()) - before;
    if (signedIn !== count) throw new Error(`${signedIn} of ${count} sign-ins created a session`);
    return { ...result, perSecond: result.perSecond / 2 };
  };
}

async function countRows({ database }: BenchSite, text: string, ...values: unknown[]): Promise<number> {
  return (await database.query<{ count: number }>(text, values)).rows[0]?.count ?? 0;
}

let requestedCodes = 0;

/** Requests codes, each from another IP address. One in a hundred is for a person with a passkey. */
async function requestCodes(site: BenchSite, count: number) {
  const { rows: knownUsers } = await site.database.query<{ email: string }>(
    `select people.email from people join identities on person_id = people.id where issuer = $1`,
    [passkeyIssuer],
  );
  const queued = `jobs.job where data->>'template' = 'sign-in-code'`;
  const result = await measureWithProcessorTime(site, count, () =>
    measureRequestsPerSecond(site.url, {
      amount: count,
      createRequest() {
        requestedCodes += 1;
        const address =
          requestedCodes % 100 === 0
            ? knownUsers[(requestedCodes / 100) % knownUsers.length]?.email
            : undefined;
        return {
          method: 'POST',
          path: '/api/sign-in/code',
          headers: {
            ...originHeaders,
            'x-forwarded-for': `10.${(requestedCodes >> 16) & 255}.${(requestedCodes >> 8) & 255}.${requestedCodes & 255}`,
          },
          body: JSON.stringify({ address: address ?? `asked-${requestedCodes}@example.com` }),
        };
      },
    }),
  );
  const mails = await countRows(site, `select count(*)::int from ${queued}`);
  if (mails < count) throw new Error(`${mails} of ${count} mails are in the queue`);
  // Discard the mails: sending them would slow the next measurement.
  await site.database.query(`delete from ${queued}`);
  return result;
}

if (import.meta.main) await runOnBenchSite(measurePasskeys);
