/** Signing in without a provider: with a passkey, both calls of it; and asking for a code, with the mail in the queue. */
import { createTestAuthenticator } from '../../apps/server/src/test/test-authenticator.ts';
import { createChallenges } from '../../apps/server/src/features/sign-in/passkeys/authenticators/challenges.ts';
import {
  passkeyIssuer,
  insertPasskeys,
} from '../../apps/server/src/features/sign-in/passkeys/passkey-store.ts';
import { createAuthenticator } from '../../apps/server/src/features/sign-in/passkeys/authenticators/authenticator.ts';
import { readSiteKey } from '../../apps/server/src/platform/config/site-key.ts';
import { openDatabase, type Database } from '../../apps/server/src/platform/database/database.ts';
import { newId } from '../../apps/server/src/platform/database/new-id.ts';
import { withUnit, type Figure } from '../report/figure.ts';
import { options } from '../report/options.ts';
import { answersPerSecond, connections, type Shot } from '../harness/http-load.ts';
import { runOnStage, stageSecret, withProcessorTime, type Stage } from '../harness/bench-site.ts';

/** Enough that nobody signs in more often than one person may. */
const holders = 1_000;
/** So many of each go before, as on a server that has been running. */
const warmUp = 500;
const origin = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
/** Every challenge of one browser has the same cookie. */
const binder = 'b'.repeat(43);

export async function measurePasskeys(stage: Stage): Promise<Figure[]> {
  const database = openDatabase(stage.databaseUrl, { maxConnections: 4 });
  try {
    const signIn = await prepareSignIns(database, stage);
    await signIn(warmUp);
    await settle(stage);
    const signIns = await signIn(options.seconds * 1_400);
    const verified = await bare(stage, '/signed-rows');
    await askForCodes(stage, warmUp);
    await settle(stage);
    const codes = await askForCodes(stage, options.seconds * 1_500);
    const inserted = await bare(stage, '/rows');
    return [
      {
        name: `sign in with a passkey: options and answer, ${connections} connections`,
        measured: signIns.perSecond,
        unit: '/s',
        limit: { at: 'least', value: 700 },
        ceiling: `Fastify with one signature verified and one insert: ${withUnit(verified, '/s')}`,
      },
      {
        name: 'sign in with a passkey, processor time of the server',
        measured: signIns.serverMs,
        unit: 'ms',
      },
      {
        name: `ask for a code, with its mail in the queue, ${connections} connections`,
        measured: codes.perSecond,
        unit: '/s',
        limit: { at: 'least', value: 1_000 },
        ceiling: `Fastify with one insert: ${withUnit(inserted, '/s')}`,
      },
      { name: 'ask for a code, processor time of the server', measured: codes.serverMs, unit: 'ms' },
    ];
  } finally {
    await database.end();
  }
}

/** What autovacuum does a minute later in life: the tables are no longer taken for empty. */
const settle = ({ database }: Stage) => database.query('analyze');

/** What the floor does with one address. */
const bare = ({ ceilingUrl }: Stage, path: string) =>
  answersPerSecond(ceilingUrl, {
    next: () => ({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: '{"email":"one@example.com"}',
    }),
    seconds: options.seconds,
  });

/** People with a passkey each, and what signs with it. */
async function seedPasskeys(database: Database, { url, database: pool }: Stage) {
  // The site's name; browsers give passkeys to no other.
  const publicUrl = `http://localhost:${new URL(url).port}`;
  const authenticator = createAuthenticator({ rpId: 'localhost', publicUrl });
  const { rows: people } = await pool.query<{ id: string; handle: string }>(
    `insert into identities (issuer, subject, person_id, way, created_at)
     select $1, translate(encode(sha256(id::text::bytea), 'base64'), '+/=', '-_'), id, 'passkeys', now() from people
     where status = 'active' order by id limit $2
     returning person_id as id, subject as handle`,
    [passkeyIssuer, holders],
  );
  const devices = people.map(() => createTestAuthenticator({ origin: publicUrl }));
  const challenge = Buffer.alloc(32).toString('base64url');
  const passkeys = await Promise.all(
    people.map(async ({ id, handle }, index) => {
      const asked = { productName: 'Bench', email: 'a@b.example', name: '', handle, challenge, known: [] };
      const response = devices[index]?.create(await authenticator.creationOptions(asked));
      if (!response) throw new Error('there is a device for everybody');
      return {
        ...(await authenticator.register(response, challenge, { id: newId(), name: () => 'Bench' })),
        personId: id,
      };
    }),
  );
  await insertPasskeys(database, passkeys, new Date());
  return { authenticator, devices };
}

/** Gives what signs so many people in, one passkey after the other, each with a challenge of its own. */
async function prepareSignIns(database: Database, stage: Stage) {
  const { authenticator, devices } = await seedPasskeys(database, stage);
  const challenges = createChallenges({
    secret: await readSiteKey(database, { current: stageSecret, previous: null }),
    now: Date.now,
  });
  const headers = { ...origin, cookie: `__Host-vestibule-passkey=${binder}` };
  const begun = () => countRows(stage, 'select count(*)::int from sessions where issuer = $1', passkeyIssuer);

  return async (count: number) => {
    const shots: Shot[] = [];
    for (let index = 0; index < count; index += 1) {
      const asked = await authenticator.requestOptions(challenges.make(`sign-in ${binder}`));
      const body = JSON.stringify({ response: devices[index % holders]?.get(asked) });
      shots.push(
        { method: 'POST', path: '/api/sign-in/passkey/options', headers, body: '{}' },
        { method: 'POST', path: '/api/sign-in/passkey', headers, body },
      );
    }
    const before = await begun();
    let index = 0;
    const found = await withProcessorTime(stage, count, () =>
      answersPerSecond(stage.url, {
        amount: shots.length,
        // A connection may ask for one more than is sent in the end.
        next: () => shots[index++] ?? (shots[0] as Shot),
      }),
    );
    const signedIn = (await begun()) - before;
    if (signedIn !== count) throw new Error(`${signedIn} of ${count} sign-ins began a session`);
    return { ...found, perSecond: found.perSecond / 2 };
  };
}

async function countRows({ database }: Stage, text: string, ...values: unknown[]): Promise<number> {
  return (await database.query<{ count: number }>(text, values)).rows[0]?.count ?? 0;
}

let asked = 0;

/** Asks for so many addresses, each from a network of its own; one in a hundred is somebody who signs in by codes. */
async function askForCodes(stage: Stage, count: number) {
  const { rows: known } = await stage.database.query<{ email: string }>(
    `select people.email from people join identities on person_id = people.id where issuer = $1`,
    [passkeyIssuer],
  );
  const queued = `jobs.job where data->>'template' = 'sign-in-code'`;
  const found = await withProcessorTime(stage, count, () =>
    answersPerSecond(stage.url, {
      amount: count,
      next() {
        asked += 1;
        const address = asked % 100 === 0 ? known[(asked / 100) % known.length]?.email : undefined;
        return {
          method: 'POST',
          path: '/api/sign-in/code',
          headers: {
            ...origin,
            'x-forwarded-for': `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`,
          },
          body: JSON.stringify({ address: address ?? `asked-${asked}@example.com` }),
        };
      },
    }),
  );
  const mails = await countRows(stage, `select count(*)::int from ${queued}`);
  if (mails < count) throw new Error(`${mails} of ${count} mails are in the queue`);
  // What nobody is mailed is no part of what the others measure.
  await stage.database.query(`delete from ${queued}`);
  return found;
}

if (import.meta.main) await runOnStage(measurePasskeys);
