/** Redeeming invitations: the first call of so many people who have just signed up, each with a new token. */
import { randomBytes } from 'node:crypto';
import { withUnit, type Figure } from '../report/figure.ts';
import { answersPerSecond, connections, type Shot } from '../harness/http-load.ts';
import { options } from '../report/options.ts';
import { peers } from '../report/peers.ts';
import { runOnStage, type Stage } from '../harness/bench-site.ts';

export async function measureRedeem(stage: Stage): Promise<Figure[]> {
  // Enough for as many seconds at twice the promise.
  const count = options.seconds * 1000;
  await redeem(stage, 500);
  const perSecond = await redeem(stage, count);
  const bare = await answersPerSecond(stage.ceilingUrl, {
    next: () => ({
      method: 'POST',
      path: '/rows',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"one@example.com"}',
    }),
    seconds: options.seconds,
  });
  return [
    {
      name: `redeem an invitation, ${connections} connections`,
      measured: perSecond,
      unit: '/s',
      limit: { at: 'least', value: 500 },
      ceiling: `Fastify with one insert: ${withUnit(bare, '/s')}`,
      peers: peers.redeem,
    },
  ];
}

/** Redeems so many invitations, written past the API, and gives how many a second. */
async function redeem({ url, database, provider }: Stage, count: number): Promise<number> {
  const run = randomBytes(4).toString('hex');
  const { rows } = await database.query<{ id: string; email: string }>(
    `insert into invitations (id, code_hash, email, email_canonical, name, role, message, created_by, expires_at)
     select uuidv7(), sha256(($1 || n)::bytea), email, email, 'Somebody New', 'member', '', 'admin@example.com', now() + interval '7 days'
     from generate_series(1, $2) n, lateral (select 'new.' || $1 || '.' || n || '@example.com' as email) address
     returning id, email`,
    [run, count],
  );
  // What autovacuum does a minute later in life.
  await database.query('analyze invitations');
  const shots: Shot[] = [];
  for (const { id, email } of rows) {
    const token = await provider.issueToken({
      sub: `subject of ${email}`,
      emails: [email],
      invitationId: id,
    });
    shots.push({ path: '/api/users/me', headers: { authorization: `Bearer ${token}` } });
  }
  let index = 0;
  const perSecond = await answersPerSecond(url, {
    amount: count,
    // A connection may ask for one more than is sent in the end.
    next: () => shots[index++ % count] as Shot,
  });
  const { rows: redeemed } = await database.query<{ count: number }>(
    `select count(*)::int from people join invitations on redeemed_by = people.id where people.email like $1`,
    [`new.${run}.%`],
  );
  if (redeemed[0]?.count !== count)
    throw new Error(`${redeemed[0]?.count} of ${count} invitations are redeemed`);
  return perSecond;
}

if (import.meta.main) await runOnStage(measureRedeem);
