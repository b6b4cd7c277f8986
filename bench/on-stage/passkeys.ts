/** Signing in without a provider: with a passkey, both calls of it; and asking for a code, with the mail in the queue. */
import { createTestAuthenticator } from '../../apps/server/src/test/test-authenticator.ts';
import { createChallenges } from '../../apps/server/src/features/sign-in/passkeys/challenges.ts';
import {
  passkeyIssuer,
  insertPasskeys,
} from '../../apps/server/src/features/sign-in/passkeys/passkey-store.ts';
import { createAuthenticator } from '../../apps/server/src/features/sign-in/passkeys/authenticator.ts';
import { openDatabase, type Database } from '../../apps/server/src/platform/database/database.ts';
import { newId } from '../../apps/server/src/platform/database/new-id.ts';
import type { Figure } from '../report/figure.ts';
import { options } from '../report/options.ts';
import { answersPerSecond, connections, type Shot } from '../stage/load.ts';
import { runOnStage, stageSecret, type Stage } from '../stage/stage.ts';

const holders = 200;
const origin = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
/** Every challenge of one browser has the same cookie. */
const binder = 'b'.repeat(43);

export async function measurePasskeys(stage: Stage): Promise<Figure[]> {
  const database = openDatabase(stage.databaseUrl, { maxConnections: 4 });
  try {
    return [
      {
        name: `sign in with a passkey: options and answer, ${connections} connections`,
        measured: await signInsPerSecond(database, stage),
        unit: '/s',
        limit: { at: 'least', value: 700 },
      },
      {
        name: `ask for a code, with its mail in the queue, ${connections} connections`,
        measured: await codesPerSecond(stage),
        unit: '/s',
        limit: { at: 'least', value: 1_000 },
      },
    ];
  } finally {
    await database.end();
  }
}

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

async function signInsPerSecond(database: Database, stage: Stage): Promise<number> {
  const { authenticator, devices } = await seedPasskeys(database, stage);
  const challenges = createChallenges({ secret: Buffer.from(stageSecret, 'utf8'), now: Date.now });
  const headers = { ...origin, cookie: `__Host-vestibule-passkey=${binder}` };
  const count = options.seconds * 1_400;
  const shots: Shot[] = [];
  for (let index = 0; index < count; index += 1) {
    const asked = await authenticator.requestOptions(challenges.make(`sign-in ${binder}`));
    const body = JSON.stringify({ response: devices[index % holders]?.get(asked) });
    shots.push(
      { method: 'POST', path: '/api/sign-in/passkey/options', headers, body: '{}' },
      { method: 'POST', path: '/api/sign-in/passkey', headers, body },
    );
  }
  let index = 0;
  const answers = await answersPerSecond(stage.url, {
    amount: shots.length,
    // A connection may ask for one more than is sent in the end.
    next: () => shots[index++] ?? (shots[0] as Shot),
  });
  const { rows } = await stage.database.query<{ count: number }>(
    `select count(*)::int from sessions where issuer = $1`,
    [passkeyIssuer],
  );
  if (rows[0]?.count !== count) throw new Error(`${rows[0]?.count} of ${count} sign-ins began a session`);
  return answers / 2;
}

/** Asks for so many addresses, each from a network of its own; one in a hundred is somebody who signs in by codes. */
async function codesPerSecond(stage: Stage): Promise<number> {
  const { rows: known } = await stage.database.query<{ email: string }>(
    `select people.email from people join identities on person_id = people.id where issuer = $1`,
    [passkeyIssuer],
  );
  const count = options.seconds * 1_500;
  let index = 0;
  const perSecond = await answersPerSecond(stage.url, {
    amount: count,
    next() {
      index += 1;
      const address = index % 100 === 0 ? known[(index / 100) % known.length]?.email : undefined;
      return {
        method: 'POST',
        path: '/api/sign-in/code',
        headers: {
          ...origin,
          'x-forwarded-for': `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
        },
        body: JSON.stringify({ address: address ?? `asked-${index}@example.com` }),
      };
    },
  });
  const { rows } = await stage.database.query<{ count: number }>(
    `select count(*)::int from jobs.job where data->>'template' = 'sign-in-code'`,
  );
  if ((rows[0]?.count ?? 0) < count) throw new Error(`${rows[0]?.count} of ${count} mails are in the queue`);
  // What nobody is mailed is no part of what the others measure.
  await stage.database.query(`delete from jobs.job where data->>'template' = 'sign-in-code'`);
  return perSecond;
}

if (import.meta.main) await runOnStage(measurePasskeys);
